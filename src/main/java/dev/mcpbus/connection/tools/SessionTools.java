package dev.mcpbus.connection.tools;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ToolPolicy;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.InternalRequest;
import dev.mcpbus.connection.session.Pagination;
import dev.mcpbus.connection.session.ResultCache;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.session.WorkerThreshold;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.NearWords;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The list of tools of one session: requests it, keeps it, and has {@link DriftWatch} compare it
 * with the last list and the pins. {@link ToolCallPipeline} checks calls against the kept list.
 * Owner: the connection's context.
 */
public final class SessionTools {

  private final Session session;
  private final DriftWatch watch;
  private @Nullable RawJson source;
  private @Nullable ToolTable table;
  private @Nullable ToolTable shown;
  private @Nullable ToolTable shownOf;
  private long shownAt;
  private @Nullable Future<ToolTable> loading;

  /** The list that is requested as soon as the running request has ended; null for none. */
  private @Nullable Promise<ToolTable> next;

  /** Whether the server has announced another list since the running request was sent. */
  private boolean outdated;

  private boolean tried;

  /** Whether the server has said that its list is another one since the last list. */
  private boolean announced;

  private long freshUntil;

  public SessionTools(Session session, DriftWatch watch) {
    this.session = session;
    this.watch = watch;
  }

  /** The kept list, null before the first one. */
  public @Nullable ToolTable table() {
    return table;
  }

  /**
   * Requests the list. At most one request runs: calls of this method share its answer. If the
   * server has announced a change since the request was sent, they share that of the next one, so
   * that no caller gets a list that is older than an announcement. After a failure the last good
   * list stays.
   */
  public Future<ToolTable> load() {
    Future<ToolTable> running = loading;
    if (running == null) {
      // A promise of the context: an exception of a listener is reported there.
      return request(InternalContext.promise(session.vertx()));
    }
    if (!outdated) {
      return running;
    }
    Promise<ToolTable> behind = next;
    if (behind == null) {
      behind = InternalContext.promise(session.vertx());
      next = behind;
    }
    return behind.future();
  }

  private Future<ToolTable> request(Promise<ToolTable> promise) {
    loading = promise.future();
    outdated = false;
    long since = session.clock().millis();
    fetch()
        .compose(list -> read(list).onSuccess(read -> keep(list, read, since)))
        .onComplete(
            result -> {
              Promise<ToolTable> behind = next;
              loading = null;
              next = null;
              tried = true;
              if (behind != null) {
                request(behind);
              }
              promise.handle(result);
              announceDrift();
            });
    return promise.future();
  }

  /**
   * Keeps {@code read} after its comparison with the pins; later calls are checked against it.
   * Ignores the list of a session that has ended: the next session may have a newer one already.
   */
  private void keep(RawJson list, ToolTable read, long since) {
    if (session.isOver()) {
      return;
    }
    watch.seen(read.definitions(), announced);
    announced = outdated;
    source = list;
    table = read;
    freshUntil = outdated ? 0 : since + ResultCache.freshFor(read.list());
  }

  /** Publishes a change that the server did not announce by a notification. */
  private void announceDrift() {
    if (table != null) {
      watch.announceDrift(table);
    }
  }

  /** Reads a list; on a worker if it is long. The same bytes give the kept table. */
  private Future<ToolTable> read(RawJson list) {
    if (table != null && list.equals(source)) {
      return Future.succeededFuture(table);
    }
    return WorkerThreshold.isExceededBy(list)
        ? session.vertx().executeBlocking(() -> table(list), false)
        : Future.succeededFuture(list).map(this::table);
  }

  private ToolTable table(RawJson list) {
    return ToolTable.of(list, policy(), mirrors(), session.era().era(), session.quirks());
  }

  /** The list for callers: {@code all} without the quarantined tools. */
  public ToolTable shown(ToolTable all) {
    DefinitionPins pins = watch.pins();
    if (!pins.isActive()) {
      return all;
    }
    ToolTable known = shown;
    if (known != null && shownOf == all && shownAt == pins.generation()) {
      return known;
    }
    pins.pinNew(all.definitions());
    Set<String> quarantined = pins.quarantined(all.definitions());
    ToolTable made = quarantined.isEmpty() ? all : all.without(quarantined);
    shown = made;
    shownOf = all;
    shownAt = pins.generation();
    return made;
  }

  /** Answers with the page that the caller's cursor names. */
  public void page(BusCall call) {
    page(call, call.params())
        .compose(this::read)
        .onComplete(
            read -> call.attempt(() -> call.complete(shown(read).list())),
            failure -> call.fail(McpFailure.of(failure)));
  }

  private Future<RawJson> page(BusCall call, RawJson params) {
    InternalRequest page = InternalRequest.page(Methods.TOOLS_LIST, call);
    session.send(page, params);
    return page.future();
  }

  /** Requests the list with the caller's params and does not keep it. */
  public Future<ToolTable> asked(BusCall call) {
    return pages(call.params(), params -> page(call, params)).compose(this::read);
  }

  /** Requests the list and does not keep it. */
  public Future<ToolTable> bypass() {
    return fetch().compose(this::read);
  }

  private Future<RawJson> fetch() {
    return pages(
        RawJson.EMPTY_OBJECT,
        params -> session.request(Methods.TOOLS_LIST, params, session.options().requestTimeout()));
  }

  private Future<RawJson> pages(RawJson params, Function<RawJson, Future<RawJson>> fetch) {
    return Pagination.all("tools", params, session.options(), session.quirks(), fetch);
  }

  private ToolPolicy policy() {
    return session.options().tools();
  }

  private boolean mirrors() {
    return session.era().era() == Era.DISCOVER && session.hasRequestStreams();
  }

  /** The server says that its tools have changed: the kept list is not fresh any more. */
  public void expire() {
    announced = true;
    outdated = true;
    freshUntil = 0;
  }

  /** Requests the list after a change; once more if a request is in flight, which may be older. */
  public Future<ToolTable> changed() {
    expire();
    return load();
  }

  /** True during the first request of the session, until it has succeeded or failed. */
  boolean isFirstReading() {
    return table == null && loading != null && !tried;
  }

  /** The kept list; without one, and after the server has announced another, the server's. */
  public Future<ToolTable> current() {
    return table == null || announced ? load() : Future.succeededFuture(table);
  }

  /** The kept list while the server calls it fresh; after that, the server's. */
  public Future<ToolTable> fresh() {
    return table != null && session.clock().millis() < freshUntil
        ? Future.succeededFuture(table)
        : load();
  }

  /**
   * The failure if the tool must not be called, else null: {@code FORBIDDEN} for a quarantined
   * tool, {@code UNKNOWN_TOOL} for one that the server's entry leaves out ({@link ToolPolicy}).
   */
  @Nullable McpFailure refusal(String tool) {
    if (!policy().admits(tool)) {
      return unknown(tool);
    }
    return watch.refusal(tool, table == null ? null : table.definitions());
  }

  /** The failure of a call of a tool that callers do not see; names those that they may mean. */
  McpFailure unknown(String tool) {
    String near = table == null ? "" : NearWords.question(tool, shown(table).names());
    return McpFailure.notSent(
        FailureCode.UNKNOWN_TOOL,
        "the server offers no tool '"
            + tool
            + "'"
            + (near.isEmpty() ? "; ask tools.list for the names" : near));
  }
}
