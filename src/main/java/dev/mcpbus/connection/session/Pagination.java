package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.protocol.Quirks;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Requests the pages of a list by {@code nextCursor} (MCP 2025-11-25, Pagination). A list of one
 * page keeps the bytes that arrived; several pages are joined without parsing their items. The list
 * ends with what there is where a cursor leads nowhere new ({@link Quirk#STUCK_CURSOR}). Too many
 * pages or too many bytes end it with {@code PROTOCOL_ERROR}. Owner: the connection's context.
 */
public final class Pagination {

  /** What a list may say beside its items: one that says nothing else is an empty one. */
  private static final Set<String> BESIDE =
      Set.of("_meta", "nextCursor", ResultType.MEMBER, "ttlMs", "cacheScope");

  private static final RawJson NO_ITEMS = RawJson.of("[]");

  /** A cursor like any other, and the word by which many servers say that there is no page more. */
  private static final RawJson EMPTY = RawJson.of("\"\"");

  private final String key;
  private final ConnectionOptions options;
  private final Quirks quirks;
  private final Function<RawJson, Future<RawJson>> fetch;
  private final Set<String> seen = new HashSet<>();
  private final List<RawJson> pages = new ArrayList<>();

  /** The items of the pages: a page that comes again is from a server that reads no cursor. */
  private final Set<RawJson> arrays = new LinkedHashSet<>();

  private final RawJson first;
  private boolean anew;
  private int read;
  private long bytes;

  private Pagination(
      String key,
      RawJson first,
      ConnectionOptions options,
      Quirks quirks,
      Function<RawJson, Future<RawJson>> fetch) {
    this.key = key;
    this.first = first;
    this.options = options;
    this.quirks = quirks;
    this.fetch = fetch;
  }

  /**
   * Collects all pages.
   *
   * @param key the member that holds the items, such as {@code tools}
   * @param quirks says what is tolerated of the server
   * @param fetch requests one page, given the params
   */
  public static Future<RawJson> all(
      String key,
      RawJson params,
      ConnectionOptions options,
      Quirks quirks,
      Function<RawJson, Future<RawJson>> fetch) {
    return new Pagination(key, params, options, quirks, fetch).next(params);
  }

  private Future<RawJson> next(RawJson params) {
    return fetch
        .apply(params)
        .compose(page -> took(params, page), failure -> refused(params.member("cursor"), failure));
  }

  /**
   * A server may refuse the cursor that it gave itself: one that has expired, as after a change of
   * its list, or one behind the last page. The first is gone when the list begins anew.
   */
  private Future<RawJson> refused(@Nullable RawJson cursor, Throwable failure) {
    boolean isEmpty = EMPTY.equals(cursor);
    boolean isInvalid = McpFailure.of(failure).isUpstream(JsonRpcError.INVALID_PARAMS);
    if (pages.isEmpty() || !(isEmpty || isInvalid)) {
      return Future.failedFuture(failure);
    }
    if (!isEmpty && !anew) {
      anew = true;
      seen.clear();
      pages.clear();
      arrays.clear();
      return next(first);
    }
    return quirks.tolerates(Quirk.STUCK_CURSOR)
        ? Future.succeededFuture(join().without("nextCursor"))
        : Future.failedFuture(failure);
  }

  private Future<RawJson> took(RawJson params, RawJson page) {
    RawJson items = page.member(key);
    boolean none = items == null && saysNothing(page) && quirks.tolerates(Quirk.NO_ARRAY);
    if (!none && (items == null || !items.isArray())) {
      return broken("a page has no array \"" + key + "\"");
    }
    RawJson known = none ? page.with(key, NO_ITEMS) : page;
    RawJson array = items == null ? NO_ITEMS : items;
    boolean again = !arrays.add(array) && !array.elements().isEmpty();
    if (!again) {
      pages.add(known);
    }
    read++;
    bytes += page.length();
    RawJson cursor = page.member("nextCursor");
    if (cursor == null) {
      return Future.succeededFuture(join());
    }
    boolean isCursor = cursor.isString() || cursor.isNumber();
    if (again || !isCursor || !seen.add(cursor.toString())) {
      return quirks.tolerates(Quirk.STUCK_CURSOR)
          ? Future.succeededFuture(join().without("nextCursor"))
          : broken("nextCursor " + abbreviate(cursor) + " leads to no page that is new");
    }
    if (read >= options.maxPages() || bytes > options.limits().maxBytes()) {
      return broken("the list does not end after " + read + " pages");
    }
    return next(params.with("cursor", cursor));
  }

  /** Whether a page without items says nothing else either; an odd answer is no empty list. */
  private boolean saysNothing(RawJson page) {
    Set<String> members = page.members().keySet();
    return members.contains(key) || BESIDE.containsAll(members);
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
    for (RawJson array : arrays) {
      String text = array.toString();
      String inner = text.substring(1, text.length() - 1);
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
