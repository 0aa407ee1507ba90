package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.HeaderValue;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.McpHeaders;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ServerDescription;
import dev.mcpbus.protocol.TasksExtension;
import dev.mcpbus.transport.OutboundMessage;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The era of 2026-07-28, which is stateless. The answer to {@code server/discover} describes the
 * server; each request describes itself in {@code _meta}, and over HTTP in headers too (MCP
 * 2026-07-28, Base Protocol; Streamable HTTP, Request Metadata). {@code Handshake} makes one for
 * each session. Owner: the connection's context.
 */
public final class DiscoverEra implements SessionEra {

  private final ProtocolVersion spoken = ProtocolVersion.LATEST_DISCOVER;
  private final RawJson clientInfo;
  private final RawJson version = RawJson.string(spoken.wire());
  private final SessionPreferences preferences;
  private RawJson meta = RawJson.EMPTY_OBJECT;
  private long metaOf = -1;

  /** The server offers tasks: our requests then say that it may answer with one. */
  private boolean tasks;

  /**
   * @param clientInfo who speaks, with every member that is to be stated
   */
  public DiscoverEra(RawJson clientInfo, SessionPreferences preferences) {
    this.clientInfo = clientInfo;
    this.preferences = preferences;
  }

  @Override
  public Era era() {
    return Era.DISCOVER;
  }

  @Override
  public Future<ServerDescription> open(Session session) {
    return ask(session)
        .recover(failure -> namesOurVersion(failure) ? ask(session) : Future.failedFuture(failure))
        .compose(
            result -> accept(session, result), failure -> Future.failedFuture(explain(failure)));
  }

  private static Future<RawJson> ask(Session session) {
    return session.request(Methods.DISCOVER, null, session.openingTimeout());
  }

  /**
   * True where the server refuses our version and lists it at once: "The client SHOULD select a
   * mutually supported version from the supported list and retry the request" (MCP 2026-07-28,
   * Protocol Version Negotiation).
   */
  private boolean namesOurVersion(Throwable failure) {
    JsonArray versions = supported(failure);
    return versions != null && versions.contains(spoken.wire());
  }

  /** The versions that a server lists when it refuses ours; null for any other failure. */
  private static @Nullable JsonArray supported(Throwable failure) {
    JsonObject error = ConnectionFailures.upstreamError(failure);
    return error != null
            && error.getInteger("code", 0) == JsonRpcError.UNSUPPORTED_VERSION
            && error.getValue("data") instanceof JsonObject data
            && data.getValue("supported") instanceof JsonArray versions
        ? versions
        : null;
  }

  private Future<ServerDescription> accept(Session session, RawJson result) {
    if (session.version() != null) {
      return Future.failedFuture(ConnectionFailures.answeredTooLate());
    }
    JsonObject json = result.toJsonObject();
    if (!(json.getValue("supportedVersions") instanceof JsonArray versions)) {
      return Future.failedFuture(
          McpFailure.notSent(
              FailureCode.PROTOCOL_ERROR,
              "the answer to server/discover has no list \"supportedVersions\""));
    }
    if (!versions.contains(spoken.wire())) {
      return Future.failedFuture(unsupported(versions));
    }
    session.negotiated(spoken);
    ServerDescription server = ServerDescription.ofDiscover(result, spoken);
    tasks = TasksExtension.isOfferedBy(true, server.capabilities());
    metaOf = -1;
    return Future.succeededFuture(server);
  }

  private static Throwable explain(Throwable failure) {
    JsonArray versions = supported(failure);
    return versions == null ? failure : unsupported(versions);
  }

  private static McpFailure unsupported(JsonArray theirs) {
    return new McpFailure(
        FailureCode.UNSUPPORTED_VERSION,
        McpFailure.Sent.NO,
        "the server speaks protocol versions "
            + theirs.encode()
            + ", mcpbus speaks "
            + ProtocolVersion.supported(),
        -1,
        new JsonObject().put("supported", theirs));
  }

