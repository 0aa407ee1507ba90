package dev.mcpbus.connection.tools;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ToolPolicy;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.InternalRequest;
import dev.mcpbus.connection.session.Pagination;
import dev.mcpbus.connection.session.ResultCache;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.session.WaitingCalls;
import dev.mcpbus.connection.session.WorkerThreshold;
import dev.mcpbus.internals.OwnContext;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The list of one session's tools: read, kept, and compared with its pins. {@link ToolCallPipeline}
 * holds calls to it. Owner: the connection's context.
 */
public final class SessionTools {

  private final Session session;
  private final DriftWatch watch;
  private final WaitingCalls waiting;
  private @Nullable RawJson source;
  private @Nullable ToolTable table;
  private @Nullable ToolTable shown;
  private @Nullable ToolTable shownOf;
  private long shownAt;
  private @Nullable Future<ToolTable> loading;
  private boolean stale;
  private boolean tried;
  private long freshUntil;

  public SessionTools(Session session, DriftWatch watch) {
    this.session = session;
    this.watch = watch;
    this.waiting = new WaitingCalls(session);
  }

  /** Where calls wait for {@link #load}. */
  public WaitingCalls waiting() {
    return waiting;
  }

  /** The kept list, or null before the first was read. */
  public @Nullable ToolTable table() {
    return table;
  }

  /**
   * Asks the server. One request at a time: whoever asks meanwhile gets the same answer, and a
   * change that is announced meanwhile leads to one more. A failure keeps the last good list.
   */
  public Future<ToolTable> load() {
    if (loading != null) {
      return loading;
    }
    // Of the context, so that an exception of one who waits is reported there.
    Promise<ToolTable> promise = OwnContext.promise(session.vertx());
    loading = promise.future();
    stale = false;
    long since = session.clock().millis();
    fetch()
        .compose(list -> read(list).onSuccess(read -> keep(list, read, since)))
        .onComplete(
            result -> {
              loading = null;
              if (stale) {
                load().onComplete(promise);
              } else {
                tried = true;
                promise.handle(result);
                announceDrift();
              }
            });
    return promise.future();
  }

  /**
   * From here on calls are held to {@code read}: it was compared with its pins before. What an
   * ended session said late may be older than the next one's list.
   */
  private void keep(RawJson list, ToolTable read, long since) {
    if (session.isOver()) {
      return;
    }
    watch.seen(read.definitions());
    source = list;
    table = read;
    freshUntil = since + ResultCache.freshFor(read.list());
  }

  /** Whoever follows events learns of a change that no notification announced. */
  private void announceDrift() {
    if (table != null) {
      watch.announceDrift(table);
    }
  }

  /** The same bytes are the same tools; what is long is read on a worker. */
  private Future<ToolTable> read(RawJson list) {
    if (table != null && list.equals(source)) {
      return Future.succeededFuture(table);
    }
    boolean mirrors = mirrors();
    return WorkerThreshold.isExceededBy(list)
        ? session.vertx().executeBlocking(() -> ToolTable.of(list, policy(), mirrors), false)
        : Future.succeededFuture(list).map(text -> ToolTable.of(text, policy(), mirrors));
  }

  /** What callers may see of a list: no tool that is quarantined. */
  public ToolTable shown(ToolTable all) {
    DefinitionPins pins = watch.pins();
    if (!pins.isActive()) {
      return all;
    }
    ToolTable known = shown;
    if (known != null && shownOf == all && shownAt == pins.generation()) {
      return known;
    }
    pins.firstSight(all.definitions());
    Set<String> quarantined = pins.quarantined(all.definitions());
    ToolTable made = quarantined.isEmpty() ? all : all.without(quarantined);
    shown = made;
    shownOf = all;
    shownAt = pins.generation();
    return made;
  }

  /** One page, as the caller's cursor says. */
  public void page(BusCall call) {
    InternalRequest page = new InternalRequest(Methods.TOOLS_LIST, call.deadline(), call.callId());
    session.send(page, call.params());
    page.future()
        .compose(this::read)
        .onComplete(
            read -> call.attempt(() -> call.complete(shown(read).list())),
            failure -> call.fail(McpFailure.of(failure)));
  }

  /** Asks the server and keeps nothing. */
  public Future<ToolTable> bypass() {
    return fetch().compose(this::read);
  }

  private Future<RawJson> fetch() {
    return Pagination.all(
        "tools",
        RawJson.EMPTY_OBJECT,
        session.options(),
        params -> session.request(Methods.TOOLS_LIST, params, session.options().requestTimeout()));
  }

  private ToolPolicy policy() {
    return session.options().tools();
  }

  private boolean mirrors() {
    return session.era().era() == Era.DISCOVER && session.hasRequestStreams();
  }

  /** The server said that its tools have changed: nothing kept is fresh. */
  public void expire() {
    freshUntil = 0;
  }

  /** Asks the server, and once more where a list is under way that may be older. */
  public Future<ToolTable> changed() {
    stale = true;
    expire();
    return load();
  }

  /** True until the server has listed its tools, or failed to. */
  boolean isFirstReading() {
    return table == null && loading != null && !tried;
  }

  /** The kept list where there is one, else the server's. */
  public Future<ToolTable> current() {
    return table == null ? load() : Future.succeededFuture(table);
  }

  /** The kept list while the server calls it fresh, else the server's. */
  public Future<ToolTable> fresh() {
    return table != null && session.clock().millis() < freshUntil
        ? Future.succeededFuture(table)
        : load();
  }

  /**
   * Why the tool must not be called, null where it may: {@code FORBIDDEN} while quarantined, {@code
   * UNKNOWN_TOOL} where the server's entry keeps it away.
   */
  @Nullable McpFailure refusal(String tool) {
    if (!policy().admits(tool)) {
      return unknown(tool);
    }
    return watch.refusal(tool, table == null ? null : table.definitions());
  }

  static McpFailure unknown(String tool) {
    return McpFailure.notSent(
        FailureCode.UNKNOWN_TOOL,
        "the server offers no tool '" + tool + "'; ask tools.list for the names");
  }
}
