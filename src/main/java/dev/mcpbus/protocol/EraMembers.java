package dev.mcpbus.protocol;

import java.util.Set;
import java.util.stream.Collectors;

/**
 * The members of results and notifications that only one era of MCP knows. A gateway takes them out
 * for a client of the other era: they say nothing to it, or something else. All other members,
 * unknown ones too, keep their bytes. Stateless.
 */
public final class EraMembers {

  /** Of results (MCP 2026-07-28, Multi Round-Trip Requests and Caching). */
  private static final Set<String> DISCOVER = Set.of(ResultType.MEMBER, "ttlMs", "cacheScope");

  /** Of {@code _meta} (MCP 2026-07-28, Per-request protocol fields). */
  private static final Set<String> DISCOVER_META =
      Set.of(
          MetaKeys.SERVER_INFO,
          MetaKeys.SUBSCRIPTION_ID,
          MetaKeys.PROTOCOL_VERSION,
          MetaKeys.CLIENT_INFO,
          MetaKeys.CLIENT_CAPABILITIES,
          MetaKeys.LOG_LEVEL);

  /** The same, of messages that MCP does not define: there a subscription is any request. */
  private static final Set<String> DISCOVER_META_UNKNOWN =
      DISCOVER_META.stream()
          .filter(key -> !key.equals(MetaKeys.SUBSCRIPTION_ID))
          .collect(Collectors.toUnmodifiableSet());

  /** Of {@code _meta} (MCP 2025-11-25, Tasks). */
  private static final Set<String> INITIALIZE_META = Set.of(MetaKeys.RELATED_TASK);

  private EraMembers() {}

  /** A result of a {@code discover} server for a client of the {@code initialize} era. */
  public static RawJson resultForInitialize(RawJson result) {
    return withMeta(result, DISCOVER, DISCOVER_META);
  }

  /** As {@link #resultForInitialize}, of a method that MCP does not define. */
  public static RawJson unknownForInitialize(RawJson result) {
    return withMeta(result, DISCOVER, DISCOVER_META_UNKNOWN);
  }

  /** The params of a server's notification for a client of the {@code initialize} era. */
  public static RawJson paramsForInitialize(String method, RawJson params) {
    return withMeta(
        params, Set.of(), Methods.isKnown(method) ? DISCOVER_META : DISCOVER_META_UNKNOWN);
  }

  /**
   * A result, or the params of a notification, of a server of the {@code initialize} era for a
   * client of the {@code discover} era.
   */
  public static RawJson forDiscover(RawJson value) {
    return withMeta(value, Set.of(), INITIALIZE_META);
  }

  /** A {@code _meta} that has nothing left is taken out, too. */
  @SuppressWarnings("ReferenceEquality") // what lost nothing is the same object
  private static RawJson withMeta(RawJson value, Set<String> members, Set<String> keys) {
    if (!value.isObject()) {
      return value;
    }
    RawJson known = value.indexed();
    RawJson meta = known.member("_meta");
    RawJson left = meta == null || !meta.isObject() ? meta : meta.without(keys);
    RawJson rest = known;
    if (left != null && left != meta) {
      rest = left.members().isEmpty() ? known.without("_meta") : known.with("_meta", left);
    }
    return rest.without(members);
  }
}
