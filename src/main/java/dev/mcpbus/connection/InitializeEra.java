package dev.mcpbus.connection;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.InitializeResult;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The handshake of 2024-11-05 to 2025-11-25: {@code initialize}, its answer, {@code
 * notifications/initialized} (MCP 2025-11-25, Lifecycle).
 */
final class InitializeEra implements SessionEra {

  private final Implementation clientInfo;
  private final JsonObject capabilities;

  InitializeEra(Implementation clientInfo, JsonObject capabilities) {
    this.clientInfo = clientInfo;
    this.capabilities = capabilities;
  }

  @Override
  public Era era() {
    return Era.INITIALIZE;
  }

  @Override
  public Future<InitializeResult> open(Session session) {
    JsonObject params =
        new JsonObject()
            .put("protocolVersion", ProtocolVersion.LATEST_INITIALIZE.wire())
            .put("capabilities", capabilities)
            .put("clientInfo", clientInfo.toJson());
    return session
        .request(Methods.INITIALIZE, RawJson.of(params), session.options().handshakeTimeout())
        .compose(
            result -> accept(session, result), failure -> Future.failedFuture(explain(failure)));
  }

  private static Future<InitializeResult> accept(Session session, RawJson raw) {
    InitializeResult result = InitializeResult.of(raw);
    Optional<ProtocolVersion> version = ProtocolVersion.ofWire(result.protocolVersion());
    if (version.isEmpty()) {
      return Future.failedFuture(unsupported("\"" + result.protocolVersion() + "\""));
    }
    session.negotiated(version.get());
    session.notify(Methods.INITIALIZED, null);
    return Future.succeededFuture(result);
  }

  /** Some servers answer an unknown version with an error that lists theirs. */
  private static Throwable explain(Throwable failure) {
    if (failure instanceof McpFailure mcp && mcp.code() == FailureCode.UPSTREAM_ERROR) {
      JsonObject error = mcp.data().getJsonObject("error", new JsonObject());
      if (error.getValue("data") instanceof JsonObject data && data.containsKey("supported")) {
        return unsupported(String.valueOf(data.getValue("supported")));
      }
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
  public @Nullable RawJson params(@Nullable RawJson params) {
    return params;
  }

  @Override
  public void cancel(Session session, long id, String reason) {
    session.notify(
        Methods.CANCELLED, RawJson.of(new JsonObject().put("requestId", id).put("reason", reason)));
  }
}
