package dev.mcpbus.bus;

import dev.mcpbus.protocol.TraceContext;
import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.DeliveryOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Creates the delivery options of a call: its {@link Headers}, and how long the sender waits.
 * {@code connection.BusCall} reads the headers. Pure functions; any thread may call.
 */
public final class CallHeaders {

  /** On an HTTP response: how many times mcpbus has made the call again; absent for none. */
  public static final String HTTP_REPEATED = "Mcpbus-Repeated";

  private CallHeaders() {}

  /**
   * The options of a new call.
   *
   * @param callId the id by which {@link CallCancellation} names the call
   * @param left the time left, milliseconds, or {@link CallDeadline#NONE}
   */
  public static DeliveryOptions of(String callId, long left, CallDeadline.Layer layer) {
    return CallDeadline.set(new DeliveryOptions().addHeader(Headers.CALL_ID, callId), left, layer);
  }

  /** The options of a call that {@code layer} passes on; keeps all headers, also the deadline. */
  public static DeliveryOptions passedOn(MultiMap headers, CallDeadline.Layer layer) {
    long left = CallDeadline.left(headers);
    return new DeliveryOptions()
        .setHeaders(MultiMap.caseInsensitiveMultiMap().addAll(headers))
        .setSendTimeout(layer.timeout(left));
  }

  /** The trace that a message belongs to; null for none. */
  public static @Nullable TraceContext trace(MultiMap headers) {
    if (headers.isEmpty()) {
      return null;
    }
    String parent = headers.get(Headers.TRACEPARENT);
    String baggage = headers.get(Headers.BAGGAGE);
    return parent == null && baggage == null
        ? null
        : TraceContext.of(parent, joined(headers, Headers.TRACESTATE), baggage);
  }

  /** HTTP may have the state in several headers, which are one list. */
  private static @Nullable String joined(MultiMap headers, String name) {
    List<String> all = headers.getAll(name);
    return all.isEmpty() ? null : String.join(",", all);
  }

  /**
   * How many times mcpbus has made the call again that has this reply: {@link Headers#REPEATED}.
   */
  public static int repeats(MultiMap reply) {
    String times = reply.get(Headers.REPEATED);
    return times == null ? 0 : (int) Math.max(0, CallDeadline.read(times));
  }

  /** Adds the headers of the trace that a message belongs to, unless {@code trace} is null. */
  public static void add(DeliveryOptions options, @Nullable TraceContext trace) {
    if (trace != null) {
      add(options, Headers.TRACEPARENT, trace.traceparent());
      add(options, Headers.TRACESTATE, trace.tracestate());
      add(options, Headers.BAGGAGE, trace.baggage());
    }
  }

  /** Adds a header, unless {@code value} is null. */
  public static void add(DeliveryOptions options, String header, @Nullable String value) {
    if (value != null) {
      options.addHeader(header, value);
    }
  }
}
