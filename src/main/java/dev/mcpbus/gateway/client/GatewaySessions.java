package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerNotice;
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
import dev.mcpbus.gateway.request.HostMessage.OpenMessage;
import dev.mcpbus.gateway.request.HostMessage.PostMessage;
import dev.mcpbus.gateway.request.HostMessage.StreamMessage;
import dev.mcpbus.gateway.request.HostMessage.TakeMessage;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.RandomNames;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The sessions of clients of the {@code initialize} era at one session host, by their ids, within
 * the host's bound. In a cluster it takes sessions of lost hosts over ({@link SessionStore}).
 * Confined to the host's context.
 */
final class GatewaySessions {

  private final HostParts host;
  private final String name;
  private final HandshakeAnswers handshakes;
  private final Map<String, GatewaySession> sessions = new HashMap<>();

  /**
   * @param name of the host
   */
  GatewaySessions(HostParts host, String name, HandshakeAnswers handshakes) {
    this.host = host;
    this.name = name;
    this.handshakes = handshakes;
  }

  // ---- messages of endpoints

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
    GatewaySession opened = begin(session, view, principal, initialize);
    TelemetryOperation measured = opened.begins(id, request.params());
    JsonObject facts = SessionStore.facts(view, principal, initialize);
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
    of(post.session(), post.from()).post(message, post, HostMessage.envelope(message));
  }

  /** A call that went straight to a connection needs its session. */
  void take(Message<?> message, TakeMessage take) {
    GatewaySession session = sessions.get(take.session());
    if (session == null) {
      throw unknown();
    }
    session.requests.take(message, take);
  }

  /** The answer to such a call. */
  void answered(Message<?> message, AnswerMessage answer) {
    GatewaySession session = sessions.get(answer.session());
    if (session != null) {
      session.requests.answered(answer, (Buffer) message.body());
    }
  }

  private static McpFailure unknown() {
    return McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such session");
  }

  /** A client opens its standalone stream, or resumes one. */
  void stream(Message<?> message, StreamMessage stream) {
    GatewaySession session = of(stream.session(), stream.from());
    if (session.isLost(stream.after())) {
      throw McpFailure.maybeSent(FailureCode.OWNER_LOST, "that stream is lost with its node");
    }
    session.stream(message, stream);
  }

  /** A client ends its session. */
  void delete(Message<?> message, DeleteMessage delete) {
    end(of(delete.session(), delete.from()).id);
    message.reply(Buffer.buffer());
  }

  /** A client has closed a response. */
  void gone(GoneMessage gone) {
    GatewaySession session = sessions.get(gone.session());
    if (session != null) {
      session.gone(gone.exchange());
    }
  }

  /** A client knows event ids of a response. */
  void keep(KeepMessage keep) {
    GatewaySession session = sessions.get(keep.session());
    if (session != null) {
      session.keep(keep.exchange());
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
              if (name.equals(facts.getString(SessionStore.HOST)) && !sessions.containsKey(id)) {
                resume(id, facts);
              }
              return HostMessage.at(facts.getString(SessionStore.HOST, ""));
            })
        .onComplete(
            found -> message.reply(Buffer.buffer(), found),
            failure -> message.reply(McpErrors.of(failure)));
  }

  private void resume(String id, JsonObject facts) {
    begin(
            id,
            facts.getString(SessionStore.VIEW, ""),
            facts.getString(SessionStore.PRINCIPAL, ""),
            SessionStore.initialize(facts))
        .resume(facts);
    host.store().keep(id, facts);
  }

  /** The session of a message, with the rights of the message. */
  private GatewaySession of(String id, From from) {
    GatewaySession session = sessions.get(id);
    if (session == null || !session.isOf(from) || !session.enter(from.principal())) {
      throw unknown();
    }
    session.touch();
    return session;
  }

  private GatewaySession begin(String id, String view, String principal, RawJson initialize) {
    Principal caller = Principal.parse(principal);
    DirectoryView seen = host.directory().view(view, caller);
    if (seen == null) {
      throw McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such view");
    }
    GatewaySession session = new GatewaySession(host, id, seen, caller, initialize);
    admit(session);
    return session;
  }

  /**
   * At the bound the session that has been idle longest ends for the new one: its client receives
   * 404 and begins a new session.
   */
  private void admit(GatewaySession session) {
    FairLimit.Verdict<String> verdict = host.bound().admit(session.id, session.owner());
    if (verdict.isRefused()) {
      session.close();
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
    String idle = verdict.victim();
    if (idle != null) {
      end(idle);
    }
    sessions.put(session.id, session);
    host.published().put(session.id, session.published);
    host.bound().use(session.id, session.isInUse());
  }

  // ---- what comes from servers and nodes

  /** The shared lists have changed. */
  void changed() {
    sessions.values().forEach(GatewaySession::changed);
  }

  /** A server reports over a shared connection that a resource or a task has changed. */
  void updated(ServerNotice event) {
    sessions.values().forEach(session -> session.updated(event));
  }

  /** A node has left the cluster, and with it the responses of its HTTP verticles. */
  void left(String node) {
    sessions.values().forEach(session -> session.left(node));
  }

  /** Closes the sessions that other hosts have taken over while this node seemed lost. */
  void renew(boolean all) {
    host.store()
        .renew(all)
        .onSuccess(
            lost ->
                lost.forEach(
                    id -> {
                      GatewaySession session = sessions.remove(id);
                      if (session != null) {
                        session.close();
                      }
                    }));
  }

  /** Ends sessions that were idle for so long. */
  void sweep(long idleNanos) {
    long now = System.nanoTime();
    List.copyOf(sessions.values()).stream()
        .filter(session -> session.isIdle(now, idleNanos) && session.published.closeIfIdle())
        .forEach(session -> end(session.id));
    renew(false);
  }

  // ---- the end

  /** Whether calls are in flight. */
  boolean isBusy() {
    return sessions.values().stream().anyMatch(GatewaySession::isBusy);
  }

  /** Ends the standalone streams. */
  void hangUp() {
    sessions.values().forEach(GatewaySession::hangUp);
  }

  void end(String id) {
    GatewaySession session = sessions.remove(id);
    if (session != null) {
      host.store().end(id);
      session.close();
    }
  }

  /** Ends all sessions; other hosts may take them over. */
  Future<Void> close() {
    List<Future<Void>> ending = new ArrayList<>();
    sessions.values().forEach(session -> ending.add(session.close()));
    sessions.clear();
    return Future.join(ending).mapEmpty();
  }
}