  @Override
  public RawJson params(@Nullable RawJson params, long id, PendingRequest call) {
    RawJson base = params == null ? RawJson.EMPTY_OBJECT : params;
    RawJson own = base.member("_meta");
    RawJson meta =
        own == null || !own.isObject()
            ? common()
            : call.input() == null ? joined(own) : stated(own);
    RawJson all = RequestMeta.added(meta, id, call, call.carried());
    return own == null ? base.withNew("_meta", all) : base.with("_meta", all);
  }

  /**
   * The caller answers questions itself: its own {@code _meta} stands, and we add what it left out
   * and each request must have. A client may keep its name to itself (MCP 2026-07-28, Base
   * Protocol, Per-request protocol fields).
   */
  private RawJson stated(RawJson given) {
    RawJson own = given.indexed();
    RawJson all = own;
    if (!version.equals(own.member(MetaKeys.PROTOCOL_VERSION))) {
      all = all.with(MetaKeys.PROTOCOL_VERSION, version);
    }
    return own.member(MetaKeys.CLIENT_CAPABILITIES) == null
        ? all.with(MetaKeys.CLIENT_CAPABILITIES, RawJson.EMPTY_OBJECT)
        : all;
  }

  private RawJson joined(RawJson own) {
    RawJson joined =
        own.with(MetaKeys.PROTOCOL_VERSION, version)
            .with(MetaKeys.CLIENT_INFO, clientInfo)
            .with(MetaKeys.CLIENT_CAPABILITIES, capabilities());
    RawJson level = preferences.logLevel();
    return level == null ? joined : joined.with(MetaKeys.LOG_LEVEL, level);
  }

  private RawJson capabilities() {
    RawJson own = preferences.capabilities();
    if (!tasks) {
      return own;
    }
    RawJson extensions = own.member("extensions");
    return own.with(
        "extensions",
        (extensions == null ? RawJson.EMPTY_OBJECT : extensions)
            .with(TasksExtension.ID, RawJson.EMPTY_OBJECT));
  }

  /** The part of {@code _meta} that all requests share; made again when the preferences change. */
  private RawJson common() {
    if (metaOf != preferences.generation()) {
      metaOf = preferences.generation();
      meta =
          RawJson.EMPTY_OBJECT
              .with(MetaKeys.CLIENT_CAPABILITIES, capabilities())
              .with(MetaKeys.CLIENT_INFO, clientInfo)
              .with(MetaKeys.PROTOCOL_VERSION, version);
      RawJson level = preferences.logLevel();
      meta = level == null ? meta : meta.with(MetaKeys.LOG_LEVEL, level);
    }
    return meta;
  }

  @Override
  public List<OutboundMessage.MessageHeader> headers(
      Session session, @Nullable RawJson params, PendingRequest call) {
    if (!session.hasRequestStreams()) {
      return List.of();
    }
    List<OutboundMessage.MessageHeader> headers = new ArrayList<>(4);
    if (session.version() == null) {
      headers.add(new OutboundMessage.MessageHeader(McpHeaders.PROTOCOL_VERSION, spoken.wire()));
    }
    headers.add(
        new OutboundMessage.MessageHeader(McpHeaders.METHOD, HeaderValue.encode(call.method())));
    String member = McpHeaders.NAMED_BY.get(call.method());
    RawJson name = member == null || params == null ? null : params.member(member);
    if (name != null && name.isString()) {
      headers.add(
          new OutboundMessage.MessageHeader(McpHeaders.NAME, HeaderValue.encode(name.asString())));
    }
    headers.addAll(call.headers());
    return headers;
  }

  /**
   * Over HTTP the client cancels by closing the request's stream (Cancellation): nothing to send.
   */
  @Override
  public void cancel(Session session, long id, RawJson params) {
    if (!session.hasRequestStreams()) {
      session.notify(Methods.CANCELLED, params);
    }
  }

  @Override
  public String pingMethod() {
    return Methods.DISCOVER;
  }

  @Override
  public @Nullable String wrong(RawJson answer) {
    RawJson versions = answer.member("supportedVersions");
    if (versions == null || !versions.isArray()) {
      return "the answer to server/discover has no list \"supportedVersions\"";
    }
    return versions.elements().contains(version)
        ? null
        : "the server no longer speaks the version that was settled on: it lists " + versions;
  }
}
