package dev.mcpbus.connection;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Timers;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.tools.DriftWatch;
import dev.mcpbus.connection.tools.ListChanges;
import dev.mcpbus.connection.tools.ToolTable;
import dev.mcpbus.protocol.Methods;
import io.vertx.core.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists the tools when a session is ready and when its server says that they have changed, and
 * publishes the result. Owner: the connection's context.
 */
final class ToolListRefresh {

  private static final Logger LOG = LoggerFactory.getLogger(ToolListRefresh.class);

  private final ConnectionId id;
  private final DriftWatch drift;
  private final ListChanges changes;
  private final ConnectionStateHolder connection;
  private final Consumer<ReadySession> done;

  /** Why the tools could not be listed last; null where they could. The log says it once. */
  private @Nullable String unlisted;

  /**
   * @param done runs when a listing of the present session has ended, with success or without
   */
  ToolListRefresh(
      ConnectionId id,
      ConnectionStateHolder connection,
      DriftWatch drift,
      Timers timers,
      Clock clock,
      Consumer<ReadySession> done) {
    this.id = id;
    this.connection = connection;
    this.drift = drift;
    this.changes = new ListChanges(timers, clock, this::again, connection::publish);
    this.done = done;
  }

  void ready(ReadySession now) {
    if (now.offers("tools")) {
      now.tools().load().onComplete(read -> ended(now, read.cause()));
    }
  }

  /** The server sent a {@code list_changed}: the kept list is not fresh any more. */
  void changed(ReadySession of, String method) {
    if (method.equals(Methods.TOOLS_CHANGED)) {
      of.tools().expire();
    }
    changes.changed(method);
  }

  /** The session is over. */
  void stop() {
    changes.stop();
  }

  private Future<?> again() {
    ReadySession of = connection.ready();
    return of == null
        ? Future.succeededFuture()
        : of.tools()
            .changed()
            .onComplete(read -> ended(of, read.cause()))
            .onFailure(failure -> unlisted(of, McpFailure.of(failure)));
  }

  /** The server announces another list and does not give it: readers of the last one must know. */
  private void unlisted(ReadySession of, McpFailure failure) {
    if (connection.ready(of.session()) != null && !of.session().isOver()) {
      connection.unlisted(new HealthCheck.FailedCheck(Methods.TOOLS_LIST, 1, failure));
    }
  }

  private void ended(ReadySession of, @Nullable Throwable failure) {
    if (connection.ready(of.session()) == null || of.session().isOver()) {
      return;
    }
    ToolTable table = of.tools().table();
    if (failure != null) {
      String why = String.valueOf(failure.getMessage());
      if (!why.equals(unlisted)) {
        LOG.warn("connection {}: its tools cannot be listed: {}", id, why);
      }
      unlisted = why;
      connection.statusView().error(McpFailure.of(failure));
    } else if (table != null) {
      if (unlisted != null) {
        LOG.info("connection {}: its tools can be listed again", id);
      }
      unlisted = null;
      drift.announce(table);
    }
    done.accept(of);
  }
}
