package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.InboundSpan;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.bus.TelemetryOperation;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TraceContext;
import io.vertx.core.AsyncResult;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import org.jspecify.annotations.Nullable;

/**
 * Carries the trace of an HTTP request on to its call, and measures the call where there is a
 * {@link Telemetry}. A trace that the message itself names, in {@code _meta}, counts more than that
 * of the HTTP headers (OpenTelemetry, conventions for MCP). Used on the bridge's context.
 */
final class MeasuredCalls {

  private static final String DOOR = "api";

  private final @Nullable Telemetry telemetry;

  MeasuredCalls(Vertx vertx) {
    this.telemetry = Telemetry.of(vertx);
  }

  /**
   * The call is about to leave: adds its trace to {@code options}.
   *
   * @param suffix of its address
   * @param body as it is sent; a raw request has its params inside
   * @return its operation; null where nothing is measured
   */
  @Nullable TelemetryOperation begin(
      MultiMap http, String suffix, RawJson body, DeliveryOptions options) {
    TraceContext transport = CallHeaders.trace(http);
    if (transport == null && telemetry == null) {
      return null;
    }
    RawJson params = suffix.equals(Addresses.REQUEST) ? body.member("params") : body;
    RawJson meta = params == null || !params.isObject() ? null : params.member("_meta");
    boolean named = TraceContext.isNamedBy(meta);
    TelemetryOperation operation =
        telemetry == null
            ? null
            : telemetry.received(
                new InboundSpan(
                    DOOR,
                    method(suffix, body),
                    null,
                    null,
                    named ? TraceContext.ofMeta(meta) : transport,
                    named ? transport : null));
    TraceContext own = operation == null ? null : operation.trace();
    CallHeaders.add(options, own == null && !named ? transport : own);
    return operation;
  }

  private static String method(String suffix, RawJson body) {
    ServerOperation known = ServerOperation.of(suffix);
    RawJson given = suffix.equals(Addresses.REQUEST) ? body.member("method") : null;
    if (known != null && known.method != null) {
      return known.method;
    }
    return given != null && given.isString() ? given.asString() : suffix;
  }

  /**
   * The call has its outcome.
   *
   * @param server empty where several servers or none are asked
   */
  static void end(
      TelemetryOperation operation, String server, AsyncResult<Message<Object>> outcome) {
    if (outcome.failed()) {
      operation.failed(McpFailure.of(outcome.cause()));
      return;
    }
    if (!server.isEmpty()) {
      operation.target(server, null); // it has answered, so there is a server of that id
    }
    operation.succeeded(outcome.result().headers().contains(Headers.TOOL_ERROR));
  }
}
