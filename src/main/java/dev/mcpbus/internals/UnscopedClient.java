package dev.mcpbus.internals;

import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.impl.tcp.NetClientBuilder;

/**
 * Builds a socket client that only its user keeps and closes. One of {@code Vertx.createNetClient}
 * stays in the scope of the context on which it was built until that ends, even after it was
 * closed: every session would leave one behind. HTTP clients do not. Any thread may call.
 */
public final class UnscopedClient {

  private UnscopedClient() {}

  public static NetClient of(Vertx vertx, NetClientOptions options) {
    return new NetClientBuilder((VertxInternal) vertx, options).build();
  }
}
