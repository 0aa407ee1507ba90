package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ReplicaId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The newest owner by which each connection has answered here. An owner that was replaced, and does
 * not know it yet, may still answer; its answers come too late. Any thread may call.
 */
final class NewestEpochs {

  /** By connection and replica: each replica has owners of its own. */
  private final Map<String, Long> newest = new ConcurrentHashMap<>();

  /**
   * @param header as in {@code Headers.EPOCH}, null where the reply has none
   * @return false where a newer owner of the same has answered before
   */
  boolean isCurrent(ConnectionId server, @Nullable String header) {
    Answer answer = Answer.of(server, header);
    if (answer == null) {
      return true;
    }
    Long seen = newest.get(answer.key());
    return (seen != null && seen == answer.epoch())
        || newest.merge(answer.key(), answer.epoch(), Math::max) == answer.epoch();
  }

  /**
   * The claims may have been lost with the nodes that held them, and count anew.
   *
   * @param claim of the same in the map of claims, null where there is none
   * @return true where the answer is of the owner that the map names
   */
  boolean isAnew(ConnectionId server, @Nullable String header, @Nullable String claim) {
    Answer answer = Answer.of(server, header);
    if (answer == null || claim == null || !claim.startsWith(answer.epoch() + " ")) {
      return false;
    }
    newest.put(answer.key(), answer.epoch());
    return true;
  }

  /** The name of the claim that a result was made under. */
  static String key(ConnectionId server, @Nullable String header) {
    int space = header == null ? -1 : header.indexOf(' ');
    try {
      int number = header == null || space < 0 ? 0 : Integer.parseInt(header.substring(space + 1));
      return new ReplicaId(server, number).key();
    } catch (NumberFormatException e) {
      return server.value();
    }
  }

  private record Answer(String key, long epoch) {

    static @Nullable Answer of(ConnectionId server, @Nullable String header) {
      if (header == null) {
        return null;
      }
      int space = header.indexOf(' ');
      try {
        return new Answer(
            space < 0 ? server.value() : server.value() + header.substring(space),
            Long.parseLong(space < 0 ? header : header.substring(0, space)));
      } catch (NumberFormatException e) {
        return null;
      }
    }
  }
}
