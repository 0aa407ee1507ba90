package dev.mcpbus.observability.tracing;

import dev.mcpbus.protocol.TraceContext;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Between the texts that messages carry and the contexts of OpenTelemetry. Pure functions. */
final class TraceTexts {

  private static final String PARENT = "traceparent";
  private static final String STATE = "tracestate";

  private TraceTexts() {}

  /** The context to be the parent of a span; a new trace where the message names none. */
  static Context parent(@Nullable TraceContext carried) {
    return carried == null || carried.traceparent() == null
        ? Context.root()
        : W3CTraceContextPropagator.getInstance().extract(Context.root(), carried, Getter.ONE);
  }

  /** The span that a message names; invalid where it names none. */
  static SpanContext span(@Nullable TraceContext carried) {
    return Span.fromContext(parent(carried)).getSpanContext();
  }

  /** What messages within {@code span} carry; the baggage of the caller goes on as it came. */
  static @Nullable TraceContext carried(Span span, @Nullable TraceContext came) {
    SpanContext own = span.getSpanContext();
    String baggage = came == null ? null : came.baggage();
    if (own.isValid() && own.getTraceState().isEmpty()) {
      return new TraceContext(
          "00-" + own.getTraceId() + "-" + own.getSpanId() + "-" + own.getTraceFlags().asHex(),
          null,
          baggage);
    }
    Map<String, String> texts = new HashMap<>();
    W3CTraceContextPropagator.getInstance()
        .inject(Context.root().with(span), texts, (into, key, value) -> put(into, key, value));
    return TraceContext.of(texts.get(PARENT), texts.get(STATE), baggage);
  }

  private static void put(@Nullable Map<String, String> into, String key, String value) {
    if (into != null) {
      into.put(key, value);
    }
  }

  private enum Getter implements TextMapGetter<TraceContext> {
    ONE;

    @Override
    public @Nullable String get(@Nullable TraceContext carrier, String key) {
      if (carrier == null) {
        return null;
      }
      return switch (key) {
        case PARENT -> carrier.traceparent();
        case STATE -> carrier.tracestate();
        default -> null;
      };
    }
  }
}
