package dev.mcpbus.hosting;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.paste.ServerPreview;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;

/** Serves {@code mcp.servers.preview}. Used on the context of the {@link ServersVerticle}. */
record PreviewRequests(Vertx vertx, ServerEntryReader reader, RegistryLookup registry) {

  /**
   * Shows what the servers of a text would be; one text at a time, on a worker. A name alone is
   * looked up in the registry.
   */
  Future<JsonObject> preview(JsonObject body) {
    if (!(body.getValue("text") instanceof String text)) {
      throw McpFailure.badRequest("the body must be {\"text\": string}");
    }
    int most = ServerPreview.MAX_BYTES;
    if (text.length() > most || text.getBytes(StandardCharsets.UTF_8).length > most) {
      throw McpFailure.notSent(
          FailureCode.LIMIT_EXCEEDED,
          "the text is over " + most / 1024 + " KiB: paste the servers in parts");
    }
    return (RegistryLookup.isName(text) ? registry.find(text) : Future.succeededFuture(text))
        .compose(found -> vertx.executeBlocking(() -> reader.preview(found)));
  }
}
