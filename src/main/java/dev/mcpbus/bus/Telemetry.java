package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import org.jspecify.annotations.Nullable;

/**
 * What measures and traces the operations of MCP: requests that connections send to servers, and
 * requests of clients that the doors receive. It is the seam between the packages that do the work
 * and {@code observability}, which knows Micrometer and OpenTelemetry.
 *
 * <p>At most one for each Vert.x, set before verticles are deployed. Without one {@link #of} is
 * null, and an operation costs its components the look at a null field. Any thread may call.
 */
public interface Telemetry extends Shareable {

  /** The telemetry of this Vert.x; null where there is none. Keep it: the look-up takes a map. */
  static @Nullable Telemetry of(Vertx vertx) {
    return all(vertx).get("");
  }

  /** Makes {@code telemetry} the one of this Vert.x; null for none. */
  static void use(Vertx vertx, @Nullable Telemetry telemetry) {
    if (telemetry == null) {
      all(vertx).remove("");
    } else {
      all(vertx).put("", telemetry);
    }
  }

  private static LocalMap<String, Telemetry> all(Vertx vertx) {
    return vertx.sharedData().getLocalMap("dev.mcpbus.telemetry");
  }

  /**
   * A connection begins.
   *
   * @return its instruments, for its context alone; null if nothing of connections is measured
   */
  @Nullable ConnectionTelemetry connection(ConnectionFacts facts);

  /**
   * A request of a client has arrived at a door.
   *
   * @return its operation; null if the request is not measured
   */
  @Nullable TelemetryOperation received(InboundSpan request);

  /**
   * A session of an MCP client at the gateway has ended.
   *
   * @param version of the protocol
   */
  void sessionEnded(String version, long nanos);

  /** A call to {@code server} leaves again after a failure with {@code code}. */
  void repeated(String server, FailureCode code);

  /** The page of {@code GET /metrics}; null if there is none. */
  @Nullable MetricsPage page();

  /** Sends what is left, for at most two seconds, and ends. */
  Future<Void> close();
}
