package dev.mcpbus.connection;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Methods;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the tools read when a session is ready and when its server says that they changed, and tells
 * the rest. Owner: the connection's context.
 */
final class ToolListRefresh {

  private static final Logger LOG = LoggerFactory.getLogger(ToolListRefresh.class);

  private final ConnectionId id;
  private final StatusView view;
  private final DriftWatch drift;
  private final ListChanges changes;
  private final Supplier<@Nullable ReadySession> present;
  private final Consumer<ReadySession> done;

  /**
   * @param publisher takes type and members of an event
   * @param present the session that is ready
   * @param done hears that a reading of the present session has ended, one way or the other
   */
  ToolListRefresh(
      ConnectionId id,
      StatusView view,
      DriftWatch drift,
      Timers timers,
      Clock clock,
      BiConsumer<String, JsonObject> publisher,
      Supplier<@Nullable ReadySession> present,
      Consumer<ReadySession> done) {
    this.id = id;
    this.view = view;
    this.drift = drift;
    this.changes = new ListChanges(timers, clock, this::again, publisher);
    this.present = present;
    this.done = done;
  }

  void ready(ReadySession now) {
    if (now.offers("tools")) {
      now.tools().load().onComplete(read -> ended(now, read.cause()));
    }
  }

  /** One of the {@code list_changed}; from now on a kept list is not fresh. */
  void changed(ReadySession of, String method) {
    if (method.equals(Methods.TOOLS_CHANGED)) {
      of.tools().expire();
    }
    changes.heard(method);
  }

  /** The session is over. */
  void stop() {
    changes.stop();
  }

  private Future<?> again() {
    ReadySession of = present.get();
    return of == null
        ? Future.succeededFuture()
        : of.tools().changed().onComplete(read -> ended(of, read.cause()));
  }

  private void ended(ReadySession of, @Nullable Throwable failure) {
    ReadySession now = present.get();
    if (now == null || now.session() != of.session() || of.session().isOver()) {
      return;
    }
    ToolTable table = of.tools().table();
    if (failure != null) {
      LOG.warn("connection {}: its tools cannot be listed: {}", id, failure.getMessage());
      view.error(McpFailure.of(failure));
    } else if (table != null) {
      drift.announce(table);
    }
    done.accept(of);
  }
}
