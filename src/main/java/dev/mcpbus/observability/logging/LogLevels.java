package dev.mcpbus.observability.logging;

import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The levels of the program's loggers at run time. Any thread may call.
 *
 * <p>This interface does not need Logback, so that a program without it links.
 */
public interface LogLevels {

  /** The root logger, whose level every logger without one of its own has. */
  String ROOT = "ROOT";

  /** The levels of this program; null where its logging library is not Logback. */
  static @Nullable LogLevels find() {
    String factory = LoggerFactory.getILoggerFactory().getClass().getName();
    return factory.equals("ch.qos.logback.classic.LoggerContext") ? new LogbackLevels() : null;
  }

  /**
   * The process ends, and with it its doors: Vert.x takes the last handler of a server away before
   * it closes the socket, and Netty logs each client that connects in between with a stack trace.
   * Such a client is refused, as one that comes a moment later.
   */
  static void doorsClose() {
    LogLevels levels = find();
    if (levels != null) {
      levels.set("io.netty.bootstrap.ServerBootstrap", "ERROR");
    }
  }

  /** The loggers that have a level of their own, {@link #ROOT} among them, and their levels. */
  SortedMap<String, String> all();

  /**
   * Gives a logger a level, or takes its own level away.
   *
   * @param level {@code TRACE} to {@code ERROR}, or {@code OFF}; null for that of its parent
   * @return the level that it had of its own before, null for none
   * @throws IllegalArgumentException with a text for people: an unknown level, a name that is no
   *     name of a logger, more than 200 loggers with levels of their own, or the root without a
   *     level
   */
  @Nullable String set(String logger, @Nullable String level);
}
