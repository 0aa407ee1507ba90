package dev.mcpbus.hosting.credentials;

import dev.mcpbus.bus.Addresses;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What a process is told of changes of credentials. */
final class CredentialChanges {

  private CredentialChanges() {}

  /** Grows by {@code PRINCIPAL SERVER} with each change. */
  static List<String> heard(Vertx vertx) {
    List<String> heard = new CopyOnWriteArrayList<>();
    vertx
        .eventBus()
        .<JsonObject>consumer(
            Addresses.CREDENTIALS_CHANGED,
            change ->
                heard.add(
                    change.body().getString("principal") + " " + change.body().getString("server")))
        .completion()
        .await();
    return heard;
  }
}
