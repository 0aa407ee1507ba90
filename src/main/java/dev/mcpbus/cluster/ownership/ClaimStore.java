package dev.mcpbus.cluster.ownership;

import io.vertx.core.Future;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The claims of all connections, by the key of a replica; one map for the whole cluster. */
public interface ClaimStore {

  /** Reads all claims. Fails where one of them cannot be read. */
  Future<Map<String, OwnershipClaim>> all();

  /**
   * Compares and sets one claim.
   *
   * @param expected the claim that must be there now, null where there must be none
   * @return false where another claim is there
   */
  Future<Boolean> replace(String id, @Nullable OwnershipClaim expected, OwnershipClaim next);
}
