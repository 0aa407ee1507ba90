package dev.mcpbus.directory;

import dev.mcpbus.protocol.ParamHeaders;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.Via;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * One server's list of one kind, the bytes as they came. Immutable.
 *
 * @param ttlMillis how long the server calls it fresh, -1 where it says nothing
 * @param common true where the server says that it is the same for everybody
 * @param via every mcpbus that it came through
 * @param since when it was asked for, in nanoseconds of this JVM
 */
public record ServerList(
    List<Item> items, long ttlMillis, boolean common, Set<String> via, long since) {

  /** A definition that is larger than this is a defect or an attack. */
  private static final int MAX_ENTRY_BYTES = 1024 * 1024;

  private static final ParseLimits LIMITS = ParseLimits.DEFAULT.withMaxBytes(64 * 1024 * 1024);

  /** An entry, the name or URI by which its server knows it, the headers that it wants. */
  public record Item(String key, RawJson entry, ParamHeaders headers) {}

  static final ServerList EMPTY = new ServerList(List.of(), -1, false, Set.of(), 0);

  public ServerList {
    items = List.copyOf(items);
  }

  /** Keeps what can be named, in the server's order. */
  static ServerList parse(ListKind kind, Buffer result, long since) throws ProtocolException {
    RawJson whole = RawJson.checkedResult(result, LIMITS);
    RawJson list = whole.member(kind.member);
    List<Item> items = new ArrayList<>();
    if (list != null) {
      for (RawJson entry : list.elements()) {
        RawJson key = entry.member(kind.key);
        if (key != null
            && key.isString()
            && key.length() > 2
            && entry.length() <= MAX_ENTRY_BYTES
            && entry.ambiguity() == null) {
          items.add(new Item(key.asString(), entry, headers(kind, entry)));
        }
      }
    }
    RawJson ttl = whole.member("ttlMs");
    RawJson scope = whole.member("cacheScope");
    return new ServerList(
        items,
        ttl == null ? -1 : ttl.asLong(),
        scope != null && scope.isString() && scope.asString().equals("public"),
        Via.in(whole),
        since);
  }

  private static ParamHeaders headers(ListKind kind, RawJson entry) {
    try {
      return kind == ListKind.TOOLS
          ? ParamHeaders.of(entry.member("inputSchema"))
          : ParamHeaders.NONE;
    } catch (ParamHeaders.InvalidSchemaException e) {
      return ParamHeaders.NONE; // clients leave such a tool out by themselves
    }
  }

  /** True where both list the same entries in the same order. */
  public boolean lists(ServerList other) {
    if (items.size() != other.items.size()) {
      return false;
    }
    for (int i = 0; i < items.size(); i++) {
      if (!items.get(i).entry().equals(other.items.get(i).entry())) {
        return false;
      }
    }
    return true;
  }

  boolean isFresh(long now) {
    return ttlMillis < 0 || now - since < ttlMillis * 1_000_000;
  }
}
