package dev.mcpbus.directory;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

/**
 * Serves what the directory keeps, on the context of the {@link DirectoryVerticle}, which calls all
 * of these: what an event changes is seen by each request that arrives after it.
 */
public interface DirectoryService {

  /** Registers the addresses; completes when they can be reached. */
  Future<?> open(Vertx vertx, DirectoryLists lists);

  /**
   * One server's entry in the directory is another one.
   *
   * @param entry null where that server is gone
   */
  void changed(String id, @Nullable DirectoryEntry entry);

  Future<?> close();
}
