package dev.mcpbus.transport.bus;

import dev.mcpbus.transport.SendWindow;
import java.time.Duration;

/**
 * Bounds of one connection over the bus.
 *
 * @param window how many messages may be sent that the other side has not accepted yet, default
 *     1,024
 * @param connectTimeout how long the server may take to accept the connection, default 5 s
 * @param takeTimeout how long the other side may take to accept one message; after that the
 *     connection ends; default 30 s
 * @param heartbeat how often this side sends a ping on an idle connection, and how long the reply
 *     to a ping may take; default 5 s
 */
record BusTuning(int window, Duration connectTimeout, Duration takeTimeout, Duration heartbeat) {

  static final BusTuning DEFAULT =
      new BusTuning(
          SendWindow.MESSAGES,
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          Duration.ofSeconds(5));
}
