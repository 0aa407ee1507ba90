package dev.mcpbus.observability.tracing;

import dev.mcpbus.bus.ConnectionFacts;
import dev.mcpbus.bus.ConnectionTelemetry;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.InboundSpan;
import dev.mcpbus.bus.McpBusVersion;
import dev.mcpbus.bus.MetricsPage;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.bus.TelemetryOperation;
import dev.mcpbus.bus.TelemetryOptions;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends spans to a collector. OpenTelemetry's own variables ({@code OTEL_*}) configure the exporter
 * and count more than the options. Spans wait in a bounded queue for a thread of the SDK, which
 * alone talks to the collector: a collector that is slow or gone costs spans and never a call. Any
 * thread may call.
 */
public final class TracingTelemetry implements Telemetry {

  private static final long FLUSH_SECONDS = 2;

  private final Tracer tracer;
  private final Supplier<Future<Void>> end;

  /**
   * @param end sends what is left
   */
  TracingTelemetry(OpenTelemetry openTelemetry, Supplier<Future<Void>> end) {
    this.end = end;
    this.tracer =
        openTelemetry
            .getTracerProvider()
            .tracerBuilder("dev.mcpbus")
            .setInstrumentationVersion(McpBusVersion.current())
            .build();
  }

  /**
   * Makes the SDK.
   *
   * @throws RuntimeException where the variables or options name something that does not exist
   */
  public static TracingTelemetry of(Vertx vertx, TelemetryOptions options) {
    OpenTelemetrySdk sdk =
        AutoConfiguredOpenTelemetrySdk.builder()
            .addPropertiesSupplier(() -> properties(options))
            .disableShutdownHook()
            .build()
            .getOpenTelemetrySdk();
    return new TracingTelemetry(
        sdk,
        () ->
            vertx
                .executeBlocking(() -> sdk.shutdown().join(FLUSH_SECONDS, TimeUnit.SECONDS), false)
                .mapEmpty());
  }

  /** Metrics have a page of their own, and logs a file. */
  private static Map<String, String> properties(TelemetryOptions options) {
    Map<String, String> all = new HashMap<>();
    all.put("otel.service.name", options.service() == null ? "mcpbus" : options.service());
    all.put("otel.resource.attributes", "service.version=" + McpBusVersion.current());
    all.put("otel.metrics.exporter", "none");
    all.put("otel.logs.exporter", "none");
    all.put("otel.traces.exporter", "otlp");
    all.put("otel.exporter.otlp.protocol", "http/protobuf");
    if (options.endpoint() != null) {
      all.put("otel.exporter.otlp.endpoint", options.endpoint());
    }
    if (options.sampling() != null) {
      all.put("otel.traces.sampler", "parentbased_traceidratio");
      all.put("otel.traces.sampler.arg", String.valueOf(options.sampling()));
    }
    return all;
  }

  @Override
  public ConnectionTelemetry connection(ConnectionFacts facts) {
    return new TracedConnection(tracer, facts);
  }

  /** "SHOULD use context extracted from MCP params._meta and SHOULD link current context". */
  @Override
  public TelemetryOperation received(InboundSpan request) {
    String method = SpanOperation.bounded(request.method());
    SpanBuilder builder =
        tracer
            .spanBuilder(method)
            .setSpanKind(SpanKind.SERVER)
            .setParent(TraceTexts.parent(request.trace()))
            .setAttribute("mcp.method.name", method);
    SpanContext transport = TraceTexts.span(request.transport());
    if (transport.isValid()) {
      builder.addLink(transport);
    }
    Span span = builder.startSpan();
    if (span.isRecording()) {
      describe(span, request);
    }
    return new SpanOperation(span, method, TraceTexts.carried(span, request.trace()));
  }

  private static void describe(Span span, InboundSpan request) {
    span.setAttribute("mcpbus.door", request.door());
    span.setAttribute("network.transport", "tcp");
    span.setAttribute("network.protocol.name", "http");
    RawJson id = request.id();
    if (id != null) {
      span.setAttribute(
          "jsonrpc.request.id",
          SpanOperation.bounded(id.isString() ? id.asString() : id.toString()));
    }
    if (request.version() != null) {
      span.setAttribute("mcp.protocol.version", request.version());
    }
    if (request.method().equals(Methods.TOOLS_CALL)) {
      span.setAttribute("gen_ai.operation.name", "execute_tool");
    }
  }

  /** A session is no span: it has no beginning that a caller knows. */
  @Override
  public void sessionEnded(String version, long nanos) {}

  @Override
  public void repeated(String server, FailureCode code) {}

  @Override
  public @Nullable MetricsPage page() {
    return null;
  }

  @Override
  public Future<Void> close() {
    return end.get();
  }
}
