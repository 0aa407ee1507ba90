package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.ServerResource;
import dev.mcpbus.gateway.client.ClientConnections.ClientStatement;
import dev.mcpbus.gateway.client.ClientConnections.Opened;
import dev.mcpbus.gateway.client.OpenQuestions.Question;
import dev.mcpbus.gateway.request.HostMessage.StatedClient;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProgressToken;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A client of the {@code discover} era at its session host. The protocol gives it no session, but
 * the servers of the {@code initialize} era that it calls keep one for it: here are the private
 * connections that all its requests share, whatever each request offers. Lives as long as it is
 * used. Confined to the host's context.
 */
final class DiscoverClient implements ClientConnections.Holder {

  private final HostParts host;
  private final String key;
  private final String owner;
  private final Future<Void> claimed;
  private final Consumer<DiscoverClient> unused;
  private final ClientConnections connections;
  final OpenQuestions questions;

  /** In the order in which they began. */
  private final Set<ParkedCall> calls = new LinkedHashSet<>();

  /** By the HTTP verticle's name of the response. */
  private final Map<String, ClientStream> streams = new HashMap<>();

  private final Set<ListKind> listed = EnumSet.noneOf(ListKind.class);
  private String statedText = "";
  private @Nullable ClientStatement stated;
  private long used = System.nanoTime();

  /**
   * @param key names it among all clients
   * @param owner the name of its principal
   * @param claimed fails with {@link ClaimedElsewhereException} if another host has the client
   * @param unused receives the client when one of its connections has ended: nothing may be left
   */
  DiscoverClient(
      HostParts host,
      String key,
      String owner,
      Future<Void> claimed,
      Consumer<DiscoverClient> unused) {
    this.host = host;
    this.key = key;
    this.owner = owner;
    this.claimed = claimed;
    this.unused = unused;
    this.connections = new ClientConnections(host, this, this::wanted, this::listsChanged);
    this.questions = new OpenQuestions(host.vertx(), () -> {});
  }

  String key() {
    return key;
  }

  @Override
  public String owner() {
    return owner;
  }

  /** What a message states about the client; it states the same nearly always. */
  ClientStatement statement(StatedClient client) {
    String text = client.capabilities();
    ClientStatement known = stated;
    if (known != null && text.equals(statedText)) {
      return known;
    }
    RawJson initialize = RawJson.EMPTY_OBJECT.with("capabilities", RawJson.of(text));
    String info = client.info();
    ClientStatement fresh =
        ClientStatement.of(
            info == null ? initialize : initialize.with("clientInfo", RawJson.of(info)), null);
    statedText = text;
    stated = fresh;
    return fresh;
  }

  // ---- whether it is in use

  /** Whether it waits for an answer or listens. */
  boolean isInUse() {
    if (!streams.isEmpty()) {
      return true;
    }
    for (ParkedCall call : calls) {
      if (call.isInUse()) {
        return true;
      }
    }
    return false;
  }

  void noteUse() {
    used = System.nanoTime();
    connections.use(isInUse());
  }

  boolean isIdle(long now, long idleNanos) {
    return calls.isEmpty() && streams.isEmpty() && now - used > idleNanos;
  }

  /** Whether nothing of it needs to be kept. */
  boolean isEmpty() {
    return calls.isEmpty() && streams.isEmpty() && connections.isEmpty();
  }

  // ---- its connections

  /**
   * The connection that answers it for a server.
   *
   * @param statement what a new connection tells the server
   */
  Future<Opened> connection(String server, ClientStatement statement) {
    return claimed.compose(own -> connections.of(new ConnectionId(server), statement));
  }

  /** Completes when its connection has that log level, or refuses it; at once at a shared one. */
  Future<Void> level(Opened own, String wanted) {
    return own.shared() ? Future.succeededFuture() : connections.setLevel(own.id(), wanted);
  }

  void begins(ParkedCall call) {
    calls.add(call);
    noteUse();
  }

