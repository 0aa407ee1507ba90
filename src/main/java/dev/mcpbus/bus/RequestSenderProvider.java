package dev.mcpbus.bus;

import io.vertx.core.Vertx;
import java.util.ServiceLoader;

/** Creates the {@link RequestSender} of a clustered Vert.x; {@link ServiceLoader} finds it. */
public interface RequestSenderProvider {

  /** Called once for each clustered Vert.x, on any thread. */
  RequestSender create(Vertx vertx);

  /**
   * The first provider on the class path.
   *
   * @throws IllegalStateException if there is none, with the remedy
   */
  static RequestSenderProvider find() {
    return ServiceLoader.load(
            RequestSenderProvider.class, RequestSenderProvider.class.getClassLoader())
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "this Vert.x is clustered, but mcpbus's cluster is not on the class path: add"
                        + " the package dev.mcpbus.cluster with its META-INF/services, or use a"
                        + " Vert.x that is not clustered"));
  }
}
