package dev.mcpbus;

import dev.mcpbus.bridge.BridgeVerticle;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.gateway.Gateway;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.security.AccessControl;
import io.vertx.core.Deployable;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The HTTP side of a node: the gateway's actors and the bridge's HTTP servers. A class of its own,
 * so that a program without HTTP needs no vertx-web. Thread: the one that starts the {@link
 * McpBus}.
 */
final class HttpDoors {

  private final Gateway gateway;
  private final List<BridgeVerticle> bridges;

  HttpDoors(
      Vertx vertx,
      BusSettings options,
      BridgeOptions http,
      Implementation own,
      Directory directory,
      AccessControl access,
      Readiness readiness) {
    int hosts = Runtime.getRuntime().availableProcessors();
    Gateway newGateway = new Gateway(vertx, options.gateway(), own, hosts, directory);
    this.gateway = newGateway;
    this.bridges =
        BridgeVerticle.several(
            hosts,
            http,
            () -> UUID.randomUUID().toString(),
            newGateway::endpoint,
            access::admissionControl,
            readiness,
            (principal, request) -> directory.caller(vertx, principal, request));
  }

  /** What to deploy, in this order. */
  List<Deployable> verticles() {
    List<Deployable> all = new ArrayList<>(gateway.actors());
    all.addAll(bridges);
    return all;
  }

  /** The number of open connections of HTTP clients. */
  int sockets() {
    return bridges.get(0).connections();
  }

  int port() {
    return bridges.get(0).port();
  }
}
