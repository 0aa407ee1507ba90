package dev.mcpbus.observability.metrics;

import dev.mcpbus.bus.InboundSpan;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.TelemetryOperation;
import dev.mcpbus.protocol.TraceContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The meters of requests of clients, at all doors of this node. Any thread may call. */
final class DoorMeters {

  /** Series that the doors may make in all: servers of other nodes have no end that they see. */
  private static final int MAX_SERIES = 5_000;

  private record DoorLabels(
      String door, @Nullable String version, String server, OperationLabels operation) {}

  private final OperationTimers timers;
  private final Map<String, BoundedNames> items = new ConcurrentHashMap<>();
  private final BoundedNames codes = new BoundedNames(50, OperationLabels.OTHER);
  private final Map<DoorLabels, DurationHistogram> known = new ConcurrentHashMap<>();

  DoorMeters(OperationTimers timers) {
    this.timers = timers;
  }

  TelemetryOperation received(InboundSpan request) {
    return new ReceivedOperation(request, System.nanoTime());
  }

  /** A server is gone: its series go. */
  void forget(String server) {
    items.remove(server);
    known.forEach(
        (labels, timer) -> {
          if (labels.server().equals(server) && known.remove(labels, timer)) {
            timers.remove(series(labels));
          }
        });
  }

  private void record(DoorLabels labels, long nanos) {
    DurationHistogram timer = known.get(labels);
    if (timer == null) {
      timer = known.size() < MAX_SERIES ? made(labels) : made(common(labels));
    }
    timer.record(nanos);
  }

  /** At the bound only the method and the door have labels. */
  private static DoorLabels common(DoorLabels labels) {
    OperationLabels all = labels.operation();
    return new DoorLabels(
        labels.door(), labels.version(), "", new OperationLabels(all.method(), "", "", ""));
  }

  private DurationHistogram made(DoorLabels labels) {
    return known.computeIfAbsent(labels, absent -> timers.timer(series(absent)));
  }

  private static OperationTimers.Series series(DoorLabels labels) {
    return OperationTimers.series(
        OperationTimers.SERVER_OPERATION,
        labels
            .operation()
            .tags()
            .and(TransportLabels.HTTP.tags(labels.version()))
            .and("door", labels.door())
            .and("server", labels.server()));
  }

  private String label(String server, @Nullable String item) {
    return item == null
        ? ""
        : items
            .computeIfAbsent(server, first -> new BoundedNames(ServerMeters.MAX_ITEMS, "other"))
            .label(item);
  }

  /** One request of a client that waits for its answer. */
  private final class ReceivedOperation implements TelemetryOperation {

    private final InboundSpan request;
    private final long since;
    private String server = "";
    private @Nullable String item;

    ReceivedOperation(InboundSpan request, long since) {
      this.request = request;
      this.since = since;
    }

    @Override
    public @Nullable TraceContext trace() {
      return null;
    }

    @Override
    public void target(String at, @Nullable String named) {
      server = at;
      item = named;
    }

    private String method() {
      return OperationLabels.method(request.method());
    }

    private void end(OperationLabels labels) {
      record(
          new DoorLabels(request.door(), request.version(), server, labels),
          System.nanoTime() - since);
    }

    @Override
    public void succeeded(boolean toolError) {
      end(OperationLabels.of(method(), label(server, item), toolError));
    }

    @Override
    public void failed(McpFailure failure) {
      end(OperationLabels.of(method(), label(server, item), failure, codes));
    }
  }
}
