package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.directory.ViewUris;
import dev.mcpbus.gateway.dialect.TaskForms;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.HostMessage.GoneMessage;
import dev.mcpbus.gateway.request.HostMessage.ListenMessage;
import dev.mcpbus.gateway.request.HostMessage.StatedClient;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.RequestRouter;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.TaskId;
import dev.mcpbus.security.Principal;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The open responses of {@code subscriptions/listen} (MCP 2026-07-28). A stream ends with its HTTP
 * verticle, and the client opens a new one. Confined to the context of the HTTP verticle.
 */
final class ListenStreams {

  private static final RawJson TRUE = RawJson.of("true");
  private static final int MAX_URIS = 1_000;

  /** Most bytes of so many URIs. */
  private static final int MAX_LIST = 1024 * 1024;

  private static final long PATIENCE_SECONDS = 5;

  /** Where the server has no words of its own; "_meta" is at the end, where servers write it. */
  private static final RawJson NO_WORDS = RawJson.of("{\"notifications\":{},\"_meta\":{}}");

  private final Vertx vertx;
  private final Directory directory;
  private final RequestRouter router;
  private final OpenReplies replies;
  private final DiscoverTasks tasks;
  private final SessionHostNames hostNames;
  private final ClientHosts clients;
  private final String address;
  private final Set<ListenStream> open = new HashSet<>();

  /** Those that session hosts know, by {@code exchange}. */
  private final Map<String, ListenStream> atHosts = new HashMap<>();

  /** Those with a {@link PassedListen}, by its call id. */
  private final Map<String, ListenStream> atServers = new HashMap<>();

  /**
   * @param address of the HTTP verticle, for what session hosts send
   */
  ListenStreams(
      Vertx vertx,
      Directory directory,
      RequestRouter router,
      OpenReplies replies,
      DiscoverTasks tasks,
      SessionHostNames hostNames,
      ClientHosts clients,
      String address) {
    this.vertx = vertx;
    this.directory = directory;
    this.router = router;
    this.replies = replies;
    this.tasks = tasks;
    this.hostNames = hostNames;
    this.clients = clients;
    this.address = address;
  }

  void listen(
      DirectoryView view, Principal principal, RawJson id, RawJson params, HttpReply reply) {
    RawJson filter = params.member(PassedListen.FILTER);
    if (filter == null || !filter.isObject()) {
      reply.refuse(400, id, McpErrors.invalidParams("\"notifications\" must be an object"));
      return;
    }
    RawJson resources = filter.member(PassedListen.RESOURCES);
    RawJson ofTasks = filter.member(PassedListen.TASKS);
    if (isLong(resources) || isLong(ofTasks)) {
      reply.refuse(400, id, tooMany());
      return;
    }
    Set<String> uris = texts(resources);
    Set<String> taskIds = texts(ofTasks);
    RawJson meta = params.member("_meta");
    if (!taskIds.isEmpty()
        && !TaskForms.isOffered(meta == null ? null : meta.member(MetaKeys.CLIENT_CAPABILITIES))) {
      reply.refuse(400, id, McpErrors.tasksNotOffered());
      return;
    }
    if (uris.size() > MAX_URIS || taskIds.size() > MAX_URIS) {
      reply.refuse(400, id, tooMany());
      return;
    }
    if (!replies.addStream(reply, principal, id)) {
      return;
    }
    ListenStream listener = new ListenStream(vertx.eventBus(), address, id, reply, view, principal);
    for (String taskId : taskIds) {
      SealedTaskIds.Named task = tasks.find(view, principal, taskId);
      if (task != null) {
        listener.tasks.put(new SealedTaskIds.Named(task.connection(), "", task.own()), taskId);
      }
    }
    reply.onGone(() -> forget(listener));
    List<ListKind> kinds = new ArrayList<>();
    for (ListKind kind : ListKind.values()) {
      if (TRUE.equals(filter.member(kind.filter))) {
        kinds.add(kind);
      }
    }
    Future<DirectorySnapshot> listed = directory.ready(vertx, view, kinds);
    List<Future<Boolean>> watching = new ArrayList<>();
    uris.forEach(uri -> watching.add(watch(view, uri, listener)));
    Future.join(
            listed,
            Future.join(watching).timeout(PATIENCE_SECONDS, TimeUnit.SECONDS).otherwiseEmpty())
        .transform(done -> listenAtHost(listener, principal, meta, kinds))
        .compose(done -> listenAtServer(listener, principal, params))
        .onComplete(
            theirs -> begin(listener, kinds, uris, theirs),
            failure -> {
              forget(listener);
              McpFailure known = McpErrors.of(failure);
              reply.refuse(McpErrors.status(known), id, known);
            });
  }

