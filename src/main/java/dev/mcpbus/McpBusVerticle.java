package dev.mcpbus;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * An {@link McpBus} as a verticle, also for the application launcher of Vert.x.
 *
 * <pre>{@code
 * vertx.deployVerticle("dev.mcpbus.McpBusVerticle", new DeploymentOptions().setConfig(config));
 * }</pre>
 *
 * <p>The configuration of the deployment is the document that a configuration file has, or {@code
 * {"file": "conf/mcpbus.json"}}, relative to the working directory. It serves HTTP only if the
 * document has a {@code bridge}. The deployment fails where the document cannot be used; it waits
 * for no server. Undeploying it closes the bus; Vert.x itself stays open. A second instance in the
 * same Vert.x fails, as a second {@link McpBus} does; its context only starts and ends.
 */
@PublicApi
public final class McpBusVerticle extends VerticleBase {

  private static final String FILE = "file";

  private @Nullable McpBus bus;

  @Override
  public Future<?> start() {
    JsonObject config = config();
    return vertx
        .executeBlocking(() -> options(config))
        .compose(options -> McpBus.start(vertx, options))
        .onSuccess(started -> bus = started);
  }

  private static McpBus.Options options(JsonObject config) {
    if (!config.containsKey(FILE)) {
      return McpBus.Options.of(config);
    }
    if (config.size() == 1 && config.getValue(FILE) instanceof String file) {
      return McpBus.Options.of(Path.of(file));
    }
    throw new IllegalArgumentException(
        "\"file\" names a whole configuration file and stands alone: {\"file\":"
            + " \"conf/mcpbus.json\"}");
  }

  @Override
  public Future<?> stop() {
    return bus == null ? Future.succeededFuture() : bus.close();
  }
}
