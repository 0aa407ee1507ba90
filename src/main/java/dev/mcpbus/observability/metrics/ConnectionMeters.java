package dev.mcpbus.observability.metrics;

import dev.mcpbus.bus.ConnectionFacts;
import dev.mcpbus.bus.ConnectionTelemetry;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.OutboundSpan;
import dev.mcpbus.bus.TelemetryOperation;
import dev.mcpbus.protocol.TraceContext;
import io.micrometer.core.instrument.Tags;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The meters of one connection. The connection's context alone writes them, so that recording needs
 * no lock and finds its timer in a map of its own; the thread that writes the page reads the
 * counts.
 */
final class ConnectionMeters implements ConnectionTelemetry {

  /** What a connection counts. */
  enum Count {
    SENT_BYTES,
    RECEIVED_BYTES,
    DROPPED,
    RESTARTS,
    /** In the name of the principal whose connection it is. */
    CALLER_REQUESTS
  }

  private final ServerMeters server;
  private final ConnectionFacts facts;
  private final Consumer<ConnectionMeters> closing;
  private final TransportLabels transport;
  private final Map<Count, AtomicLong> counts = new EnumMap<>(Count.class);
  private final Map<OperationLabels, DurationHistogram> timers = new HashMap<>();

  /** The timers of requests that succeed, by the name of the tool: found without a new object. */
  private final Map<String, Map<String, DurationHistogram>> successes = new HashMap<>();

  private @Nullable String version;
  private long readySince;
  private volatile long pid = -1;

  /**
   * @param closing takes this connection when it has ended
   */
  ConnectionMeters(ServerMeters server, ConnectionFacts facts, Consumer<ConnectionMeters> closing) {
    this.server = server;
    this.facts = facts;
    this.closing = closing;
    this.transport = TransportLabels.of(facts.transport(), facts.place());
    for (Count count : Count.values()) {
      counts.put(count, new AtomicLong());
    }
  }

  ServerMeters server() {
    return server;
  }

  ConnectionFacts facts() {
    return facts;
  }

  /** The child process of this moment; -1 for none. Any thread may call. */
  long pid() {
    return pid;
  }

  /** Any thread may call. */
  long get(Count count) {
    return of(count).get();
  }

  private AtomicLong of(Count count) {
    return Objects.requireNonNull(counts.get(count));
  }

  private void add(Count count, long more) {
    AtomicLong number = of(count);
    number.setRelease(number.getPlain() + more); // one writer
  }

  @Override
  public TelemetryOperation sent(OutboundSpan request) {
    if (request.ofCaller() && facts.principal() != null) {
      add(Count.CALLER_REQUESTS, 1);
    }
    return new SentOperation(this, request.method(), request.item(), System.nanoTime());
  }

  @Override
  public void bytes(int out, int in) {
    if (out > 0) {
      add(Count.SENT_BYTES, out);
    }
    if (in > 0) {
      add(Count.RECEIVED_BYTES, in);
    }
  }

  @Override
  public void dropped() {
    add(Count.DROPPED, 1);
  }

  @Override
  public void restarted() {
    add(Count.RESTARTS, 1);
  }

  @Override
  public void ready(@Nullable String spoken, long child) {
    pid = child;
    readySince = System.nanoTime();
    if (spoken != null && !spoken.equals(version)) {
      version = spoken;
      timers.clear();
      successes.clear();
    }
  }

  @Override
  public void ended(@Nullable McpFailure reason) {
    pid = -1;
    String error = reason == null ? "" : reason.code().name();
    Tags labels = Tags.of("error.type", error).and(transport.tags(version));
    DurationHistogram timer = server.timer(OperationTimers.CLIENT_SESSION, labels);
    if (timer != null) {
      timer.record(System.nanoTime() - readySince);
    }
  }

  @Override
  public void close() {
    pid = -1;
    closing.accept(this);
  }

  private void succeeded(String method, @Nullable String item, long nanos) {
    String name = item == null ? "" : item;
    Map<String, DurationHistogram> ofMethod = successes.get(method);
    DurationHistogram timer = ofMethod == null ? null : ofMethod.get(name);
    if (timer != null) {
      timer.record(nanos);
      return;
    }
    String known = OperationLabels.method(method);
    timer = timer(OperationLabels.of(known, label(item), false));
    if (timer != null) {
      timer.record(nanos);
      if (known.equals(method) && isBounded(name)) {
        successes.computeIfAbsent(method, first -> new HashMap<>()).put(name, timer);
      }
    }
  }

  /** Only names that have a label of their own are remembered. */
  private boolean isBounded(String name) {
    return name.isEmpty() || server.items().has(name);
  }

  private void missed(OperationLabels labels, long nanos) {
    DurationHistogram timer = timer(labels);
    if (timer != null) {
      timer.record(nanos);
    }
  }

  private @Nullable DurationHistogram timer(OperationLabels labels) {
    DurationHistogram known = timers.get(labels);
    if (known == null) {
      known =
          server.timer(
              OperationTimers.CLIENT_OPERATION, labels.tags().and(transport.tags(version)));
      if (known != null) {
        timers.put(labels, known);
      }
    }
    return known;
  }

  private String label(@Nullable String item) {
    return item == null ? "" : server.items().label(item);
  }

  /** One request that waits for its answer. */
  private record SentOperation(
      ConnectionMeters meters, String method, @Nullable String item, long since)
      implements TelemetryOperation {

    @Override
    public @Nullable TraceContext trace() {
      return null;
    }

    @Override
    public void target(String server, @Nullable String named) {}

    @Override
    public void succeeded(boolean toolError) {
      long nanos = System.nanoTime() - since;
      if (toolError) {
        meters.missed(
            OperationLabels.of(OperationLabels.method(method), meters.label(item), true), nanos);
      } else {
        meters.succeeded(method, item, nanos);
      }
    }

    @Override
    public void failed(McpFailure failure) {
      long nanos = System.nanoTime() - since;
      meters.missed(
          OperationLabels.of(
              OperationLabels.method(method), meters.label(item), failure, meters.server.codes()),
          nanos);
    }
  }
}
