package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;
import org.jspecify.annotations.Nullable;

/** How a connection uses its cached lists for a call: the header {@link Headers#CACHE}. */
@PublicApi
public enum CacheMode {
  /** Reply with the cached list if it is fresh. */
  USE("use"),
  /** Send the request to the server, cache the result. */
  REFRESH("refresh"),
  /** Send the request to the server, cache nothing. */
  BYPASS("bypass");

  private final String header;

  CacheMode(String header) {
    this.header = header;
  }

  /** The value of the header. */
  public String header() {
    return header;
  }

  /**
   * Reads the header's value; null for null.
   *
   * @throws McpFailure {@code BAD_REQUEST}, not sent, for an unknown value
   */
  public static @Nullable CacheMode of(@Nullable String value) {
    if (value == null) {
      return null;
    }
    for (CacheMode mode : values()) {
      if (mode.header.equals(value)) {
        return mode;
      }
    }
    throw McpFailure.badRequest("header '" + Headers.CACHE + "' must be use, refresh or bypass");
  }
}
