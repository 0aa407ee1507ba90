package dev.mcpbus.directory;

import dev.mcpbus.bus.ListKind;
import dev.mcpbus.protocol.LoopMark;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.ParamHeaders;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.EntryShape;
import dev.mcpbus.protocol.schema.EntryShape.ShapedEntry;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One server's list of one kind, parsed once; the entries keep the bytes of the server. Immutable.
 *
 * @param entries every entry, in the server's order, including those that clients cannot use
 * @param items the entries that clients can use
 * @param meta the {@code _meta} of the result; an empty object if it has none
 * @param frame the result without entries, cursor and members of mcpbus: what the server says of
 *     the list as a whole, in the server's order
 * @param ttlMillis how long the list is fresh; -1 if the server does not say
 * @param common whether the server says that the list is the same for all callers
 * @param via the ids of every mcpbus that the list came through
 * @param since when it was requested, {@link System#nanoTime}
 * @param stale whether the server is gone, or has failed to list since
 * @param outdated whether the server has said since that its list is another one
 */
public record ServerList(
    List<Item> entries,
    List<Item> items,
    RawJson meta,
    RawJson frame,
    long ttlMillis,
    boolean common,
    Set<String> via,
    long since,
    boolean stale,
    boolean outdated) {

  /** A definition that is larger than this is a defect or an attack. */
  static final int MAX_ENTRY_BYTES = 1024 * 1024;

  /**
   * Entries of one list: each view of each caller's rights looks at every one of them, on the
   * thread that serves the callers of all servers.
   */
  static final int MAX_ENTRIES = 50_000;

  /** For all pages of a list together. */
  private static final ParseLimits LIMITS = ParseLimits.DEFAULT.withMaxBytes(64 * 1024 * 1024);

  /**
   * One entry.
   *
   * @param key the server's own name or URI of it; empty if it has none
   * @param headers that HTTP clients must send with a call of the tool
   * @param links URIs of resources that it names beside itself: the user interface of a tool (MCP
   *     Apps), the files of a skill
   * @param shape the entry among those of other servers
   * @param ambiguity the member that it contains twice; null if there is none
   */
  public record Item(
      String key,
      RawJson entry,
      ShapedEntry shape,
      ParamHeaders headers,
      Set<String> links,
      @Nullable String ambiguity) {

    static Item of(ListKind kind, RawJson entry, Set<String> mended) {
      RawJson member = entry.member(kind.key);
      String key = member == null || !member.isString() ? "" : member.asString();
      boolean sized = !key.isEmpty() && entry.length() <= MAX_ENTRY_BYTES;
      String ambiguity = sized ? entry.ambiguity() : null;
      if (!sized || ambiguity != null) {
        ShapedEntry own = ShapedEntry.asWritten(entry, null);
        return new Item(key, entry, own, ParamHeaders.NONE, Set.of(), ambiguity);
      }
      ShapedEntry shape = EntryShape.of(kind.member, kind.key, entry, mended.contains(key));
      return new Item(key, entry, shape, headers(kind, entry), links(kind, entry), null);
    }

    private static Set<String> links(ListKind kind, RawJson entry) {
      return switch (kind) {
        case TOOLS -> AppUris.of(entry);
        case SKILLS -> SkillNames.files(entry);
        default -> Set.of();
      };
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

    boolean isUsable() {
      return !key.isEmpty() && entry.length() <= MAX_ENTRY_BYTES && ambiguity == null;
    }
  }

  /**
   * Reads the result of the list method.
   *
   * @throws ProtocolException if it is not JSON, contains no list, or has more than {@value
   *     #MAX_ENTRIES} entries
   */
  public static ServerList parse(ListKind kind, Buffer result, long since)
      throws ProtocolException {
    RawJson whole = RawJson.checkedResult(result, LIMITS);
    RawJson list = whole.member(kind.member);
    if (list == null || !list.isArray()) {
      throw new ProtocolException(
          ProtocolException.TextFault.NOT_JSON_RPC,
          0,
          "the result has no list '" + kind.member + "'");
    }
    List<RawJson> elements = list.elements();
    if (elements.size() > MAX_ENTRIES) {
      throw new ProtocolException(
          ProtocolException.TextFault.NOT_JSON_RPC,
          0,
          "the list '" + kind.member + "' has more than " + MAX_ENTRIES + " entries");
    }
    List<Item> entries = new ArrayList<>();
    RawJson meta = whole.member("_meta");
    Set<String> mended = meta == null ? Set.of() : names(meta.member(MetaKeys.MENDED));
    for (RawJson entry : elements) {
      entries.add(Item.of(kind, entry, mended));
    }
    RawJson ttl = whole.member("ttlMs");
    RawJson scope = whole.member("cacheScope");
    return new ServerList(
        List.copyOf(entries),
        entries.stream().filter(Item::isUsable).toList(),
        meta == null ? RawJson.EMPTY_OBJECT : meta,
        frame(kind, whole),
        ttl == null ? -1 : ttl.asLong(),
        scope != null && scope.isString() && scope.asString().equals("public"),
        LoopMark.in(whole),
        since,
        false,
        false);
  }

  /** The texts of an array. */
  static Set<String> names(@Nullable RawJson names) {
    return names == null
        ? Set.of()
        : names.elements().stream()
            .filter(RawJson::isString)
            .map(RawJson::asString)
            .collect(Collectors.toUnmodifiableSet());
  }

  private static RawJson frame(ListKind kind, RawJson whole) {
    RawJson frame = whole.with(kind.member, RawJson.array(List.of())).without("nextCursor");
    if (frame.ambiguity() != null) { // one of two lists would reach clients unread
      return RawJson.EMPTY_OBJECT.with(kind.member, RawJson.array(List.of()));
    }
    RawJson meta = frame.member("_meta");
    if (meta == null || !meta.isObject()) {
      return frame;
    }
    Set<String> ours =
        meta.members().keySet().stream()
            .filter(key -> key.startsWith(MetaKeys.OURS))
            .collect(Collectors.toSet());
    if (ours.isEmpty()) {
      return frame;
    }
    RawJson rest = meta.without(ours);
    return rest.members().isEmpty() ? frame.without("_meta") : frame.with("_meta", rest);
  }

  /** The same entries, marked as stale. */
  ServerList asStale() {
    return new ServerList(entries, items, meta, frame, ttlMillis, common, via, since, true, false);
  }

  /** The same entries, until the list that the server has announced is read. */
  public ServerList asOutdated() {
    return outdated
        ? this
        : new ServerList(entries, items, meta, frame, ttlMillis, common, via, since, stale, true);
  }

  /** Whether both contain the same entries in the same order. */
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
    return !outdated && (ttlMillis < 0 || now - since < ttlMillis * 1_000_000);
  }
}
