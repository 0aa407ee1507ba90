package dev.mcpbus.security.oauth;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.util.List;

/** Names to addresses; injected, so that what is checked is what is connected to. */
@FunctionalInterface
public interface HostResolver {

  /** All addresses of {@code host}; fails where there is none. */
  Future<List<InetAddress>> resolve(String host);

  /** That of the system, on a worker thread. */
  static HostResolver system(Vertx vertx) {
    return host -> vertx.executeBlocking(() -> List.of(InetAddress.getAllByName(host)), false);
  }
}
