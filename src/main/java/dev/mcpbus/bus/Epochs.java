package dev.mcpbus.bus;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The newest owner by which each connection has answered here. An owner that was replaced, and does
 * not know it yet, may still answer; its answers come too late. Any thread may call.
 */
final class Epochs {

  /** By connection and replica: each replica has owners of its own. */
  private final Map<String, Long> newest = new ConcurrentHashMap<>();

  /**
   * @param header as in {@link Headers#EPOCH}, null where the reply has none
   * @return false where a newer owner of the same has answered before
   */
  boolean isCurrent(ConnectionId server, @Nullable String header) {
    if (header == null) {
      return true;
    }
    int space = header.indexOf(' ');
    long epoch;
    try {
      epoch = Long.parseLong(space < 0 ? header : header.substring(0, space));
    } catch (NumberFormatException e) {
      return true;
    }
    String key = space < 0 ? server.value() : server.value() + header.substring(space);
    Long seen = newest.get(key);
    return (seen != null && seen == epoch) || newest.merge(key, epoch, Math::max) == epoch;
  }
}
