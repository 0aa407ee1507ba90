package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ReplicaId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The highest epoch with which each connection has answered here. A replaced owner that has not
 * noticed it yet may still answer; such an answer has a lower epoch and is refused. Any thread may
 * call.
 */
final class NewestEpochs {

  /** By connection and replica, because each replica has owners of its own. */
  private final Map<String, Long> newest = new ConcurrentHashMap<>();

  /**
   * @param header the value of {@code Headers.EPOCH}, null where the reply has none
   * @return false where an owner with a higher epoch has answered before
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
   * Accepts a lower epoch where the map of claims has it: claims can be lost with the nodes that
   * held them, and epochs then start again.
   *
   * @param claim the claim of the same replica in the map, null where there is none
   * @return true where the answer comes from the owner that the map names
   */
  boolean isNamedByClaim(ConnectionId server, @Nullable String header, @Nullable String claim) {
    Answer answer = Answer.of(server, header);
    if (answer == null || claim == null || !claim.startsWith(answer.epoch() + " ")) {
      return false;
    }
    newest.put(answer.key(), answer.epoch());
    return true;
  }

  /** The key of the claim under which a reply was made. */
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
