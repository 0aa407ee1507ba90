package dev.mcpbus.input;

import dev.mcpbus.bus.Requester;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** On one node alone: what it has. */
record LocalInputs(Here here) implements InputPeers {

  @Override
  public Future<Void> open() {
    return Future.succeededFuture();
  }

  @Override
  public void learn() {}

  @Override
  public Future<JsonArray> pending(@Nullable Requester who, @Nullable String server) {
    return Future.succeededFuture(here.pending(who, server));
  }

  @Override
  public Future<JsonObject> respond(@Nullable Requester who, String question, JsonObject body) {
    return Future.succeededFuture(here.respond(who, body));
  }

  @Override
  public void tell(@Nullable Requester who, JsonObject offer) {}

  @Override
  public void tellWithdrawn(@Nullable Requester who, String offer) {}
}
