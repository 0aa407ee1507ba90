package dev.mcpbus.connection.session;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.ArgumentValidator;
import dev.mcpbus.protocol.schema.ArgumentValidator.Violation;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Up to which size the connection's event loop reads, hashes or checks JSON. A worker does it for
 * longer JSON, because the event loop serves other connections too.
 */
public final class WorkerThreshold {

  private static final int BYTES = 64 * 1024;

  private WorkerThreshold() {}

  public static boolean isExceededBy(RawJson json) {
    return json.length() > BYTES;
  }

  /**
   * Checks a value against a schema, and begins here if both are small: what a small effort does
   * not finish, and all else, a worker does.
   *
   * @param json the value, or what holds it
   * @param check with its effort; any thread
   */
  public static Future<Optional<Violation>> check(
      Vertx vertx,
      ArgumentValidator schema,
      RawJson json,
      LongFunction<@Nullable Violation> check) {
    if (schema.isQuick() && !isExceededBy(json)) {
      Violation found = check.apply(ArgumentValidator.SMALL_EFFORT);
      if (found == null || !found.unchecked()) {
        return Future.succeededFuture(Optional.ofNullable(found));
      }
    }
    return vertx.executeBlocking(() -> Optional.ofNullable(check.apply(ArgumentValidator.EFFORT)));
  }
}
