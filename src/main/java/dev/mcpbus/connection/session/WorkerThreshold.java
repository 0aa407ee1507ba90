package dev.mcpbus.connection.session;

import dev.mcpbus.protocol.RawJson;

/**
 * Up to which size the connection's event loop reads, hashes or checks JSON. A worker does it for
 * longer JSON, because the event loop serves other connections too.
 */
public final class WorkerThreshold {

  private static final int BYTES = 64 * 1024;

  private WorkerThreshold() {}

  public static boolean isExceededBy(RawJson json) {
    return json.length() > BYTES;
  }
}
