package dev.mcpbus.connection.session;

import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps lists and resources, by method and params, for as long as the server calls them fresh
 * ({@code ttlMs}; MCP 2026-07-28, Caching). A cache lives as long as its session, within one
 * authorization context, so {@code cacheScope} makes no difference. Bounded; it drops the least
 * recently used entry first. Owner: the connection's context.
 */
public final class ResultCache {

  private static final int MAX_ENTRIES = 512;
  private static final long MAX_BYTES = 16L * 1024 * 1024;

  private record ResultKey(String method, RawJson params) {}

  private record CachedResult(RawJson result, long until) {}

  private final Clock clock;
  private final Map<ResultKey, CachedResult> entries = new LinkedHashMap<>(16, 0.75f, true);
  private long bytes;
  private long generation;

  public ResultCache(Clock clock) {
    this.clock = clock;
  }

  /** How long a result is fresh, in milliseconds; zero where the server does not say. */
  public static long freshFor(RawJson result) {
    RawJson ttl = result.member("ttlMs");
    return ttl == null ? 0 : Math.max(0, ttl.asLong());
  }

  /** Rises with each notification that makes results stale, those of requests in flight too. */
  public long generation() {
    return generation;
  }

  /** The kept result if it is still fresh, else null. */
  public @Nullable RawJson fresh(String method, RawJson params) {
    CachedResult entry = entries.get(new ResultKey(method, params));
    return entry != null && clock.millis() < entry.until() ? entry.result() : null;
  }

  /**
   * Keeps a result if the server calls it fresh, and has not called anything stale meanwhile.
   *
   * @param since when the request was sent, on the connection's clock
   * @param before {@link #generation} when the request was sent
   */
  public void keep(String method, RawJson params, RawJson result, long since, long before) {
    ResultKey key = new ResultKey(method, params);
    CachedResult old = entries.remove(key);
    bytes -= old == null ? 0 : old.result().length();
    long ttl = freshFor(result);
    if (ttl == 0 || before != generation || result.length() > MAX_BYTES) {
      return;
    }
    entries.put(key, new CachedResult(result, since + ttl));
    bytes += result.length();
    Iterator<CachedResult> oldest = entries.values().iterator();
    while (entries.size() > MAX_ENTRIES || bytes > MAX_BYTES) {
      bytes -= oldest.next().result().length();
      oldest.remove();
    }
  }

  /** Drops the results that a notification of the server makes stale. */
  public void dropStale(String method, RawJson params) {
    switch (method) {
      case Methods.PROMPTS_CHANGED -> drop(key -> key.method().equals(Methods.PROMPTS_LIST));
      case Methods.RESOURCES_CHANGED -> drop(key -> !key.method().equals(Methods.PROMPTS_LIST));
      case Methods.RESOURCE_UPDATED -> {
        RawJson uri = params.member("uri");
        drop(
            key ->
                key.method().equals(Methods.RESOURCES_READ)
                    && uri != null
                    && uri.equals(key.params().member("uri")));
      }
      default -> {}
    }
  }

  private void drop(Predicate<ResultKey> stale) {
    generation++;
    Iterator<Map.Entry<ResultKey, CachedResult>> all = entries.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<ResultKey, CachedResult> one = all.next();
      if (stale.test(one.getKey())) {
        bytes -= one.getValue().result().length();
        all.remove();
      }
    }
  }
}
