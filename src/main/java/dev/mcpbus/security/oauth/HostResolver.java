package dev.mcpbus.security.oauth;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.util.List;

/**
 * Resolves host names to addresses. {@link UrlGuard} checks the result, and the connection goes to
 * the same address.
 */
@FunctionalInterface
public interface HostResolver {

  /** All addresses of {@code host}; fails if there is none. */
  Future<List<InetAddress>> resolve(String host);

  /** The resolver of the system, on a worker thread. */
  static HostResolver system(Vertx vertx) {
    return host -> vertx.executeBlocking(() -> List.of(InetAddress.getAllByName(host)), false);
  }
}
