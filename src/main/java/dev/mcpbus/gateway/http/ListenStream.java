package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.request.ListChangeTracker;
import dev.mcpbus.gateway.request.RandomNames;
import dev.mcpbus.gateway.request.WatchedResources;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.security.Principal;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One open response of {@code subscriptions/listen}, and what its client listens to. Confined to
 * the context of the HTTP verticle, as {@link ListenStreams}, which has it.
 */
final class ListenStream {

  final RawJson id;
  final HttpReply reply;
  final DirectoryView view;
  private final String principal;
  final ListChangeTracker changes;
  final WatchedResources watched;

  /** The name of this stream for the session host. */
  final String exchange;

  /** Resources of servers with which the client has a session of its own. */
  final List<JsonObject> own = new ArrayList<>();

  /** The client's URIs of those that the server has confirmed. */
  final Set<String> ownWatched = new HashSet<>();

  /** The client's ids of its tasks, by connection and the server's id. */
  final Map<SealedTaskIds.Named, String> tasks = new HashMap<>();

  /** What the server of the endpoint tells beside; null where it was not asked to. */
  @Nullable PassedListen passed;

  /** The key of the client, once its session host knows the stream. */
  @Nullable String client;

  /** The session host that has the client, once it knows the stream; empty before. */
  String host = "";

  /**
   * @param address of the HTTP verticle
   * @param id of the request, which tags every message of the stream
   */
  ListenStream(
      EventBus bus,
      String address,
      RawJson id,
      HttpReply reply,
      DirectoryView view,
      Principal principal) {
    this.id = id;
    this.reply = reply;
    this.view = view;
    this.principal = principal.name();
    CallerFacts caller = view.caller();
    CallerFacts owner = caller == null ? new CallerFacts(principal.name()) : caller;
    this.exchange = address + RandomNames.create(8);
    this.changes = new ListChangeTracker(view);
    this.watched =
        new WatchedResources(WatchedResources.shared(bus, RandomNames.create(8), () -> owner));
  }

  /** Whether a notice may reach its client. */
  boolean isFor(ServerNotice notice) {
    return notice.isFor(principal);
  }

  void tell(String method, RawJson params) {
    reply.event(null, MessageWriter.notification(method, tagged(params)));
  }

  private RawJson tagged(RawJson params) {
    RawJson meta = params.member("_meta");
    RawJson base = meta == null || !meta.isObject() ? RawJson.EMPTY_OBJECT : meta;
    return params.with("_meta", base.with(MetaKeys.SUBSCRIPTION_ID, id));
  }

  /** Ends the response with a result, so that the client sees a regular end. */
  void end() {
    end(ResultType.EMPTY);
  }

  void end(RawJson result) {
    reply.answer(200, MessageWriter.result(id, tagged(result)), null);
  }
}