  /** Whether it is too long for a list of so many URIs; the elements are not looked at. */
  private static boolean isLong(@Nullable RawJson list) {
    return list != null && list.length() > MAX_LIST;
  }

  private static McpFailure tooMany() {
    return McpErrors.invalidParams("more than " + MAX_URIS + " resources or tasks at once");
  }

  private static Set<String> texts(@Nullable RawJson list) {
    Set<String> texts = new LinkedHashSet<>();
    if (list != null) {
      for (RawJson one : list.elements()) {
        if (one.isString()) {
          texts.add(one.asString());
        }
      }
    }
    return texts;
  }

  private Future<Boolean> watch(DirectoryView view, String uri, ListenStream listener) {
    return router
        .subscribable(view, uri)
        .compose(
            found -> {
              DirectoryEntry facts = directory.snapshot(view).server(found.server());
              if (facts == null || !facts.hasSessions()) {
                return listener
                    .watched
                    .add(found.server(), found.key(), uri, RawJson.EMPTY_OBJECT)
                    .map(true);
              }
              listener.own.add(
                  new JsonObject()
                      .put("server", found.server())
                      .put("uri", found.key())
                      .put("name", uri));
              return Future.succeededFuture(true);
            })
        .otherwise(false);
  }

  /** Lets the session host of the client tell what the client's own sessions report. */
  private Future<Void> listenAtHost(
      ListenStream listener, Principal principal, @Nullable RawJson meta, List<ListKind> kinds) {
    if (listener.reply.isOver() || (listener.own.isEmpty() && kinds.isEmpty())) {
      return Future.succeededFuture();
    }
    return McpErrors.guarded(
        () -> {
          StatedClient client = clients.client(principal, meta);
          String key = client.key();
          From from =
              new From(
                  principal.text(),
                  listener.view.name(),
                  address,
                  listener.exchange,
                  listener.view.caller());
          JsonArray names = new JsonArray();
          kinds.forEach(kind -> names.add(kind.name()));
          listener.client = key;
          atHosts.put(listener.exchange, listener);
          return clients
              .send(
                  key,
                  RawJson.of(
                      new JsonObject()
                          .put("kinds", names)
                          .put("resources", new JsonArray(listener.own))),
                  new ListenMessage(from, client).options(),
                  listener.reply::isOver)
              .onSuccess(
                  answer -> {
                    listener.host = clients.host(key);
                    listener.own.clear(); // the host has them
                    answer
                        .body()
                        .toJsonObject()
                        .getJsonArray("watched")
                        .forEach(name -> listener.ownWatched.add((String) name));
                  })
              .mapEmpty();
        });
  }

  /** Passes the words of the filter that mcpbus does not know; the server's acknowledgement. */
  private Future<RawJson> listenAtServer(
      ListenStream listener, Principal principal, RawJson params) {
    String callId = atServer(listener);
    PassedListen passed =
        listener.reply.isOver()
            ? null
            : PassedListen.send(
                vertx,
                directory.snapshot(listener.view).server(listener.view.name()),
                listener.view,
                principal,
                params,
                callId,
                address,
                answer -> ended(listener, answer));
    if (passed == null) {
      return Future.succeededFuture(RawJson.EMPTY_OBJECT);
    }
    listener.passed = passed;
    atServers.put(callId, listener);
    return passed.acknowledged();
  }

  private static String atServer(ListenStream listener) {
    return listener.exchange + "-server";
  }

  /** The server has ended its stream: so does the client's, with the same answer. */
  private void ended(ListenStream listener, AsyncResult<RawJson> answer) {
    McpFailure failure = answer.failed() ? McpErrors.of(answer.cause()) : null;
    forget(listener);
    if (failure != null && failure.code() == FailureCode.UPSTREAM_ERROR) {
      listener.reply.refuse(200, listener.id, failure);
    } else {
      listener.end(failure == null ? answer.result() : ResultType.EMPTY);
    }
  }

