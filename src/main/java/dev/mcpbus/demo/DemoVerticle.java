package dev.mcpbus.demo;

import dev.mcpbus.transport.bus.BusServer;
import dev.mcpbus.transport.sdk.SdkServerTransportProvider;
import io.modelcontextprotocol.server.McpAsyncServer;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/** Serves the demo at a bus address. */
final class DemoVerticle extends VerticleBase {

  private final String address;
  private final Clock clock;
  private @Nullable BusServer listening;
  private @Nullable McpAsyncServer server;

  DemoVerticle(String address, Clock clock) {
    this.address = address;
    this.clock = clock;
  }

  /** Builds the server on a worker: it loads classes and schemas for a while. */
  @Override
  public Future<?> start() {
    SdkServerTransportProvider provider = new SdkServerTransportProvider();
    return vertx
        .executeBlocking(() -> DemoFeatures.serve(provider, clock))
        .onSuccess(built -> server = built)
        .compose(built -> BusServer.listen(vertx, address, provider))
        .onSuccess(bound -> listening = bound);
  }

  @Override
  public Future<?> stop() {
    Future<Void> deaf = listening == null ? Future.succeededFuture() : listening.close();
    McpAsyncServer built = server;
    return built == null
        ? deaf
        : deaf.compose(
            nothing ->
                Future.fromCompletionStage(
                    built.closeGracefully().onErrorComplete().toFuture(), context));
  }
}
