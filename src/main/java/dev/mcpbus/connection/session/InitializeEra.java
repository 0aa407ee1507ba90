package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ServerDescription;
import dev.mcpbus.protocol.TraceContext;
import dev.mcpbus.transport.OutboundMessage;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The era of 2024-11-05 to 2025-11-25: {@code initialize}, its answer, {@code
 * notifications/initialized} (MCP 2025-11-25, Lifecycle). {@code Handshake} makes one for each
 * session. Owner: the connection's context.
 */
public final class InitializeEra implements SessionEra {

  private final RawJson stated;
  private final @Nullable RawJson initialized;
  private final SessionPreferences preferences;
  private final @Nullable ProtocolVersion pinned;
  private final ProtocolVersion offered;

  /**
   * @param stated the params of the opening request: who speaks, and every other member but the
   *     version and the capabilities, which are filled in
   * @param initialized the params of {@code notifications/initialized}; null for none
   * @param pinned the only version to speak; null for any that both sides know
   * @param offered the version to offer if none is pinned
   */
  public InitializeEra(
      RawJson stated,
      @Nullable RawJson initialized,
      SessionPreferences preferences,
      @Nullable ProtocolVersion pinned,
      ProtocolVersion offered) {
    this.stated = stated;
    this.initialized = initialized;
    this.preferences = preferences;
    this.pinned = pinned;
    this.offered = pinned == null ? offered : pinned;
  }

  @Override
  public Era era() {
    return Era.INITIALIZE;
  }

  @Override
  public Future<ServerDescription> open(Session session) {
    RawJson params =
        stated
            .with("capabilities", preferences.advertise())
            .with("protocolVersion", RawJson.string(offered.wire()));
    return session
        .request(Methods.INITIALIZE, params, session.openingTimeout())
        .compose(
            result -> accept(session, result), failure -> Future.failedFuture(explain(failure)));
  }

  /**
   * "If the client does not support the version in the server's response, it SHOULD disconnect"
   * (MCP 2025-11-25, Lifecycle, Version Negotiation).
   */
  private Future<ServerDescription> accept(Session session, RawJson raw) {
    if (session.version() != null) {
      return Future.failedFuture(ConnectionFailures.answeredTooLate());
    }
    ServerDescription result = ServerDescription.ofInitialize(raw);
    Optional<ProtocolVersion> version =
        ProtocolVersion.ofWire(result.protocolVersion()).filter(v -> v.era() == Era.INITIALIZE);
    if (version.isEmpty()) {
      return Future.failedFuture(unsupported("\"" + result.protocolVersion() + "\""));
    }
    if (pinned != null && version.get() != pinned) {
      return Future.failedFuture(
          McpFailure.notSent(
              FailureCode.UNSUPPORTED_VERSION,
              "the server answers with protocol version "
                  + version.get().wire()
                  + ", and the configuration pins "
                  + pinned.wire()
                  + "; correct or remove \"protocolVersion\""));
    }
    session.negotiated(version.get());
    session.notify(Methods.INITIALIZED, initialized);
    return Future.succeededFuture(result);
  }

  /** Some servers answer an unknown version with an error that lists theirs. */
  private static Throwable explain(Throwable failure) {
    JsonObject error = ConnectionFailures.upstreamError(failure);
    if (error != null
        && error.getValue("data") instanceof JsonObject data
        && data.containsKey("supported")) {
      return unsupported(String.valueOf(data.getValue("supported")));
    }
    return failure;
  }

  private static McpFailure unsupported(String theirs) {
    return McpFailure.notSent(
        FailureCode.UNSUPPORTED_VERSION,
        "the server speaks protocol version "
            + theirs
            + ", mcpbus speaks "
            + ProtocolVersion.supported());
  }

  @Override
  public @Nullable RawJson params(@Nullable RawJson params, long id, PendingRequest call) {
    boolean stated = call.input() != null;
    TraceContext trace = call.carried();
    boolean adds = trace != null || call.progressAddress() != null;
    if (!stated && !adds) {
      return params;
    }
    RawJson base = params == null ? RawJson.EMPTY_OBJECT : params;
    RawJson own = base.member("_meta");
    boolean object = own != null && own.isObject();
    if (!object && !adds) {
      return params;
    }
    RawJson meta = own == null || !object ? RawJson.EMPTY_OBJECT : own;
    if (stated) {
      meta = RequestMeta.withoutDiscoverMembers(meta);
    }
    return withMeta(base, own, RequestMeta.added(meta, id, call, trace));
  }

  /** The params with that {@code _meta}; without any if it has lost all that the caller's had. */
  private static RawJson withMeta(RawJson params, @Nullable RawJson own, RawJson meta) {
    return own != null && meta.length() < own.length() && meta.members().isEmpty()
        ? params.without("_meta")
        : params.with("_meta", meta);
  }

  @Override
  public @Nullable RawJson told(@Nullable RawJson params, PendingRequest call) {
    if (params == null || call.input() == null) {
      return params;
    }
    RawJson own = params.member("_meta");
    return own == null || !own.isObject()
        ? params
        : withMeta(params, own, RequestMeta.withoutDiscoverMembers(own));
  }

  @Override
  public List<OutboundMessage.MessageHeader> headers(
      Session session, @Nullable RawJson params, PendingRequest call) {
    return List.of();
  }

  @Override
  public void cancel(Session session, long id, RawJson params) {
    session.notify(Methods.CANCELLED, params);
  }

  @Override
  public String pingMethod() {
    return Methods.PING;
  }
}
