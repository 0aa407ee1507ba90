package dev.mcpbus.transport.sdk;

import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.transport.bus.BusServer;
import io.modelcontextprotocol.server.McpAsyncServer;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Serves a server of the SDK at a bus address from deployment to undeployment:
 *
 * <pre>{@code
 * vertx.deployVerticle(new SdkServerVerticle("my.server",
 *     provider -> McpServer.async(provider).toolCall(tool, handler).build()));
 * }</pre>
 */
@PublicApi
public final class SdkServerVerticle extends VerticleBase {

  private final String address;
  private final Function<SdkServerTransportProvider, McpAsyncServer> build;
  private @Nullable BusServer listening;
  private @Nullable McpAsyncServer server;

  /**
   * Creates a verticle.
   *
   * @param build builds the server over the given provider; called once, on a worker thread,
   *     because building loads classes and schemas
   */
  public SdkServerVerticle(
      String address, Function<SdkServerTransportProvider, McpAsyncServer> build) {
    this.address = address;
    this.build = build;
  }

  @Override
  public Future<?> start() {
    SdkServerTransportProvider provider = new SdkServerTransportProvider();
    return vertx
        .executeBlocking(() -> build.apply(provider))
        .onSuccess(built -> server = built)
        .compose(built -> BusServer.listen(vertx, address, provider))
        .onSuccess(bound -> listening = bound);
  }

  @Override
  public Future<?> stop() {
    Future<Void> unregistered = listening == null ? Future.succeededFuture() : listening.close();
    McpAsyncServer built = server;
    return built == null
        ? unregistered
        : unregistered.compose(
            nothing ->
                Future.fromCompletionStage(
                    built.closeGracefully().onErrorComplete().toFuture(), context));
  }
}
