package dev.mcpbus.directory;

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
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One snapshot of all that all servers list. Immutable: every change makes a new one. Ordered by
 * server id, then as each server lists.
 */
public final class Catalog {

  public static final Catalog EMPTY = new Catalog(Collections.emptySortedMap());

  private final SortedMap<String, Map<ListKind, AggregateList>> servers;

  private Catalog(SortedMap<String, Map<ListKind, AggregateList>> servers) {
    this.servers = servers;
  }

  /** The list of one kind replaced by a newer one. */
  public Catalog with(String server, ListKind kind, AggregateList listing) {
    Map<ListKind, AggregateList> lists = new EnumMap<>(ListKind.class);
    lists.putAll(servers.getOrDefault(server, Map.of()));
    lists.put(kind, listing);
    return put(server, lists);
  }

  /** What the server listed last, marked: it may be gone. */
  public Catalog withStale(String server) {
    return change(server, AggregateList::asStale);
  }

  private Catalog change(String server, UnaryOperator<AggregateList> change) {
    Map<ListKind, AggregateList> lists = servers.get(server);
    if (lists == null) {
      return this;
    }
    Map<ListKind, AggregateList> changed = new EnumMap<>(lists);
    changed.replaceAll((kind, listing) -> change.apply(listing));
    return put(server, changed);
  }

  public Catalog without(String server) {
    if (!servers.containsKey(server)) {
      return this;
    }
    SortedMap<String, Map<ListKind, AggregateList>> rest = new TreeMap<>(servers);
    rest.remove(server);
    return new Catalog(rest);
  }

  private Catalog put(String server, Map<ListKind, AggregateList> lists) {
    SortedMap<String, Map<ListKind, AggregateList>> all = new TreeMap<>(servers);
    all.put(server, lists);
    return new Catalog(all);
  }

  /** Null where the server has not listed this yet. */
  public @Nullable AggregateList listing(String server, ListKind kind) {
    return servers.getOrDefault(server, Map.of()).get(kind);
  }

  /** What each server lists of one kind, by its id, in order. */
  public Map<String, AggregateList> listings(ListKind kind) {
    Map<String, AggregateList> all = new LinkedHashMap<>();
    servers.forEach(
        (server, lists) -> {
          AggregateList listing = lists.get(kind);
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
  public Buffer aggregate(ListKind kind, @Nullable Collection<String> only) {
    Buffer out = Buffer.buffer("{\"" + kind.member + "\":[");
    List<LeftOutEntry> problems = new ArrayList<>();
    boolean first = true;
    for (Map.Entry<String, Map<ListKind, AggregateList>> server : servers.entrySet()) {
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
    if (!problems.isEmpty()) {
      JsonArray reasons = new JsonArray(problems.stream().map(LeftOutEntry::toJson).toList());
      out.appendString(",\"_meta\":")
          .appendBuffer(new JsonObject().put(MetaKeys.PROBLEMS, reasons).toBuffer());
    }
    return out.appendString("}");
  }
}
