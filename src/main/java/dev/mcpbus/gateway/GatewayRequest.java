package dev.mcpbus.gateway;

import dev.mcpbus.bus.CallCancellation;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ListKind;
import dev.mcpbus.directory.ViewList;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One request of a client on its way. Confined to the context of whoever made it. */
final class GatewayRequest {

  private static final long LIST_PATIENCE_NANOS = 2_000_000_000L;

  /** Has a call answered in another way than by its server's connection. */
  @FunctionalInterface
  interface Delegate {
    @Nullable Future<RawJson> call(String server, String suffix, RawJson params);
  }

  private final DirectoryView view;
  private final String method;
  private final RawJson params;
  private final boolean modern;
  private final String callId;
  private final DeliveryOptions options;
  private Function<ConnectionId, Future<ConnectionId>> upstreams = Future::succeededFuture;
  private BiFunction<String, RawJson, RawJson> adapter = (server, params) -> params;
  private @Nullable BiConsumer<ViewList.Target, RawJson> check;
  private @Nullable Delegate delegate;
  private @Nullable SessionLists lists;
  private @Nullable ConnectionId at;
  private @Nullable Runnable gone;
  private final long since = System.nanoTime();
  private @Nullable String server;
  private @Nullable String item;
  private boolean denied;
  private boolean complete;
  private boolean cancelled;

  /**
   * @param callId under which the connection finds it
   */
  GatewayRequest(DirectoryView view, String method, RawJson params, boolean modern, String callId) {
    this.view = view;
    this.method = method;
    this.params = params;
    this.modern = modern;
    this.callId = callId;
    this.options =
        CallHeaders.of(callId, CallDeadline.NONE, CallDeadline.Layer.CALLER)
            .setCodecName(Codecs.SHARED);
  }

  /** What comes of it belongs to him. */
  GatewayRequest from(Principal principal) {
    requester(principal).sign(options);
    return this;
  }

  /** As the bus knows him. */
  static Requester requester(Principal principal) {
    return new Requester(principal.name(), principal.admin());
  }

  GatewayRequest header(String name, String value) {
    options.addHeader(name, value);
    return this;
  }

  /** Which connection answers for a server; the shared one where nothing is said. */
  GatewayRequest through(Function<ConnectionId, Future<ConnectionId>> chosen) {
    upstreams = chosen;
    return this;
  }

  /** What a server gets instead of the client's params. */
  GatewayRequest adapted(BiFunction<String, RawJson, RawJson> to) {
    adapter = to;
    return this;
  }

  /** Runs when nobody wants the answer any more. */
  void onCancel(Runnable step) {
    gone = step;
  }

  /** Another way to have the call answered; gives null where the common way is right. */
  GatewayRequest delegated(Delegate to) {
    delegate = to;
    return this;
  }

  /** Which lists its client sees; those of everybody where nothing is said. */
  GatewayRequest seeing(SessionLists own) {
    lists = own;
    return this;
  }

  /** What its client sees of {@code shared}. */
  DirectorySnapshot seen(DirectorySnapshot shared) {
    return lists == null ? shared : lists.over(shared);
  }

  /** Completes when its client's own lists of that kind are known, or have had time enough. */
  Future<Void> listed(ListKind kind) {
    return lists == null
        ? Future.succeededFuture()
        : lists.ready(List.of(kind), LIST_PATIENCE_NANOS);
  }

  /** Looks at a call once it is known where it goes; throws what it has against it. */
  GatewayRequest checked(BiConsumer<ViewList.Target, RawJson> against) {
    check = against;
    return this;
  }

  DirectoryView view() {
    return view;
  }

  String method() {
    return method;
  }

  RawJson params() {
    return params;
  }

  boolean isModern() {
    return modern;
  }

  String callId() {
    return callId;
  }

  DeliveryOptions options() {
    return options;
  }

  void check(ViewList.Target target) {
    if (check != null) {
      check.accept(target, params);
    }
  }

  @Nullable Future<RawJson> delegate(String server, String suffix, RawJson given) {
    return delegate == null ? null : delegate.call(server, suffix, given);
  }

  RawJson adapt(String server, RawJson given) {
    return adapter.apply(server, given);
  }

  /** What it turned out to be about; for the audit log. */
  void about(@Nullable String which, String what) {
    server = which;
    item = what;
  }

  /** Its result is complete, but does not say so itself. */
  void stateComplete() {
    complete = true;
  }

  boolean isToStateComplete() {
    return complete;
  }

  /** Policies keep this client from what it asks for. */
  void deny() {
    denied = true;
  }

  @Nullable String server() {
    return server;
  }

  @Nullable String item() {
    return item;
  }

  boolean isDenied() {
    return denied;
  }

  long since() {
    return since;
  }

  /** Where it was sent to; null before. */
  @Nullable ConnectionId at() {
    return at;
  }

  /** True where it was sent to that connection. */
  boolean isAt(String connection) {
    return at != null && at.value().equals(connection);
  }

  Future<ConnectionId> upstream(ConnectionId server) {
    return upstreams.apply(server);
  }

  /** It is about to be sent; false where nobody wants the answer any more. */
  boolean send(ConnectionId connection) {
    at = connection;
    return !cancelled;
  }

  /** Nobody wants the answer any more. Idempotent. */
  void cancel(Vertx vertx) {
    if (!cancelled && at != null) {
      CallCancellation.publish(vertx, at, callId);
    }
    if (!cancelled && gone != null) {
      gone.run();
    }
    cancelled = true;
  }

  /**
   * A member of params that must be a string.
   *
   * @throws McpFailure with the error that the client gets
   */
  static String text(RawJson params, String member) {
    RawJson value = params.member(member);
    if (value == null || !value.isString()) {
      throw McpErrors.invalidParams("\"" + member + "\" must be a string");
    }
    return value.asString();
  }
}
