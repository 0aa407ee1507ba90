package dev.mcpbus.server;

import dev.mcpbus.protocol.PublicApi;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The levels of {@code notifications/message}, least urgent first, so that {@link #compareTo}
 * compares urgency.
 */
@PublicApi
public enum LogLevel {
  DEBUG,
  INFO,
  NOTICE,
  WARNING,
  ERROR,
  CRITICAL,
  ALERT,
  EMERGENCY;

  /** The level as written in messages. */
  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Empty if MCP has no such level. */
  public static Optional<LogLevel> ofWire(String text) {
    return Arrays.stream(values()).filter(level -> level.wire().equals(text)).findFirst();
  }
}
