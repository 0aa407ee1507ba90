package dev.mcpbus.directory;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

/**
 * A service that reads the directory. The {@link DirectoryVerticle} calls all methods on its own
 * context, on which the service also takes its requests: a request that arrives after an event sees
 * the change that the event made.
 */
public interface DirectoryService {

  /** Registers the addresses; completes when the registrations are done. */
  Future<?> open(Vertx vertx, DirectoryLists lists);

  /**
   * The entry of one server was replaced.
   *
   * @param entry null if the server was removed
   */
  void changed(String id, @Nullable DirectoryEntry entry);

  Future<?> close();
}
