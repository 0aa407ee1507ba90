package dev.mcpbus.connection.session;

import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * What a session adds to a request's {@code _meta}: a progress token of its own, so that a caller's
 * token can never be taken for another caller's, and the caller's trace context.
 */
final class RequestMeta {

  private static final String TOKEN_PREFIX = "mcpbus-";

  private RequestMeta() {}

  /** True where {@code call} needs anything added. */
  static boolean concerns(PendingRequest call) {
    return call.progressAddress() != null || call.traceparent() != null;
  }

  /** {@code meta} with what the caller asked for, as it is where that is nothing. */
  static RawJson added(RawJson meta, long id, PendingRequest call) {
    RawJson all = meta;
    if (call.progressAddress() != null) {
      all = all.with(MetaKeys.PROGRESS_TOKEN, RawJson.string(TOKEN_PREFIX + id));
    }
    String trace = call.traceparent();
    return trace == null ? all : all.with(MetaKeys.TRACEPARENT, RawJson.string(trace));
  }

  /**
   * Without what a caller of the other era says of himself: a server that speaks both would take
   * the request for one of that era.
   */
  static RawJson withoutModern(RawJson meta) {
    return meta.without(MetaKeys.PROTOCOL_VERSION)
        .without(MetaKeys.CLIENT_CAPABILITIES)
        .without(MetaKeys.CLIENT_INFO)
        .without(MetaKeys.LOG_LEVEL);
  }

  /** True for a token that only we can have given. */
  static boolean isOurs(@Nullable RawJson token) {
    return token != null && token.isString() && token.asString().startsWith(TOKEN_PREFIX);
  }

  /** Our id of the request that a progress token belongs to, -1 where it is none of ours. */
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
