package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.HostMessage.DeleteMessage;
import dev.mcpbus.gateway.request.HostMessage.DoorEvent;
import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.HostMessage.OpenMessage;
import dev.mcpbus.gateway.request.HostMessage.PostMessage;
import dev.mcpbus.gateway.request.HostMessage.SsePostMessage;
import dev.mcpbus.gateway.request.HostMessage.StreamMessage;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.RandomNames;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The two endpoints of HTTP+SSE (MCP 2024-11-05): a stream for everything that the client receives,
 * and a path for its messages. Behind them is a session like any other, which ends with the stream.
 * A message can reach another HTTP verticle or node; it goes on to the HTTP verticle that holds the
 * stream. Confined to the context of the HTTP verticle.
 */
final class SseEndpoint {

  /** A client, by its open stream. */
  private static final class Client {
    private final String id;
    private final HttpReply reply;
    private final String owner;
    private final String view;

    /** With the rights of the latest message. */
    private String principal;

    private boolean begun;
    private @Nullable String session;

    /** The requests that wait for their answers: their ids, by exchange. */
    private final Map<String, RawJson> waiting = new LinkedHashMap<>();

    /** The stream ends with the last of these answers. */
    private boolean ending;

    Client(String id, HttpReply reply, Principal principal, DirectoryView view) {
      this.id = id;
      this.reply = reply;
      this.owner = principal.name();
      this.principal = principal.text();
      this.view = view.name();
    }
  }

  private final OpenReplies replies;
  private final String name;
  private final SessionHostNames hostNames;
  private final ByteBudget budget;
  private final Map<String, Client> clients = new HashMap<>();

  /** The clients that wait for the answer to a request, by its exchange. */
  private final Map<String, Client> exchanges = new HashMap<>();

  private long sequence;

  /**
   * @param name of the HTTP verticle, part of the ids of its streams
   */
  SseEndpoint(OpenReplies replies, String name, SessionHostNames hostNames, ByteBudget budget) {
    this.replies = replies;
    this.name = name;
    this.hostNames = hostNames;
    this.budget = budget;
  }

  /** The address for what sessions send to these streams. */
  String eventsAt() {
    return Addresses.GATEWAY_RESPONSES + name + ".sse";
  }

  /** The address for messages of these clients that reached another HTTP verticle. */
  String postedAt() {
    return Addresses.GATEWAY_SSE + name;
  }

  // ---- HTTP

  /** A client opens its stream; the first event names the path for its messages. */
  void stream(String path, Principal principal, DirectoryView view, HttpReply reply) {
    if (!replies.addStream(reply, principal, null)) {
      return;
    }
    Client client = new Client(RandomNames.heldBy(name), reply, principal, view);
    clients.put(client.id, client);
    reply.onGone(() -> forget(client));
    reply.open();
    reply.named("endpoint", path + "?sessionId=" + client.id);
  }

  /** A message of a client: sends it to the HTTP verticle of its stream. */
  void post(
      @Nullable String id, Principal principal, DirectoryView view, Buffer body, HttpReply reply) {
    if (id == null) {
      reply.header("Allow", "GET");
      reply.refuse(
          405,
          null,
          McpErrors.invalidRequest(
              "GET this path first: its endpoint event says where to POST; Streamable HTTP is at"
                  + " /mcp"));
      return;
    }
    if (!RandomNames.isHeld(id)) {
      gone(reply);
      return;
    }
    DeliveryOptions options =
        reply.origin().addTo(new SsePostMessage(id, principal.text(), view.name()).options());
    hostNames
        .request(Addresses.GATEWAY_SSE, RandomNames.host(id), body, options)
        .onComplete(taken -> reply.status(202), failure -> refused(reply, failure));
  }

  private static void refused(HttpReply reply, Throwable failure) {
    McpFailure known = McpErrors.of(failure);
    if (known.code() == FailureCode.UNKNOWN_CONNECTION) {
      gone(reply);
    } else {
      reply.refuse(known.code().httpStatus(), null, known);
    }
  }

  private static void gone(HttpReply reply) {
    reply.refuse(404, null, McpErrors.invalidRequest("Session not found; open the stream anew"));
  }

  // ---- messages of clients

