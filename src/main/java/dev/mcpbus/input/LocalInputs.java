package dev.mcpbus.input;

import dev.mcpbus.bus.Requester;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** The seam for one node: everything is on this node. */
record LocalInputs(NodeInputs inputs) implements InputPeers {

  @Override
  public Future<Void> open() {
    return Future.succeededFuture();
  }

  @Override
  public void learn() {}

  @Override
  public Future<JsonArray> pending(@Nullable Requester requester, @Nullable String server) {
    return Future.succeededFuture(inputs.pending(requester, server));
  }

  @Override
  public Future<JsonObject> respond(
      @Nullable Requester requester, String question, JsonObject body) {
    return Future.succeededFuture(inputs.respond(requester, body));
  }

  @Override
  public void tell(@Nullable Requester requester, JsonObject offer) {}

  @Override
  public void tellWithdrawn(@Nullable Requester requester, String offer) {}
}
