package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * Requests the pages of a list by {@code nextCursor} (MCP 2025-11-25, Pagination). A list of one
 * page keeps the bytes that arrived; several pages are joined without parsing their items. A cursor
 * that repeats, too many pages or too many bytes end it with {@code PROTOCOL_ERROR}. Owner: the
 * connection's context.
 */
public final class Pagination {

  private final String key;
  private final int maxPages;
  private final Function<RawJson, Future<RawJson>> fetch;
  private final Set<String> seen = new HashSet<>();
  private final List<RawJson> pages = new ArrayList<>();
  private long bytes;

  private Pagination(String key, int maxPages, Function<RawJson, Future<RawJson>> fetch) {
    this.key = key;
    this.maxPages = maxPages;
    this.fetch = fetch;
  }

  /**
   * Collects all pages.
   *
   * @param key the member that holds the items, such as {@code tools}
   * @param fetch requests one page, given the params
   */
  public static Future<RawJson> all(
      String key,
      RawJson params,
      ConnectionOptions options,
      Function<RawJson, Future<RawJson>> fetch) {
    return new Pagination(key, options.maxPages(), fetch).next(params, options);
  }

  private Future<RawJson> next(RawJson params, ConnectionOptions options) {
    return fetch
        .apply(params)
        .compose(
            page -> {
              pages.add(page);
              bytes += page.length();
              RawJson items = page.member(key);
              if (items == null || !items.isArray()) {
                return broken("a page has no array \"" + key + "\"");
              }
              RawJson cursor = page.member("nextCursor");
              if (cursor == null || cursor.isNull()) {
                return Future.succeededFuture(join());
              }
              if (!cursor.isString() || !seen.add(cursor.toString())) {
                return broken("nextCursor " + abbreviate(cursor) + " repeats or is no string");
              }
              if (pages.size() >= maxPages || bytes > options.limits().maxBytes()) {
                return broken("the list does not end after " + pages.size() + " pages");
              }
              return next(params.with("cursor", cursor), options);
            });
  }

  private Future<RawJson> broken(String what) {
    return Future.failedFuture(
        McpFailure.maybeSent(FailureCode.PROTOCOL_ERROR, "listing " + key + ": " + what));
  }

  private static String abbreviate(RawJson cursor) {
    String text = cursor.toString();
    return text.length() > 60 ? text.substring(0, 60) + "..." : text;
  }

  private RawJson join() {
    if (pages.size() == 1) {
      return pages.get(0);
    }
    StringBuilder items = new StringBuilder("[");
    for (RawJson page : pages) {
      String array = String.valueOf(page.member(key));
      String inner = array.substring(1, array.length() - 1);
      if (!inner.isBlank()) {
        items.append(items.length() > 1 ? "," : "").append(inner);
      }
    }
    byte[] joined = items.append(']').toString().getBytes(StandardCharsets.UTF_8);
    RawJson all =
        pages.get(0).with(key, RawJson.slice(joined, 0, joined.length)).without("nextCursor");
    // The joined list is fresh until the first page goes stale.
    return all.member("ttlMs") == null
        ? all
        : all.with("ttlMs", RawJson.of(Long.toString(shortestTtl())));
  }

  private long shortestTtl() {
    return pages.stream().mapToLong(ResultCache::freshFor).min().orElse(0);
  }
}
