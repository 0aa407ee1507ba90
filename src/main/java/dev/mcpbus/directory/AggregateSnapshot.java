package dev.mcpbus.directory;

import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The lists of all servers with the names of the bus: the reply of the aggregate addresses for a
 * {@link DirectorySnapshot}. Ordered by server id, then as each server lists. Immutable.
 */
public final class AggregateSnapshot {

  public static final AggregateSnapshot EMPTY = new AggregateSnapshot(EntrySnapshot.empty());

  private final EntrySnapshot<Map<ListKind, AggregateList>> servers;

  private AggregateSnapshot(EntrySnapshot<Map<ListKind, AggregateList>> servers) {
    this.servers = servers;
  }

  /**
   * The aggregate after the entry of one server has changed.
   *
   * @param entry null if the server was removed
   * @return this if no list differs
   */
  public AggregateSnapshot with(String id, @Nullable DirectoryEntry entry, NamePolicy names) {
    Map<ListKind, AggregateList> last = of(id);
    Map<ListKind, AggregateList> lists =
        entry == null ? Map.of() : lists(id, entry.lists(), names, last);
    if (lists.equals(last)) {
      return this;
    }
    return new AggregateSnapshot(servers.with(id, lists.isEmpty() ? null : lists));
  }

  private Map<ListKind, AggregateList> of(String id) {
    Map<ListKind, AggregateList> lists = servers.get(id);
    return lists == null ? Map.of() : lists;
  }

  private static Map<ListKind, AggregateList> lists(
      String id,
      Map<ListKind, ServerList> raw,
      NamePolicy names,
      Map<ListKind, AggregateList> last) {
    Map<ListKind, AggregateList> lists = new EnumMap<>(ListKind.class);
    raw.forEach(
        (kind, list) -> {
          if (kind.aggregate != null) {
            lists.put(kind, AggregateList.of(id, kind, names, list, last.get(kind)));
          }
        });
    return lists;
  }

  /** Null if the server has not listed this kind yet. */
  public @Nullable AggregateList listing(String server, ListKind kind) {
    return of(server).get(kind);
  }

  /** The lists of one kind, by server id, in order. */
  public Map<String, AggregateList> listings(ListKind kind) {
    Map<String, AggregateList> all = new LinkedHashMap<>();
    servers
        .all()
        .forEach(
            (server, lists) -> {
              AggregateList listing = lists.get(kind);
              if (listing != null) {
                all.put(server, listing);
              }
            });
    return all;
  }

  /** The ids of the servers that list {@code name}, in order. */
  public List<String> offering(ListKind kind, String name) {
    return servers.all().keySet().stream()
        .filter(
            server -> {
              AggregateList listing = listing(server, kind);
              return listing != null && listing.names().contains(name);
            })
        .toList();
  }

  /**
   * The MCP result of the list method for all servers. The {@code _meta} contains each entry that
   * was left out, with the reason, under {@link MetaKeys#PROBLEMS}.
   *
   * @param only ids of the servers wanted; null for all
   * @param notListed for {@link MetaKeys#NOT_LISTED}
   */
  public Buffer write(ListKind kind, @Nullable Collection<String> only, JsonArray notListed) {
    Buffer out = Buffer.buffer("{\"" + kind.member + "\":[");
    List<InvalidEntry> problems = new ArrayList<>();
    boolean first = true;
    for (Map.Entry<String, Map<ListKind, AggregateList>> server : servers.all().entrySet()) {
      AggregateList listing = server.getValue().get(kind);
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
    JsonObject meta = new JsonObject();
    if (!problems.isEmpty()) {
      meta.put(
          MetaKeys.PROBLEMS, new JsonArray(problems.stream().map(InvalidEntry::toJson).toList()));
    }
    if (!notListed.isEmpty()) {
      meta.put(MetaKeys.NOT_LISTED, notListed);
    }
    if (!meta.isEmpty()) {
      out.appendString(",\"_meta\":").appendBuffer(meta.toBuffer());
    }
    return out.appendString("}");
  }
}
