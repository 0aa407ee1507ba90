package dev.mcpbus.connection;

import dev.mcpbus.protocol.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * What a session adds to a request's {@code _meta}: a progress token of its own, so that a caller's
 * token can never be taken for another caller's, and the caller's trace context.
 */
final class RequestMeta {

  private static final String TOKEN_PREFIX = "mcpbus-";

  private RequestMeta() {}

  /** {@code params} as they are where the caller asked for neither. */
  static @Nullable RawJson added(@Nullable RawJson params, long id, Pending call) {
    boolean progress = call.progressAddress() != null;
    String trace = call.traceparent();
    if (!progress && trace == null) {
      return params;
    }
    RawJson base = params == null ? RawJson.EMPTY_OBJECT : params;
    RawJson present = base.member("_meta");
    RawJson meta = present == null || !present.isObject() ? RawJson.EMPTY_OBJECT : present;
    if (progress) {
      meta = meta.with("progressToken", RawJson.string(TOKEN_PREFIX + id));
    }
    if (trace != null) {
      meta = meta.with("traceparent", RawJson.string(trace));
    }
    return base.with("_meta", meta);
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