  /** A message of a client whose stream this verticle holds. */
  void posted(Message<Buffer> message) {
    SsePostMessage post = SsePostMessage.of(message);
    Client client = clients.get(post.stream());
    if (client == null
        || !client.owner.equals(Principal.nameIn(post.principal()))
        || !client.view.equals(post.view())) {
      message.reply(McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such stream"));
      return;
    }
    Envelope envelope;
    try {
      envelope = HostMessage.envelope(message);
    } catch (McpFailure refused) {
      message.reply(refused);
      return;
    }
    message.reply(null);
    client.principal = post.principal();
    RawJson id = envelope.id();
    boolean request = envelope.kind() == Envelope.Kind.REQUEST && id != null;
    boolean initialize = request && envelope.method().equals(Methods.INITIALIZE);
    if (initialize && !client.begun) {
      begin(client, envelope);
    } else if (client.ending && request) {
      client.reply.event(null, McpErrors.message(id, LostStreamAnswers.ended()));
    } else if (client.session != null && !initialize) {
      CallOrigin origin = CallOrigin.of(message.headers()).waitedFor(client.reply.origin());
      send(client, client.session, envelope, request ? id : null, origin);
    } else if (request) {
      client.reply.event(
          null,
          McpErrors.message(id, McpErrors.invalidRequest("begin with one initialize, and wait")));
    }
  }

  private void begin(Client client, Envelope initialize) {
    client.begun = true;
    if (initialize.id() != null) {
      client.waiting.put(client.id, initialize.id());
    }
    String host = hostNames.next();
    hostNames
        .send(host, initialize, new OpenMessage(from(client, client.id), false).options())
        .onComplete(
            answered -> {
              String session = HostMessage.session(answered);
              client.session = session;
              if (client.reply.isOver()) {
                delete(client);
                return;
              }
              client.reply.event(null, answered.body().getBytes());
              ended(client, client.id);
              hostNames.send(
                  host, null, new StreamMessage(from(client, client.id), session, null).options());
            },
            failure -> {
              client.begun = false;
              client.reply.event(null, McpErrors.message(initialize.id(), McpErrors.of(failure)));
              ended(client, client.id);
            });
  }

  /**
   * @param id of a request; null for a message without an answer
   */
  private void send(
      Client client, String session, Envelope message, @Nullable RawJson id, CallOrigin origin) {
    String exchange = name + ".sse-" + ++sequence;
    // The POST that brought the message has its answer already.
    ByteBudget.ByteAccount body = budget.account(ByteBudget.ByteUse.REQUESTS, client.owner);
    int length = message.text().length();
    if (!body.take(length)) {
      McpFailure unpaid = McpFailure.unpaid(McpFailure.Sent.NO, body.refusal(length));
      client.reply.event(null, McpErrors.message(id, unpaid));
      return;
    }
    DeliveryOptions options =
        new PostMessage(from(client, exchange), session, client.reply.source().text()).options();
    origin.addTo(options);
    if (id != null) {
      exchanges.put(exchange, client);
      client.waiting.put(exchange, id);
      HostMessage.lasting(options, message.method());
    }
    hostNames
        .send(RandomNames.host(session), message, options)
        .onComplete(sent -> body.close())
        .onComplete(
            answered -> {
              if (answered.body() != null && answered.body().length() > 0) {
                client.reply.event(null, answered.body().getBytes());
              }
              ended(client, exchange);
            },
            failure -> {
              McpFailure known = McpErrors.of(failure);
              boolean gone = known.code() == FailureCode.UNKNOWN_CONNECTION;
              if (id != null) {
                McpFailure told = gone ? LostStreamAnswers.ended() : known;
                client.reply.event(null, McpErrors.message(id, told));
              }
              client.ending |= gone; // its session is gone: the client has to begin anew
              ended(client, exchange);
            });
  }

  /** A message of the client is done with. */
  private void ended(Client client, String exchange) {
    exchanges.remove(exchange);
    client.waiting.remove(exchange);
    if (client.ending) {
      end(client);
    }
  }

  // ---- messages of sessions

  void reported(Message<Buffer> message) {
    DoorEvent event = DoorEvent.of(message);
    Client standing = clients.get(event.exchange());
    Client client = standing == null ? exchanges.get(event.exchange()) : standing;
    if (client == null) {
      return;
    }
    if (message.body().length() > 0) {
      client.reply.event(null, message.body().getBytes());
    }
    if (standing != null && event.end()) {
      end(standing);
    }
  }

  // ---- ends

  /** Ends the stream, once the requests that wait have their answers. */
  private void end(Client client) {
    client.ending = true;
    if (client.waiting.isEmpty()) {
      forget(client);
      client.reply.end();
    }
  }

  /** Whether answers are to come on that stream. */
  boolean isBusy(HttpReply reply) {
    return clients.values().stream()
        .anyMatch(client -> client.reply == reply && !client.waiting.isEmpty());
  }

  /** Answers the requests that have no answer yet, before the server cuts their connections off. */
  void giveUp() {
    for (Client client : List.copyOf(clients.values())) {
      client
          .waiting
          .values()
          .forEach(
              id -> client.reply.event(null, McpErrors.message(id, LostStreamAnswers.doorEnds())));
      client.waiting.clear();
      end(client);
    }
  }

  private void forget(Client client) {
    clients.remove(client.id);
    exchanges.values().removeIf(client::equals);
    replies.remove(client.reply);
    delete(client);
  }

  private void delete(Client client) {
    String session = client.session;
    client.session = null;
    if (session != null) {
      hostNames.send(
          RandomNames.host(session),
          null,
          new DeleteMessage(from(client, client.id), session).options());
    }
  }

  /** The HTTP server closes: ends the streams as they get idle, and with them their sessions. */
  void close() {
    List.copyOf(clients.values()).forEach(this::end);
  }

  private From from(Client client, String exchange) {
    return new From(client.principal, client.view, eventsAt(), exchange);
  }
}