  /** The client's own session, or the server of its endpoint, reports something for a stream. */
  void reported(String exchange, String method, RawJson params) {
    ListenStream passing = atServers.get(exchange);
    PassedListen passed = passing == null ? null : passing.passed;
    if (passing != null && passed != null && passed.told(method, params)) {
      passing.tell(method, params);
    }
    ListenStream listener = atHosts.get(exchange);
    if (listener != null && method.equals(HostMessage.ENDED)) {
      end(listener);
    } else if (listener != null) {
      listener.tell(method, params);
    }
  }

  /** A node has left the cluster: ends the streams of its clients, so that they listen anew. */
  void left(String node) {
    for (ListenStream listener : List.copyOf(atHosts.values())) {
      if (SessionHostNames.isOn(node, listener.host)) {
        end(listener);
      }
    }
  }

  private void end(ListenStream listener) {
    forget(listener);
    listener.end();
  }

  private void forget(ListenStream listener) {
    open.remove(listener);
    close(listener);
    replies.remove(listener.reply);
  }

  private void close(ListenStream listener) {
    listener.watched.close();
    if (listener.passed != null) {
      atServers.remove(atServer(listener));
      listener.passed.close();
    }
    String key = listener.client;
    if (key != null && atHosts.remove(listener.exchange) != null) {
      hostNames.tell(clients.host(key), new GoneMessage(null, key, listener.exchange).options());
    }
  }

  /**
   * @param theirs the params of the server's own acknowledgement; empty for none
   */
  private void begin(
      ListenStream listener, List<ListKind> kinds, Set<String> uris, RawJson theirs) {
    if (listener.reply.isOver()) {
      return;
    }
    JsonObject agreed = new JsonObject();
    kinds.forEach(kind -> agreed.put(kind.filter, true));
    JsonArray heard = new JsonArray();
    uris.stream()
        .filter(uri -> listener.watched.has(uri) || listener.ownWatched.contains(uri))
        .forEach(heard::add);
    if (!heard.isEmpty()) {
      agreed.put(PassedListen.RESOURCES, heard);
    }
    if (!listener.tasks.isEmpty()) {
      agreed.put(PassedListen.TASKS, new JsonArray(List.copyOf(listener.tasks.values())));
    }
    kinds.forEach(kind -> listener.changes.saw(directory.snapshot(listener.view), kind));
    open.add(listener);
    RawJson words = theirs.members().isEmpty() ? NO_WORDS : theirs;
    listener.tell(Methods.ACKNOWLEDGED, PassedListen.agreed(words, RawJson.of(agreed)));
  }

  /**
   * Tells the clients of lists that have changed. The host tells a client that has a session of its
   * own with the one server of its view.
   */
  void changed() {
    for (ListenStream listener : open) {
      DirectorySnapshot now = directory.snapshot(listener.view);
      if (!listener.host.isEmpty() && now.hasSessions(listener.view)) {
        continue;
      }
      for (String due : listener.changes.due(now)) {
        listener.tell(due, RawJson.EMPTY_OBJECT);
      }
    }
  }

  /** A server reports that a list, a resource or a task has changed. */
  void updated(ServerNotice event) {
    RawJson params = event.params();
    if (Events.NOTIFICATION.equals(event.type())) {
      announced(event, params);
      return;
    }
    boolean task = Events.TASK.equals(event.type());
    for (ListenStream listener : open) {
      if (!listener.isFor(event)) {
        continue;
      }
      if (task) {
        String own = TaskId.of(params);
        String id = listener.tasks.get(new SealedTaskIds.Named(event.connection(), "", own));
        if (id != null) {
          listener.tell(
              Methods.TASKS_CHANGED,
              TaskId.renamed(params, other -> other.equals(own) ? id : other));
        }
        continue;
      }
      ViewUris uris = directory.snapshot(listener.view).uris(listener.view);
      listener
          .watched
          .updates(listener.view, uris, event.connection(), params)
          .forEach(named -> listener.tell(Methods.RESOURCE_UPDATED, named));
    }
  }

  /**
   * A server whose connection all clients share announces another list: each client of this server
   * alone gets the announcement as the server sent it.
   */
  private void announced(ServerNotice event, RawJson params) {
    String method = event.method();
    for (ListenStream listener : open) {
      if (listener.isFor(event)
          && listener.view.server()
          && listener.view.name().equals(event.connection())
          && listener.changes.announced(method)) {
        listener.tell(method, params);
      }
    }
  }

  /** Ends all streams with a result, so that clients see a regular end. */
  void close() {
    List.copyOf(open).forEach(this::end);
  }
}
