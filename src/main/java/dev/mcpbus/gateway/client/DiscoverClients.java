package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.client.ClientConnections.ClientStatement;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.HostMessage.ListMessage;
import dev.mcpbus.gateway.request.HostMessage.ListenMessage;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.gateway.request.WatchedResources;
import dev.mcpbus.protocol.RawJson;
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
 * The clients of the {@code discover} era at one session host, by their keys. A client is there
 * while it has a connection, a call or a stream. Confined to the host's context.
 */
final class DiscoverClients {

  private static final long PATIENCE_SECONDS = 5;

  /** Subscriptions of one client: two full streams, so that a new one can replace another. */
  private static final int MAX_WATCHED = 2_000;

  private final HostParts host;
  private final String name;
  private final ClientClaims claims;
  private final Map<String, DiscoverClient> clients = new HashMap<>();

  /**
   * @param name of the host
   */
  DiscoverClients(HostParts host, String name, ClientClaims claims) {
    this.host = host;
    this.name = name;
    this.claims = claims;
  }

  /** The client that a message names; a new one claims its key. */
  DiscoverClient of(String key, From from) {
    DiscoverClient known = clients.get(key);
    if (known != null) {
      known.noteUse();
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
    DiscoverClient client = new DiscoverClient(host, key, owner, claimed, this::ended);
    clients.put(key, client);
    claimed
        .onFailure(elsewhere -> clients.remove(key, client)) // its requests fail by themselves
        .onSuccess(
            here -> {
              if (!clients.containsKey(key)) {
                claims.end(key); // its requests were over before
              }
            });
    return client;
  }

  /** Refuses a message; the sender learns of another host that has the client. */
  static void refuse(Message<?> message, Throwable failure) {
    if (failure instanceof ClaimedElsewhereException elsewhere) {
      message.reply(Buffer.buffer(), HostMessage.at(elsewhere.host));
    } else {
      message.reply(McpFailure.of(failure));
    }
  }

  /** Forgets a client of which nothing is left. */
  void ended(DiscoverClient client) {
    if (client.isEmpty()) {
      end(client);
    }
  }

  private Future<Void> end(DiscoverClient client) {
    if (clients.remove(client.key(), client)) {
      claims.end(client.key());
    }
    return client.close();
  }

  // ---- messages of endpoints

  private DirectoryView view(From from, Principal principal) {
    DirectoryView view = host.directory().view(String.valueOf(from.view()), principal);
    if (view == null) {
      throw McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such view");
    }
    return view;
  }

  /** A page of a list as this client sees it. */
  void list(Message<?> message, ListMessage list) {
    Principal principal = Principal.parse(list.from().principal());
    DirectoryView view = view(list.from(), principal);
    DiscoverClient client = of(list.client().key(), list.from());
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
              ended(client);
              message.reply(page.toBuffer());
            },
            failure -> {
              ended(client);
              refuse(message, failure);
            });
  }

  /** The client listens to its own sessions. */
  void listen(Message<?> message, ListenMessage listen) {
    From from = listen.from();
    DirectoryView view = view(from, Principal.parse(from.principal()));
    JsonObject wanted = HostMessage.params(message).toJsonObject();
    DiscoverClient client = of(listen.client().key(), from);
    ClientStatement statement = client.statement(listen.client());
    ClientStream stream =
        new ClientStream(
            host.vertx().eventBus(),
            from,
            view,
            (resource, on, params) -> client.tell(from.exchange(), resource, on, statement));
    Set<ListKind> kinds = EnumSet.noneOf(ListKind.class);
    wanted.getJsonArray("kinds").forEach(kind -> kinds.add(ListKind.valueOf((String) kind)));
    client.listens(stream, kinds);
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

  /** The client has closed a response with which it listened. */
  void gone(String key, String exchange) {
    DiscoverClient client = clients.get(key);
    if (client != null) {
      client.gone(exchange);
      ended(client);
    }
  }

  // ---- what comes from the node

  /** A node has left the cluster, and with it the responses of its HTTP verticles. */
  void left(String node) {
    for (DiscoverClient client : List.copyOf(clients.values())) {
      client.gone(stream -> isOn(node, stream.verticle()));
      ended(client);
    }
  }

  private static boolean isOn(String node, String address) {
    return SessionHostNames.isOn(node, address.substring(address.lastIndexOf('.') + 1));
  }

  /** The shared lists have changed. */
  void changed() {
    clients.values().forEach(DiscoverClient::noticed);
  }

  /** Ends clients that were idle for so long. */
  void sweep(long idleNanos) {
    long now = System.nanoTime();
    List.copyOf(clients.values()).stream()
        .filter(client -> client.isIdle(now, idleNanos))
        .forEach(this::end);
    renew(false);
  }

  /** Ends clients that another host has claimed while this node seemed lost. */
  void renew(boolean all) {
    claims
        .renew(all)
        .onSuccess(
            lost ->
                lost.forEach(
                    key -> {
                      DiscoverClient client = clients.remove(key);
                      if (client != null) {
                        client.close();
                      }
                    }));
  }

  /** Its clients may end what they do; no other begins here. */
  void leave() {
    claims.leave();
  }

  Future<Void> close() {
    List<Future<Void>> ending = new ArrayList<>();
    List.copyOf(clients.values()).forEach(client -> ending.add(end(client)));
    return Future.join(ending).mapEmpty();
  }
}
