package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.dialect.HandshakeAnswers;
import dev.mcpbus.gateway.dialect.TaskForms;
import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.PublishedSession.StatedOnce;
import dev.mcpbus.internals.ByteBudget.ByteAccount;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.ProgressToken;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;

/**
 * What a client of the {@code initialize} era has stated once, and whose its session is: the rights
 * of its latest message. Confined to the host's context.
 */
final class StatedSession {

  /** Of the params of {@code initialize}, and of its notification, bytes. */
  private static final int MAX_STATED = 256 * 1024;

  /** Objects cost so many times their text; those of ordinary capabilities are not counted. */
  private static final int OBJECT_COST = 48;

  private static final int FREE_OBJECTS = 4 * 1024;

  private DirectoryView view;
  private Principal principal;
  private String text;
  private ProtocolVersion version;
  private ClientStatement statement;

  /** The account of its owner, which the client closes. */
  final ByteAccount kept;

  /** What a server of the {@code discover} era gets with each request. */
  final StatedOnce once;

  /**
   * @param params of {@code initialize}
   * @param kept an account of its owner
   * @throws McpFailure if they are too long, or their owner cannot pay for them
   */
  StatedSession(DirectoryView view, Principal principal, RawJson params, ByteAccount kept) {
    this.kept = kept;
    this.view = view;
    this.principal = principal;
    this.text = principal.text();
    RawJson can = params.member("capabilities");
    RawJson initialize = kept(params, can == null ? 0 : can.length());
    RawJson wanted = initialize.member("protocolVersion");
    this.version =
        ProtocolVersion.ofWire(wanted == null || !wanted.isString() ? "" : wanted.asString())
            .filter(known -> known.era() == Era.INITIALIZE)
            .orElse(ProtocolVersion.LATEST_INITIALIZE);
    RawJson stated = initialize.member("capabilities");
    RawJson name = initialize.member("clientInfo");
    RawJson capabilities = stated == null || !stated.isObject() ? RawJson.EMPTY_OBJECT : stated;
    this.once =
        new StatedOnce(
            capabilities,
            TaskForms.offering(capabilities),
            name == null || !name.isObject()
                ? RawJson.of(new Implementation("unknown", "").toJson())
                : name);
    this.statement =
        ClientStatement.of(
            ProgressToken.removedFrom(initialize)
                .with("protocolVersion", RawJson.string(version.wire())),
            null);
  }

  /**
   * What the client states and the session keeps, paid for; a copy, because the body of its request
   * may be longer.
   *
   * @param objects so many bytes of it are kept as objects as well
   */
  private RawJson kept(RawJson params, int objects) {
    int length = params.length();
    if (length > MAX_STATED) {
      throw McpFailure.notSent(
          FailureCode.LIMIT_EXCEEDED, "the params must have " + MAX_STATED + " bytes at most");
    }
    int cost = length + OBJECT_COST * Math.max(0, objects - FREE_OBJECTS);
    if (!kept.take(cost)) {
      throw McpFailure.unpaid(McpFailure.Sent.NO, kept.refusal(cost));
    }
    return RawJson.of(params.toString());
  }

  DirectoryView view() {
    return view;
  }

  Principal principal() {
    return principal;
  }

  /** {@code Principal.text()} of the latest message. */
  String text() {
    return text;
  }

  /** The version of the protocol that it speaks. */
  String version() {
    return version.wire();
  }

  /** What a connection of the client's own tells its server. */
  ClientStatement statement() {
    return statement;
  }

  /** The result of {@code initialize}. */
  RawJson initialized(HandshakeAnswers answers) {
    version = answers.version(view, version);
    return answers.initialize(view, version);
  }

  /**
   * The client has received the answer to {@code initialize}: so do its later connections.
   *
   * @param params of {@code notifications/initialized}
   */
  void initialized(RawJson params) {
    RawJson said = params.isAbsent() ? null : kept(params, 0);
    statement = new ClientStatement(statement.initialize(), said, statement.capabilities());
  }

  /** Whether a message comes by the session's path and from the session's principal. */
  boolean isOf(From from) {
    return view.name().equals(from.view())
        && (text.equals(from.principal())
            || principal.name().equals(Principal.nameIn(from.principal())));
  }

  /** These rights hold until the next message, also for what the session sends by itself. */
  void enter(DirectoryView seen, Principal now, String said) {
    view = seen;
    principal = now;
    text = said;
  }
}
