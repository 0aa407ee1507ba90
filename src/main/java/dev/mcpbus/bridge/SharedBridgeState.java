package dev.mcpbus.bridge;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.internals.InboundConnection;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The state that the HTTP verticles of one node share: port, bounds and event logs, from which a
 * client continues at any of them. Thread-safe.
 */
final class SharedBridgeState {

  /** Servers that listen by the same number share one free port. */
  private static final AtomicInteger FREE = new AtomicInteger();

  private final Duration receiveTimeout;

  final SocketAddress address;
  final ConnectionLimits connections;
  final AtomicBoolean announced = new AtomicBoolean();
  final StreamLimit streams;
  final EventLog events;
  final EventLog rpc;

  /**
   * @param several whether there is more than one verticle
   */
  SharedBridgeState(BridgeOptions options, boolean several) {
    String boot = UUID.randomUUID().toString().substring(0, 8);
    this.receiveTimeout = options.receiveTimeout();
    this.address =
        several && options.port() == 0
            ? SocketAddress.sharedRandomPort(FREE.incrementAndGet(), options.host())
            : SocketAddress.inetSocketAddress(options.port(), options.host());
    this.connections =
        new ConnectionLimits(
            options.limits().maxConnections(),
            options.limits().maxConnectionsPerAddress(),
            System::nanoTime);
    this.streams = new StreamLimit(options.limits().maxStreams());
    this.events = new EventLog(boot, Addresses.ALL_EVENTS, "id");
    this.rpc = new EventLog(boot, Addresses.RPC, "server");
  }

  /** Counts a connection before its TLS handshake. On its event loop. */
  void accepted(InboundConnection connection) {
    connection.awaitHttp(System.nanoTime(), receiveTimeout);
    connections.opened(connection);
  }

  /** The connection on which HTTP begins; counts it if TLS did not. On its event loop. */
  InboundConnection connection(HttpConnection http) {
    InboundConnection accepted = InboundConnection.of(http);
    if (accepted != null) {
      accepted.speaksHttp();
      return accepted;
    }
    InboundConnection plain = InboundConnection.begun(http);
    connections.opened(plain);
    return plain;
  }
}
