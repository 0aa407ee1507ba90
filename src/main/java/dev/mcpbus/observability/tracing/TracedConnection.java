package dev.mcpbus.observability.tracing;

import dev.mcpbus.bus.ConnectionFacts;
import dev.mcpbus.bus.ConnectionTelemetry;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.OutboundSpan;
import dev.mcpbus.bus.TelemetryOperation;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TraceContext;
import dev.mcpbus.protocol.UrlPlace;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/**
 * The spans of one connection: a request of a caller is one, a request of the connection itself,
 * such as a health check, is none. Owner: the connection's context.
 */
final class TracedConnection implements ConnectionTelemetry {

  private final Tracer tracer;
  private final Attributes common;
  private String version = "";

  TracedConnection(Tracer tracer, ConnectionFacts facts) {
    this.tracer = tracer;
    this.common = common(facts);
  }

  private static Attributes common(ConnectionFacts facts) {
    AttributesBuilder all = Attributes.builder().put("mcpbus.server", facts.server());
    switch (facts.transport()) {
      case "stdio" -> all.put("network.transport", "pipe");
      case "http", "sse" -> {
        all.put("network.transport", "tcp").put("network.protocol.name", "http");
        place(all, facts.place());
      }
      case "socket" ->
          all.put("network.transport", facts.place().startsWith("unix") ? "unix" : "tcp");
      default -> {}
    }
    return all.build();
  }

  private static void place(AttributesBuilder all, String url) {
    try {
      UrlPlace place = UrlPlace.of(URI.create(url));
      if (place.host() != null) {
        int implied = url.startsWith("https:") ? 443 : 80;
        all.put("server.address", place.host())
            .put("server.port", place.port() < 0 ? implied : place.port());
      }
    } catch (IllegalArgumentException noUrl) {
      // Then there is no address to tell.
    }
  }

  @Override
  public @Nullable TelemetryOperation sent(OutboundSpan request) {
    if (!request.ofCaller()) {
      return null;
    }
    RawJson params = request.params();
    TraceContext came = request.trace();
    if (came == null || came.traceparent() == null) {
      TraceContext own = TraceContext.ofMeta(params == null ? null : params.member("_meta"));
      came = own == null ? came : own;
    }
    String method = SpanOperation.bounded(request.method());
    Span span =
        tracer
            .spanBuilder(method)
            .setSpanKind(SpanKind.CLIENT)
            .setParent(TraceTexts.parent(came))
            .setAttribute("mcp.method.name", method)
            .startSpan();
    if (!span.isRecording()) {
      // What came goes on. An id of its own would be in no trace, and to write it into each request
      // is most of what tracing costs.
      return new SpanOperation(span, method, came);
    }
    SpanOperation operation = new SpanOperation(span, method, TraceTexts.carried(span, came));
    describe(span, operation, request);
    return operation;
  }

  private void describe(Span span, SpanOperation operation, OutboundSpan request) {
    span.setAllAttributes(common);
    span.setAttribute("jsonrpc.request.id", Long.toString(request.id()));
    if (!version.isEmpty()) {
      span.setAttribute("mcp.protocol.version", version);
    }
    if (request.method().equals(Methods.TOOLS_CALL)) {
      span.setAttribute("gen_ai.operation.name", "execute_tool");
    }
    String listed = request.item();
    RawJson params = request.params();
    if (listed != null) {
      operation.named(listed);
    } else if (params != null) {
      text(params, "name", operation);
    }
    if (params != null && request.method().startsWith("resources/")) {
      RawJson uri = params.member("uri");
      if (uri != null && uri.isString()) {
        span.setAttribute("mcp.resource.uri", SpanOperation.bounded(uri.asString()));
      }
    }
  }

  private static void text(RawJson params, String member, SpanOperation operation) {
    RawJson name = params.member(member);
    if (name != null && name.isString()) {
      operation.item(name.asString());
    }
  }

  @Override
  public void ready(@Nullable String spoken, long pid) {
    version = spoken == null ? "" : spoken;
  }

  // A connection's own life is no operation.

  @Override
  public void bytes(int out, int in) {}

  @Override
  public void dropped() {}

  @Override
  public void restarted() {}

  @Override
  public void ended(@Nullable McpFailure reason) {}

  @Override
  public void close() {}
}
