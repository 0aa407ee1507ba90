package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.InboundSpan;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.bus.TelemetryOperation;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.dialect.HandshakeAnswers;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.HostMessage.AnswerMessage;
import dev.mcpbus.gateway.request.HostMessage.DeleteMessage;
import dev.mcpbus.gateway.request.HostMessage.FindMessage;
import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.HostMessage.GoneMessage;
import dev.mcpbus.gateway.request.HostMessage.KeepMessage;
import dev.mcpbus.gateway.request.HostMessage.ListMessage;
import dev.mcpbus.gateway.request.HostMessage.ListenMessage;
import dev.mcpbus.gateway.request.HostMessage.OpenMessage;
import dev.mcpbus.gateway.request.HostMessage.PostMessage;
import dev.mcpbus.gateway.request.HostMessage.StatedClient;
import dev.mcpbus.gateway.request.HostMessage.StreamMessage;
import dev.mcpbus.gateway.request.HostMessage.TakeMessage;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.RandomNames;
import dev.mcpbus.gateway.request.WatchedResources;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.ByteBudget.ByteUse;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TraceContext;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The clients at one session host, by their keys: those of the {@code initialize} era by the ids of
 * their sessions, within the host's bound; those of the {@code discover} era while they have a
 * connection, a call or a stream. In a cluster it takes sessions of lost hosts over ({@link
 * HostMap}). Confined to the host's context.
 */
final class GatewayClients {

  private static final long PATIENCE_SECONDS = 5;

  /** Subscriptions of one client: two full streams, so that a new one can replace another. */
  private static final int MAX_WATCHED = 2_000;

  private final HostParts host;
  private final String name;
  private final HostMap claims;
  private final HandshakeAnswers handshakes;
  private final SessionRequests requests;
  private final Map<String, GatewayClient> clients = new HashMap<>();

  /**
   * @param name of the host
   */
  GatewayClients(HostParts host, String name, HostMap claims, HandshakeAnswers handshakes) {
    this.host = host;
    this.name = name;
    this.claims = claims;
    this.handshakes = handshakes;
    this.requests = new SessionRequests(host);
  }

  private DirectoryView view(From from, Principal principal) {
    DirectoryView view =
        host.directory().view(String.valueOf(from.view()), principal, from.whose());
    if (view == null) {
      throw McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such view");
    }
    return view;
  }

  // ---- messages of clients with a session

  /** A client begins a session with {@code initialize}. */
  void open(Message<?> message, OpenMessage open) {
    Envelope request = HostMessage.envelope(message);
    RawJson id = request.id();
    if (id == null) {
      throw McpFailure.notSent(FailureCode.BAD_REQUEST, "initialize is a request");
    }
    String principal = open.from().principal();
    String view = String.valueOf(open.from().view());
    String session = RandomNames.heldBy(name);
    RawJson initialize = request.params();
    GatewayClient opened = begin(session, open.from(), initialize);
    Telemetry telemetry = host.telemetry();
    TelemetryOperation measured =
        telemetry == null
            ? null
            : telemetry.received(
                new InboundSpan(
                    "mcp",
                    Methods.INITIALIZE,
                    id,
                    opened.stated().version(),
                    TraceContext.ofMeta(initialize.member("_meta")),
                    null));
    JsonObject facts = HostMap.facts(view, principal, initialize);
    Future.join(
            host.directory().described(host.vertx(), opened.view()),
            open.lasting() ? host.store().begin(session, facts) : Future.succeededFuture())
        .onComplete(
            known -> {
              message.reply(
                  Buffer.buffer(MessageWriter.result(id, opened.initialized(handshakes))),
                  HostMessage.opened(session));
              if (measured != null) {
                measured.succeeded(false);
              }
            });
  }

  /** A message of a client. */
  void post(Message<?> message, PostMessage post) {
    requests.post(of(post.session(), post.from()), message, post, HostMessage.envelope(message));
  }

  /** A call that went straight to a connection needs its session. */
  void take(Message<?> message, TakeMessage take) {
    GatewayClient client = clients.get(take.session());
    if (client == null) {
      throw unknown();
    }
    requests.take(client, message, take);
  }

  /** The answer to such a call. */
  void answered(Message<?> message, AnswerMessage answer) {
    GatewayClient client = clients.get(answer.session());
    if (client != null) {
      SessionRequests.answered(client, answer, (Buffer) message.body());
    }
  }

  private static McpFailure unknown() {
    return McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such session");
  }

  /** A client opens its standalone stream, or resumes one. */
  void stream(Message<?> message, StreamMessage stream) {
    GatewayClient client = of(stream.session(), stream.from());
    if (client.streams.isLost(stream.after())) {
      throw McpFailure.maybeSent(FailureCode.OWNER_LOST, "that stream is lost with its node");
    }
    client.stream(message, stream);
  }