  void ended(ParkedCall call) {
    calls.remove(call);
    noteUse();
  }

  @Override
  public boolean giveUp(String connection) {
    if (isInUse()) {
      return false;
    }
    for (ParkedCall call : List.copyOf(calls)) {
      if (call.isAt(connection)) {
        call.cancel();
      }
    }
    connections.end(connection);
    unused.accept(this);
    return true;
  }

  // ---- what its servers send

  private @Nullable ParkedCall latest(@Nullable String connection, Predicate<ParkedCall> which) {
    ParkedCall found = null;
    for (ParkedCall call : calls) {
      if (connection != null && call.isAt(connection) && which.test(call)) {
        found = call;
      }
    }
    return found;
  }

  /**
   * The call that a notice names; else the latest call there that wants it. The state of a task
   * belongs to the call that became the task, and to no other.
   */
  private @Nullable ParkedCall call(ServerNotice event, Predicate<ParkedCall> which) {
    String callId = event.call();
    boolean named = callId != null && !callId.isEmpty();
    boolean any = !named && !event.type().equals(Events.TASK);
    return latest(event.connection(), one -> which.test(one) && (any || one.callId.equals(callId)));
  }

  /**
   * The call whose client gets a question that names no call: of those that its server has not
   * answered and whose client offers to answer, one that does not wait for its client before one
   * that does, then the first with the fewest questions.
   */
  private @Nullable ParkedCall asking(String connection, String method, RawJson params) {
    return calls.stream()
        .filter(one -> one.isAt(connection) && one.outcome() == null && one.offers(method, params))
        .min(
            Comparator.comparing((ParkedCall one) -> !one.isInUse())
                .thenComparingInt(one -> questions.of(one).size()))
        .orElse(null);
  }

  /**
   * A question that names no call is for one that is under way there. If none is, it waits for the
   * next one.
   */
  @Override
  public Future<ClientAnswer> asked(
      @Nullable String callId,
      @Nullable String connection,
      String question,
      String method,
      RawJson params) {
    ParkedCall call = connection == null ? null : asking(connection, method, params);
    if (call != null) {
      return call.asked(null, connection, question, method, params);
    }
    if (connection == null
        || latest(connection, one -> !one.isOver()) != null
        || !connections.states(connection, method, params)) {
      return Future.failedFuture(OpenQuestions.notOffered(method));
    }
    Question asked = new Question(question, method, ProgressToken.removedFrom(params), null, null);
    questions.early(connection, asked);
    return asked.answer();
  }

  /**
   * A question outlives the call that had it: another call under way there has it from now on, or
   * the next one if it is about the session.
   *
   * @return false if there is none: it may have belonged to that call alone
   */
  boolean keep(Opened own, Question question) {
    ParkedCall call = asking(own.id().value(), question.method(), question.params());
    if (call != null) {
      questions.put(call, question);
    } else if (question.isOfSession()) {
      questions.early(own.id().value(), question);
    }
    return call != null || question.isOfSession();
  }

  @Override
  public void withdrawn(String question) {
    questions.withdrawn(question);
  }

  @Override
  public void reported(String callId, String method, RawJson params) {}

  @Override
  public void heard(ServerNotice event) {
    String connection = event.connection();
    RawJson params = event.params();
    switch (event.type()) {
      case Events.LOG -> pass(call(event, call -> call.wantsLog(params)), event);
      case Events.NOTIFICATION, Events.TASK -> {
        if (event.method().equals(UrlElicitations.COMPLETE)) {
          calls.stream().filter(one -> one.isAt(connection)).forEach(one -> one.opened(params));
        } else if (!ListKind.announcedBy(event.method()).isEmpty()) {
          announced(connection, event.method(), params);
        } else if (event.type().equals(Events.TASK) || !Methods.isKnown(event.method())) {
          pass(call(event, call -> call.hears(event.type())), event);
        }
      }
      case Events.RESOURCE_UPDATED -> {
        ConnectionId server = connections.serverOf(connection);
        if (server != null) {
          DirectorySnapshot seen = connections.lists.over(host.directory().snapshot());
          streams.values().forEach(stream -> stream.updated(seen, server.value(), params));
        }
      }
      default -> {
        connections.changed(connection, event.type());
        unused.accept(this);
      }
    }
  }

