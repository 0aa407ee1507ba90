package dev.mcpbus.cluster.ownership;

import io.vertx.core.Future;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The claims of all connections, by id; one map for the whole cluster. */
public interface ClaimStore {

  /** Fails where not all of them can be read. */
  Future<Map<String, OwnershipClaim>> all();

  /**
   * Compare and set.
   *
   * @param expected null where there must be none
   * @return false where it is another by now
   */
  Future<Boolean> replace(String id, @Nullable OwnershipClaim expected, OwnershipClaim next);
}
