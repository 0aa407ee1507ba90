package dev.mcpbus.bus;

import org.jspecify.annotations.Nullable;

/** What to do with a list that the connection has kept; the header {@link Headers#CACHE}. */
public enum CacheMode {
  /** Answer from it where it is fresh. */
  USE("use"),
  /** Ask the server, keep the answer. */
  REFRESH("refresh"),
  /** Ask the server, keep nothing. */
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
   * @throws McpFailure {@code BAD_REQUEST}, not sent, for any other text
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
    throw McpFailure.notSent(
        FailureCode.BAD_REQUEST, "header '" + Headers.CACHE + "' must be use, refresh or bypass");
  }
}
