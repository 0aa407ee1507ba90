package dev.mcpbus.bus;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

/**
 * The connection that log lines of a context are about. Each connection has a context of its own,
 * so a line that a connection causes has the id of its server, whichever class logs it. Stateless;
 * any thread.
 */
public final class LoggedConnection {

  /** The key of the id in a log event, and in a line of JSON. */
  public static final String KEY = "server";

  private static final String DATA = "mcpbus.log.server";

  private LoggedConnection() {}

  /** From now on lines that are logged on {@code context} are about {@code id}. */
  public static void set(Context context, ConnectionId id) {
    context.put(DATA, id.value());
  }

  /** The server of the present context; null where it is not a connection's. */
  public static @Nullable String current() {
    Context context = Vertx.currentContext();
    return context == null ? null : context.get(DATA);
  }
}
