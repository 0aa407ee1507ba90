package dev.mcpbus.gateway;

import dev.mcpbus.bus.ConnectionId;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one server. Immutable.
 *
 * @param up whether its connection serves now
 * @param modern whether it speaks the {@code server/discover} era, as far as is known
 * @param tasks whether it makes tasks of tool calls, as far as is known
 * @param via every mcpbus that is behind it, as far as is known
 * @param instructions of its handshake, empty where it gave none
 * @param lists what it listed last, of the kinds that were asked for
 */
record ServerFacts(
    ConnectionId id,
    boolean up,
    boolean modern,
    boolean tasks,
    Set<String> via,
    String instructions,
    Map<Kind, Listing> lists) {

  static ServerFacts of(ConnectionId id) {
    return new ServerFacts(id, false, false, false, Set.of(), "", Map.of());
  }

  @Nullable Listing list(Kind kind) {
    return lists.get(kind);
  }

  ServerFacts with(Kind kind, Listing listing) {
    Map<Kind, Listing> more = new EnumMap<>(Kind.class);
    more.putAll(lists);
    more.put(kind, listing);
    return new ServerFacts(id, up, modern, tasks, via, instructions, more);
  }

  ServerFacts withUp(boolean now) {
    return new ServerFacts(id, now, modern, tasks, via, instructions, lists);
  }

  ServerFacts withServer(boolean isModern, boolean makesTasks, Set<String> behind, String text) {
    return new ServerFacts(id, true, isModern, makesTasks, behind, text, lists);
  }

  /** Every mcpbus that what it lists came through. */
  Set<String> behind() {
    Set<String> all = new TreeSet<>(via);
    lists.values().forEach(listing -> all.addAll(listing.via()));
    return all;
  }
}
