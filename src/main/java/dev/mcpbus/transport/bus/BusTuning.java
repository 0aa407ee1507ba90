package dev.mcpbus.transport.bus;

import dev.mcpbus.transport.SendWindow;
import java.time.Duration;

/**
 * Bounds of one connection over the bus.
 *
 * @param window messages that the other side has not taken yet at most, default 1,024
 * @param connectTimeout for the server to accept, default 5 s
 * @param takeTimeout how long the other side may take over one message before it counts as gone,
 *     default 30 s
 * @param heartbeat how often an idle connection is tried, default 5 s; also how long a ping may
 *     take
 */
public record BusTuning(
    int window, Duration connectTimeout, Duration takeTimeout, Duration heartbeat) {

  public static final BusTuning DEFAULT =
      new BusTuning(
          SendWindow.MESSAGES,
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5));

  public BusTuning withWindow(int other) {
    return new BusTuning(other, connectTimeout, takeTimeout, heartbeat);
  }

  public BusTuning withTakeTimeout(Duration other) {
    return new BusTuning(window, connectTimeout, other, heartbeat);
  }

  public BusTuning withHeartbeat(Duration other) {
    return new BusTuning(window, connectTimeout, takeTimeout, other);
  }
}
