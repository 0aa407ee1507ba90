package dev.mcpbus.connection.session;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Tells who asks when a table of calls is empty. Owner: the context of the table. */
final class Drain {

  private final IntSupplier size;
  private @Nullable Promise<Void> asked;

  Drain(IntSupplier size) {
    this.size = size;
  }

  /** Completes when the table is empty, which may be now. */
  Future<Void> future() {
    if (size.getAsInt() == 0) {
      return Future.succeededFuture();
    }
    if (asked == null) {
      asked = Promise.promise();
    }
    return asked.future();
  }

  /** To be called after the table has lost entries. */
  void check() {
    Promise<Void> told = asked;
    if (told != null && size.getAsInt() == 0) {
      asked = null;
      told.complete();
    }
  }
}