  /** A client ends its session. */
  void delete(Message<?> message, DeleteMessage delete) {
    end(of(delete.session(), delete.from()));
    message.reply(Buffer.buffer());
  }

  /** A client knows event ids of a response. */
  void keep(KeepMessage keep) {
    GatewayClient client = clients.get(keep.session());
    if (client != null) {
      client.streams.keep(keep.exchange());
    }
  }

  /** Answers with the host that has a session now; takes the session of a lost host over. */
  void find(Message<?> message, FindMessage find) {
    String id = find.session();
    host.store()
        .find(id, find.tried(), find.lost())
        .compose(facts -> host.directory().ready(host.vertx()).map(facts))
        .map(
            facts -> {
              if (name.equals(facts.getString(HostMap.HOST)) && !clients.containsKey(id)) {
                resume(id, facts);
              }
              return HostMessage.at(facts.getString(HostMap.HOST, ""));
            })
        .onComplete(
            found -> message.reply(Buffer.buffer(), found),
            failure -> message.reply(McpErrors.of(failure)));
  }

  private void resume(String id, JsonObject facts) {
    GatewayClient client =
        begin(
            id,
            new From(
                facts.getString(HostMap.PRINCIPAL, ""), facts.getString(HostMap.VIEW, ""), "", ""),
            HostMap.initialize(facts));
    client.resume(facts.getValue(HostMap.LEVEL) instanceof String level ? level : null);
    requests.continueFrom(client, facts);
    host.store().keep(id, facts);
  }

  /** The client of a message, with the rights of the message. */
  private GatewayClient of(String session, From from) {
    GatewayClient client = clients.get(session);
    if (client == null || !client.isOf(from) || !client.enter(from)) {
      throw unknown();
    }
    client.touch();
    return client;
  }

  /**
   * At the bound the session that has been idle longest ends for the new one: its client receives
   * 404 and begins a new session.
   */
  private GatewayClient begin(String id, From from, RawJson initialize) {
    Principal caller = Principal.parse(from.principal());
    ByteBudget.ByteAccount kept = ByteBudget.of(host.vertx()).account(ByteUse.KEPT, caller.name());
    StatedSession stated = new StatedSession(view(from, caller), caller, initialize, kept);
    GatewayClient client =
        new GatewayClient(host, id, caller.name(), stated, Future.succeededFuture(), this::end);
    FairLimit.Verdict<String> verdict = host.bound().admit(id, client.owner);
    if (verdict.isRefused()) {
      client.close();
      throw new McpFailure(
          FailureCode.OVERLOADED,
          McpFailure.Sent.NO,
          "all "
              + host.bound().max()
              + " sessions are in use, or you use three quarters of those that are left; end one,"
              + " or raise gateway.maxSessions",
          5_000,
          null);
    }
    GatewayClient idle = clients.get(verdict.victim());
    if (idle != null) {
      end(idle);
    }
    clients.put(id, client);
    host.published().put(id, client.published);
    host.bound().use(id, client.isInUse());
    return client;
  }

  // ---- messages of clients without a session

  /** The client that a message names; a new one claims its key. */
  GatewayClient of(StatedClient client, From from) {
    String key = client.key();
    GatewayClient known = clients.get(key);
    if (known != null) {
      known.noteUse();
      known.comes(from);
      return known;
    }
    String owner = Principal.nameIn(from.principal());
    Future<Void> claimed =
        claims
            .claim(key)
            .map(
                claimant -> {
                  if (!claimant.equals(name)) {
                    throw new ClaimedElsewhereException(claimant);
                  }
                  return null;
                });
    GatewayClient fresh = new GatewayClient(host, key, owner, null, claimed, this::end);
    fresh.comes(from);
    clients.put(key, fresh);
    claimed
        .onFailure(elsewhere -> clients.remove(key, fresh)) // its requests fail by themselves
        .onSuccess(
            here -> {
              if (!clients.containsKey(key)) {
                claims.end(key); // its requests were over before
              }
            });
    return fresh;
  }

  /** Refuses a message; the sender learns of another host that has the client. */
  static void refuse(Message<?> message, Throwable failure) {
    if (failure instanceof ClaimedElsewhereException elsewhere) {
      message.reply(Buffer.buffer(), HostMessage.at(elsewhere.host));
    } else {
      message.reply(McpFailure.of(failure));
    }
  }

