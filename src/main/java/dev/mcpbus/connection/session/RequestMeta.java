package dev.mcpbus.connection.session;

import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * What a session adds to a request's {@code _meta}: the caller's trace context, and a progress
 * token of our own, so that two callers never have the same one. Pure.
 */
final class RequestMeta {

  private static final String TOKEN_PREFIX = "mcpbus-";

  private RequestMeta() {}

  /**
   * {@code meta} with the additions that {@code call} needs; the same object where it needs none.
   */
  static RawJson added(RawJson meta, long id, PendingRequest call, @Nullable TraceContext trace) {
    RawJson all = meta;
    if (call.progressAddress() != null) {
      all = all.with(MetaKeys.PROGRESS_TOKEN, token(id));
    }
    return trace == null ? all : trace.into(all);
  }

  /**
   * {@code meta} without the members by which a caller of the {@code discover} era describes
   * itself: a server of both eras would take the request for one of that era.
   */
  static RawJson withoutDiscoverMembers(RawJson meta) {
    return meta.without(MetaKeys.DESCRIBING);
  }

  /** Our token of the request. */
  static RawJson token(long id) {
    return RawJson.string(TOKEN_PREFIX + id);
  }

  /** True for a token that this class made. */
  static boolean isOurs(@Nullable RawJson token) {
    return token != null && token.isString() && token.asString().startsWith(TOKEN_PREFIX);
  }

  /** Our id of the request with this progress token, -1 where the token is not ours. */
  static long requestOf(@Nullable RawJson token) {
    if (token == null || !token.isString()) {
      return -1;
    }
    String text = token.asString();
    return text.startsWith(TOKEN_PREFIX)
        ? RawJson.of(text.substring(TOKEN_PREFIX.length())).asLong()
        : -1;
  }
}