  /** Its own session with a server announces another list. */
  private void announced(String connection, String method, RawJson params) {
    ConnectionId server = connections.serverOf(connection);
    if (server != null) {
      connections.lists.announced(server, method);
      streams.values().forEach(stream -> stream.announced(server.value(), method, params));
    }
  }

  private static void pass(@Nullable ParkedCall call, ServerNotice event) {
    if (call != null) {
      call.heard(event);
    }
  }

  // ---- its lists

  /** The kinds that it has read or listens to. */
  private Set<ListKind> wanted() {
    Set<ListKind> all = EnumSet.copyOf(listed);
    streams.values().forEach(stream -> all.addAll(stream.kinds()));
    return all;
  }

  /**
   * Completes when the client's private connections have their lists of that kind; at once without
   * one.
   */
  Future<Void> listed(ListRequest request) {
    listed.add(request.kind());
    return connections.listed(request.request().view(), request.kind(), request.statement());
  }

  DirectorySnapshot over(DirectorySnapshot shared) {
    return connections.lists.over(shared);
  }

  private void listsChanged() {
    DirectorySnapshot seen = connections.lists.over(host.directory().snapshot());
    streams.values().forEach(stream -> stream.changed(seen));
  }

  /** The shared lists have changed. */
  void noticed() {
    if (!streams.isEmpty()) {
      DirectorySnapshot seen = connections.lists.over(host.directory().snapshot());
      streams.values().forEach(stream -> stream.noticed(seen));
    }
  }

  // ---- its streams

  /** It listens with a response from now on. */
  void listens(ClientStream stream, Set<ListKind> kinds) {
    streams.put(stream.exchange, stream);
    stream.begins(connections.lists.over(host.directory().snapshot()), kinds);
    noteUse();
  }

  /** Completes when this host has the client; fails if another has it. */
  Future<Void> claimed() {
    return claimed;
  }

  /**
   * Begins or ends a subscription at the client's own session; fails if the server has none for it.
   */
  Future<RawJson> tell(
      String stream, ServerResource resource, boolean wanted, ClientStatement what) {
    ConnectionId server = new ConnectionId(resource.server());
    if (!wanted && !connections.has(server)) {
      return Future.succeededFuture(RawJson.EMPTY_OBJECT); // its session at the server has ended
    }
    return connection(resource.server(), what)
        .compose(
            own ->
                own.shared()
                    ? Future.failedFuture(
                        McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no own connection"))
                    : connections.subscription(
                        own.id(), resource, stream, wanted, RawJson.EMPTY_OBJECT));
  }

  /** The subscriptions of all its streams. */
  int watched() {
    return streams.values().stream().mapToInt(stream -> stream.watched.size()).sum();
  }

  /** A response has ended. */
  void gone(String exchange) {
    ClientStream stream = streams.remove(exchange);
    if (stream != null) {
      stream.watched.close();
      noteUse();
    }
  }

  /** Ends the streams whose HTTP verticle is gone. */
  void gone(Predicate<ClientStream> which) {
    new ArrayList<>(streams.values()).stream().filter(which).forEach(one -> gone(one.exchange));
  }

  @Override
  public void begun(ConnectionId server) {
    streams.values().forEach(stream -> stream.watched.renew(server.value()));
  }

  @Override
  public boolean watches(ConnectionId server) {
    return streams.values().stream().anyMatch(stream -> stream.watched.watches(server.value()));
  }

  Future<Void> close() {
    List.copyOf(calls).forEach(ParkedCall::cancel);
    questions.close("the client has gone");
    streams.values().forEach(ClientStream::end);
    streams.clear();
    return connections.close();
  }
}
