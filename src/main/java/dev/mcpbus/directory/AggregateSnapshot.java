package dev.mcpbus.directory;

import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All that all servers list, with the names of the bus: what the aggregate addresses show of a
 * {@link DirectorySnapshot}. Immutable. Ordered by server id, then as each server lists.
 */
public final class AggregateSnapshot {

  public static final AggregateSnapshot EMPTY = new AggregateSnapshot(Collections.emptySortedMap());

  private record Server(DirectoryEntry entry, Map<ListKind, AggregateList> lists) {

    static Server of(DirectoryEntry entry, NamePolicy names, @Nullable Server before) {
      if (before != null && before.entry == entry) {
        return before;
      }
      Map<ListKind, AggregateList> lists = new EnumMap<>(ListKind.class);
      entry
          .lists()
          .forEach(
              (kind, list) -> {
                AggregateList last = before == null ? null : before.lists.get(kind);
                if (kind.aggregate != null) {
                  lists.put(kind, AggregateList.of(entry.id().value(), kind, names, list, last));
                }
              });
      return before != null && lists.equals(before.lists) ? before : new Server(entry, lists);
    }
  }

  private final SortedMap<String, Server> servers;

  private AggregateSnapshot(SortedMap<String, Server> servers) {
    this.servers = servers;
  }

  /**
   * @param before an earlier one with the same names, whose lists are taken over where they are the
   *     same
   * @return {@code before} itself where no list differs
   */
  public static AggregateSnapshot of(
      DirectorySnapshot snapshot, NamePolicy names, AggregateSnapshot before) {
    SortedMap<String, Server> servers = new TreeMap<>();
    boolean differs = false;
    for (DirectoryEntry entry : snapshot.servers()) {
      String id = entry.id().value();
      Server last = before.servers.get(id);
      Server server = Server.of(entry, names, last);
      differs |= server != last;
      servers.put(id, server);
    }
    return differs || servers.size() != before.servers.size()
        ? new AggregateSnapshot(servers)
        : before;
  }

  /** Null where the server has not listed this yet. */
  public @Nullable AggregateList listing(String server, ListKind kind) {
    Server known = servers.get(server);
    return known == null ? null : known.lists.get(kind);
  }

  /** What each server lists of one kind, by its id, in order. */
  public Map<String, AggregateList> listings(ListKind kind) {
    Map<String, AggregateList> all = new LinkedHashMap<>();
    servers.forEach(
        (server, known) -> {
          AggregateList listing = known.lists.get(kind);
          if (listing != null) {
            all.put(server, listing);
          }
        });
    return all;
  }

  /** Servers that list {@code name}, in order. */
  public List<String> offering(ListKind kind, String name) {
    return servers.keySet().stream()
        .filter(
            server -> {
              AggregateList listing = listing(server, kind);
              return listing != null && listing.names().contains(name);
            })
        .toList();
  }

  /**
   * The MCP result of the list method, over all servers. What was left out stands with its reason
   * under {@link MetaKeys#PROBLEMS} in {@code _meta}.
   *
   * @param only ids of the servers wanted; null for all
   */
  public Buffer write(ListKind kind, @Nullable Collection<String> only) {
    Buffer out = Buffer.buffer("{\"" + kind.member + "\":[");
    List<LeftOutEntry> problems = new ArrayList<>();
    boolean first = true;
    for (Map.Entry<String, Server> server : servers.entrySet()) {
      AggregateList listing = server.getValue().lists.get(kind);
      if (listing == null || (only != null && !only.contains(server.getKey()))) {
        continue;
      }
      problems.addAll(listing.problems());
      for (RawJson entry : listing.entries()) {
        if (!first) {
          out.appendByte((byte) ',');
        }
        first = false;
        out.appendBytes(entry.array(), entry.offset(), entry.length());
      }
    }
    out.appendString("]");
    if (!problems.isEmpty()) {
      JsonArray reasons = new JsonArray(problems.stream().map(LeftOutEntry::toJson).toList());
      out.appendString(",\"_meta\":")
          .appendBuffer(new JsonObject().put(MetaKeys.PROBLEMS, reasons).toBuffer());
    }
    return out.appendString("}");
  }
}
