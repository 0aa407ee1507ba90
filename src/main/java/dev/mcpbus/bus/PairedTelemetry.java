package dev.mcpbus.bus;

import dev.mcpbus.protocol.TraceContext;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/**
 * Metrics and traces at the same time: each operation is one of both. Any thread may call.
 *
 * @param metrics has the page
 * @param traces has the trace that operations carry on
 */
public record PairedTelemetry(Telemetry metrics, Telemetry traces) implements Telemetry {

  private static @Nullable TelemetryOperation both(
      @Nullable TelemetryOperation measured, @Nullable TelemetryOperation traced) {
    return measured == null || traced == null
        ? measured == null ? traced : measured
        : new PairedOperation(measured, traced);
  }

  @Override
  public @Nullable ConnectionTelemetry connection(ConnectionFacts facts) {
    ConnectionTelemetry measured = metrics.connection(facts);
    ConnectionTelemetry traced = traces.connection(facts);
    return measured == null || traced == null
        ? measured == null ? traced : measured
        : new PairedConnection(measured, traced);
  }

  @Override
  public @Nullable TelemetryOperation received(InboundSpan request) {
    return both(metrics.received(request), traces.received(request));
  }

  @Override
  public void sessionEnded(String version, long nanos) {
    metrics.sessionEnded(version, nanos);
  }

  @Override
  public void repeated(String server, FailureCode code) {
    metrics.repeated(server, code);
  }

  @Override
  public @Nullable MetricsPage page() {
    return metrics.page();
  }

  @Override
  public Future<Void> close() {
    return Future.join(metrics.close(), traces.close()).mapEmpty();
  }

  /** Of a connection only requests are traced. */
  private record PairedConnection(ConnectionTelemetry measured, ConnectionTelemetry traced)
      implements ConnectionTelemetry {

    @Override
    public @Nullable TelemetryOperation sent(OutboundSpan request) {
      return both(measured.sent(request), traced.sent(request));
    }

    @Override
    public void bytes(int out, int in) {
      measured.bytes(out, in);
    }

    @Override
    public void dropped() {
      measured.dropped();
    }

    @Override
    public void restarted() {
      measured.restarted();
    }

    @Override
    public void ready(@Nullable String version, long pid) {
      measured.ready(version, pid);
      traced.ready(version, pid);
    }

    @Override
    public void ended(@Nullable McpFailure reason) {
      measured.ended(reason);
    }

    @Override
    public void close() {
      measured.close();
    }
  }

  private record PairedOperation(TelemetryOperation measured, TelemetryOperation traced)
      implements TelemetryOperation {

    @Override
    public @Nullable TraceContext trace() {
      return traced.trace();
    }

    @Override
    public void target(String server, @Nullable String item) {
      measured.target(server, item);
      traced.target(server, item);
    }

    @Override
    public void succeeded(boolean toolError) {
      measured.succeeded(toolError);
      traced.succeeded(toolError);
    }

    @Override
    public void failed(McpFailure failure) {
      measured.failed(failure);
      traced.failed(failure);
    }
  }
}
