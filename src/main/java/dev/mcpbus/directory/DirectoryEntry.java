package dev.mcpbus.directory;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The state and the lists of one server. Immutable.
 *
 * @param up whether its connection is in a state that serves calls
 * @param isDiscover whether it speaks the {@code discover} era; false until its status is known
 * @param tasks whether it may answer a tool call with a task; false until its status is known
 * @param resources whether it states the capability {@code resources}; false until its status is
 *     known
 * @param shared whether its definition says that clients share its connection; false until its
 *     status is known
 * @param repeats whether its definition lets mcpbus repeat safe calls; false until its status is
 *     known
 * @param callers the headers of requests that its entry uses, of a server that acts for its
 *     callers: such a server lists nothing for all, and each caller has an entry of its own; null
 *     for any other
 * @param via the ids of every mcpbus behind it, from its status
 * @param instructions of its handshake; empty if it gave none
 * @param handshake the result of its last {@code initialize} or {@code server/discover}, as it
 *     wrote it; null until it is known
 * @param lists the last list of each kind that was fetched
 * @param failures why a kind could not be listed the last time; no entry for a kind that could
 */
public record DirectoryEntry(
    ConnectionId id,
    boolean up,
    boolean isDiscover,
    boolean tasks,
    boolean resources,
    boolean shared,
    boolean repeats,
    @Nullable Set<String> callers,
    Set<String> via,
    String instructions,
    @Nullable RawJson handshake,
    Map<ListKind, ServerList> lists,
    Map<ListKind, McpFailure> failures) {

  static DirectoryEntry of(ConnectionId id) {
    return new DirectoryEntry(
        id, false, false, false, false, false, false, null, Set.of(), "", null, Map.of(), Map.of());
  }

  /** Whether the server acts for its callers. */
  public boolean ofCallers() {
    return callers != null;
  }

  /** The entry of a server that acts for its callers, or does not. */
  DirectoryEntry withCallers(@Nullable Set<String> headers) {
    return Objects.equals(headers, callers)
        ? this
        : new DirectoryEntry(
            id,
            false,
            isDiscover,
            tasks,
            resources,
            shared,
            repeats,
            headers,
            via,
            instructions,
            handshake,
            Map.of(),
            Map.of());
  }

  /**
   * Whether each client has a session of its own with the server: one of the {@code initialize} era
   * that is not declared shared.
   */
  public boolean hasSessions() {
    return !isDiscover && !shared && callers == null;
  }

  /** Whether the server has stated its capabilities, and that one is not among them. */
  public boolean lacks(String capability) {
    RawJson stated = handshake == null ? null : handshake.member("capabilities");
    return up && stated != null && stated.isObject() && stated.member(capability) == null;
  }

  public @Nullable ServerList list(ListKind kind) {
    return lists.get(kind);
  }

  /** The entry with a list that was read: the kind has no failure any more. */
  public DirectoryEntry with(ListKind kind, ServerList serverList) {
    Map<ListKind, ServerList> more = new EnumMap<>(ListKind.class);
    more.putAll(lists);
    more.put(kind, serverList);
    Map<ListKind, McpFailure> fewer = new EnumMap<>(ListKind.class);
    fewer.putAll(failures);
    fewer.remove(kind);
    return withLists(up, more, fewer);
  }

  /** The entry after a list could not be read: the last one is stale. This one if that is known. */
  public DirectoryEntry with(ListKind kind, McpFailure failure) {
    McpFailure known = failures.get(kind);
    ServerList last = lists.get(kind);
    if (known != null
        && known.code() == failure.code()
        && Objects.equals(known.getMessage(), failure.getMessage())
        && known.data().equals(failure.data())
        && (last == null || last.stale())) {
      return this;
    }
    Map<ListKind, ServerList> stale = new EnumMap<>(ListKind.class);
    stale.putAll(lists);
    stale.computeIfPresent(kind, (same, list) -> list.stale() ? list : list.asStale());
    Map<ListKind, McpFailure> more = new EnumMap<>(ListKind.class);
    more.putAll(failures);
    more.put(kind, failure);
    return withLists(up, stale, more);
  }

  /** The entry after the server has said that these lists are others now. */
  DirectoryEntry withOutdated(Collection<ListKind> kinds) {
    Map<ListKind, ServerList> old = new EnumMap<>(ListKind.class);
    old.putAll(lists);
    kinds.forEach(kind -> old.computeIfPresent(kind, (same, list) -> list.asOutdated()));
    return old.equals(lists) ? this : withLists(up, old, failures);
  }

  /** Whether the server has said that a list is another one, which is not read yet. */
  public boolean isOutdated(ListKind kind) {
    ServerList list = lists.get(kind);
    return list != null && list.outdated();
  }

  /** The entry after the connection stopped serving: its lists are stale. */
  public DirectoryEntry withDown() {
    Map<ListKind, ServerList> last = new EnumMap<>(ListKind.class);
    lists.forEach((kind, list) -> last.put(kind, list.stale() ? list : list.asStale()));
    return withLists(false, last, failures);
  }

  private DirectoryEntry withLists(
      boolean serves, Map<ListKind, ServerList> now, Map<ListKind, McpFailure> why) {
    return new DirectoryEntry(
        id,
        serves,
        isDiscover,
        tasks,
        resources,
        shared,
        repeats,
        callers,
        via,
        instructions,
        handshake,
        now,
        why);
  }

  /**
   * The error that a client of this server alone gets in place of a list; null if it gets a list. A
   * list that was read once stays while the server is down, but not against the server's own word.
   */
  @Nullable McpFailure refusal(ListKind kind) {
    McpFailure failure = failures.get(kind);
    if (lists.get(kind) == null) {
      return failure != null
          ? failure
          : McpFailure.notSent(
              FailureCode.UNAVAILABLE,
              "server '" + id + "' has given no list of its " + kind.member + " so far");
    }
    return up && failure != null && failure.code() == FailureCode.UPSTREAM_ERROR ? failure : null;
  }

  /** Whether a list is there and fresh; a server that is down need not be fresh. */
  boolean isCurrent(ListKind kind, long now) {
    ServerList list = lists.get(kind);
    return list != null && (!up || list.isFresh(now));
  }

  /** The entry with what the server's status says; this one if that is known. */
  DirectoryEntry withServer(
      boolean discover,
      boolean makesTasks,
      boolean hasResources,
      boolean isShared,
      boolean mayRepeat,
      Set<String> behind,
      String text,
      @Nullable RawJson described) {
    if (up
        && isDiscover == discover
        && tasks == makesTasks
        && resources == hasResources
        && shared == isShared
        && repeats == mayRepeat
        && via.equals(behind)
        && instructions.equals(text)
        && Objects.equals(handshake, described)) {
      return this;
    }
    return new DirectoryEntry(
        id,
        true,
        discover,
        makesTasks,
        hasResources,
        isShared,
        mayRepeat,
        callers,
        behind,
        text,
        described,
        lists,
        failures);
  }

  /** The ids of every mcpbus behind the server, from its status and its lists. */
  Set<String> behind() {
    Set<String> all = new TreeSet<>(via);
    lists.values().forEach(serverList -> all.addAll(serverList.via()));
    return all;
  }
}
