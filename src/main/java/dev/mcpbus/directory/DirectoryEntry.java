package dev.mcpbus.directory;

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
public record DirectoryEntry(
    ConnectionId id,
    boolean up,
    boolean modern,
    boolean tasks,
    Set<String> via,
    String instructions,
    Map<ListKind, ServerList> lists) {

  static DirectoryEntry of(ConnectionId id) {
    return new DirectoryEntry(id, false, false, false, Set.of(), "", Map.of());
  }

  public @Nullable ServerList list(ListKind kind) {
    return lists.get(kind);
  }

  public DirectoryEntry with(ListKind kind, ServerList serverList) {
    Map<ListKind, ServerList> more = new EnumMap<>(ListKind.class);
    more.putAll(lists);
    more.put(kind, serverList);
    return new DirectoryEntry(id, up, modern, tasks, via, instructions, more);
  }

  /** The connection serves no more; what it listed is stale. */
  public DirectoryEntry withDown() {
    Map<ListKind, ServerList> last = new EnumMap<>(ListKind.class);
    lists.forEach((kind, list) -> last.put(kind, list.stale() ? list : list.asStale()));
    return new DirectoryEntry(id, false, modern, tasks, via, instructions, last);
  }

  /** True for a list that is known, and fresh as far as its server can be asked. */
  boolean isCurrent(ListKind kind, long now) {
    ServerList list = lists.get(kind);
    return list != null && (!up || list.isFresh(now));
  }

  DirectoryEntry withServer(boolean isModern, boolean makesTasks, Set<String> behind, String text) {
    return new DirectoryEntry(id, true, isModern, makesTasks, behind, text, lists);
  }

  /** Every mcpbus that what it lists came through. */
  Set<String> behind() {
    Set<String> all = new TreeSet<>(via);
    lists.values().forEach(serverList -> all.addAll(serverList.via()));
    return all;
  }
}