  /** A page of a list as this client sees it. */
  void list(Message<?> message, ListMessage list) {
    Principal principal = Principal.parse(list.from().principal());
    DirectoryView view = view(list.from(), principal);
    GatewayClient client = of(list.client(), list.from());
    ListRequest request =
        new ListRequest(
            host,
            client,
            list.kind(),
            view,
            principal,
            HostMessage.params(message),
            client.statement(list.client()));
    client
        .claimed() // before the router, which knows no other host
        .compose(here -> host.router().route(request))
        .onComplete(
            page -> {
              client.endIfUnused();
              message.reply(page.toBuffer());
            },
            failure -> {
              client.endIfUnused();
              refuse(message, failure);
            });
  }

  /** The client listens to its own sessions. */
  void listen(Message<?> message, ListenMessage listen) {
    From from = listen.from();
    DirectoryView view = view(from, Principal.parse(from.principal()));
    JsonObject wanted = HostMessage.params(message).toJsonObject();
    GatewayClient client = of(listen.client(), from);
    Set<ListKind> kinds = EnumSet.noneOf(ListKind.class);
    wanted.getJsonArray("kinds").forEach(kind -> kinds.add(ListKind.valueOf((String) kind)));
    ClientStream stream = client.listens(from, view, kinds, client.statement(listen.client()));
    Future<Void> watching =
        WatchedResources.each(
            wanted.getJsonArray("resources").stream().map(JsonObject.class::cast).iterator(),
            one ->
                client.watched() < MAX_WATCHED
                    ? stream.watched.add(
                        one.getString("server"),
                        one.getString("uri"),
                        one.getString("name"),
                        RawJson.EMPTY_OBJECT)
                    : Future.succeededFuture()); // the acknowledgement lacks it
    client
        .claimed()
        .compose(
            here ->
                watching
                    .timeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .transform(done -> Future.succeededFuture()))
        .onComplete(
            done -> message.reply(heard(stream, wanted.getJsonArray("resources")).toBuffer()),
            failure -> refuse(message, failure));
  }

  /** The client's URIs of its present subscriptions. */
  private static JsonObject heard(ClientStream stream, JsonArray wanted) {
    JsonArray watched = new JsonArray();
    for (Object each : wanted) {
      String uri = ((JsonObject) each).getString("name");
      if (stream.watched.has(uri)) {
        watched.add(uri);
      }
    }
    return new JsonObject().put("watched", watched);
  }

  /** A client has closed a response. */
  void gone(GoneMessage gone) {
    GatewayClient client = clients.get(gone.client() == null ? gone.session() : gone.client());
    if (client != null) {
      client.gone(gone.exchange());
    }
  }

  // ---- what comes from servers and nodes

  /** The shared lists have changed. */
  void changed() {
    clients.values().forEach(GatewayClient::noticed);
  }

  /** A server reports over a shared connection that a resource or a task has changed. */
  void updated(ServerNotice event) {
    clients.values().forEach(client -> client.updated(event));
  }

  /** A node has left the cluster, and with it the responses of its HTTP verticles. */
  void left(String node) {
    List.copyOf(clients.values()).forEach(client -> client.left(node));
  }

  /** Closes the clients that other hosts have taken over while this node seemed lost. */
  void renew(boolean all) {
    for (Future<List<String>> lost : List.of(host.store().renew(all), claims.renew(all))) {
      lost.onSuccess(
          keys ->
              keys.forEach(
                  key -> {
                    GatewayClient client = clients.remove(key);
                    if (client != null) {
                      client.close();
                    }
                  }));
    }
  }

  /** Ends clients that were idle for so long. */
  void sweep(long idleNanos) {
    long now = System.nanoTime();
    List.copyOf(clients.values()).stream()
        .filter(client -> client.isIdle(now, idleNanos) && client.published.closeIfIdle())
        .forEach(this::end);
    renew(false);
  }

  // ---- the end

  /** Whether calls of sessions are in flight. */
  boolean isBusy() {
    return clients.values().stream().anyMatch(one -> one.hasSession() && one.isBusy());
  }

  /** Ends the standalone streams; from now on clients begin only at other hosts. */
  void leave() {
    clients.values().forEach(client -> client.streams.standing().end());
    claims.leave();
  }

  private void end(GatewayClient client) {
    if (clients.remove(client.key, client)) {
      host.store().end(client.key);
      claims.end(client.key);
      client.close();
    }
  }

  /** Ends all clients; other hosts may take their sessions over. */
  Future<Void> close() {
    List<Future<Void>> ending = new ArrayList<>();
    clients.values().forEach(client -> claims.end(client.key));
    List<GatewayClient> all = List.copyOf(clients.values());
    clients.clear();
    all.forEach(client -> ending.add(client.close()));
    return Future.join(ending).mapEmpty();
  }
}
