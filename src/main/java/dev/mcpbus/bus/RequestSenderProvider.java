package dev.mcpbus.bus;

import io.vertx.core.Vertx;
import java.util.ServiceLoader;

/** Makes the sender of a clustered Vert.x; found by {@link ServiceLoader}. */
public interface RequestSenderProvider {

  /** Called once for each clustered Vert.x, on any thread. */
  RequestSender create(Vertx vertx);

  static RequestSenderProvider find() {
    return ServiceLoader.load(
            RequestSenderProvider.class, RequestSenderProvider.class.getClassLoader())
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "this Vert.x is clustered, and mcpbus's cluster is not on the class path: add"
                        + " the package dev.mcpbus.cluster with its META-INF/services, or use a"
                        + " Vert.x that is not clustered"));
  }
}
