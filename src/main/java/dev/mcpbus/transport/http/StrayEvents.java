package dev.mcpbus.transport.http;

import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.ProtocolException.TextFault;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.protocol.Quirks;
import dev.mcpbus.protocol.StrayLine;

/**
 * Skips the events of one stream that are no JSON-RPC and were not meant as such: keep-alives that
 * a server sends as data. At most 1,000 in 10 s, so that a stream of nothing else ends. Confined to
 * the owner context of its stream.
 */
final class StrayEvents {

  private static final int MOST = 1_000;
  private static final long WINDOW_MILLIS = 10_000;

  private long since;
  private int count;

  /**
   * Skips an event.
   *
   * @param fault why the data is no message; thrown if the data was meant as one, or if the server
   *     is held to the specification
   * @param now in milliseconds, of any clock
   */
  void skip(byte[] data, int length, ProtocolException fault, Quirks quirks, long now)
      throws ProtocolException {
    if (StrayLine.isMeant(data, 0, length, ParseLimits.DEFAULT)
        || !quirks.tolerates(Quirk.STRAY_EVENTS)) {
      throw fault;
    }
    if (now - since >= WINDOW_MILLIS) {
      since = now;
      count = 0;
    }
    if (++count > MOST) {
      throw new ProtocolException(
          TextFault.NOT_JSON_RPC,
          0,
          "more than " + MOST + " events in " + WINDOW_MILLIS / 1_000 + " s are no JSON-RPC");
    }
  }
}
