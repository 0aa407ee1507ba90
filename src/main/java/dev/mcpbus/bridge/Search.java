package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** The query of HTTP for the tool search. Stateless. */
final class Search {

  private Search() {}

  /**
   * The reply's bytes.
   *
   * @throws McpFailure {@code BAD_REQUEST} for what is no number
   */
  static Future<Buffer> ask(BridgeCalls calls, RoutingContext ctx) {
    return calls.callAll(ctx, Addresses.ALL_TOOLS_SEARCH, RawJson.of(body(ctx)), false);
  }

  private static JsonObject body(RoutingContext ctx) {
    String query = ctx.request().getParam("q");
    JsonObject body = new JsonObject().put("query", query == null ? "" : query);
    putNumber(body, "limit", ctx);
    putNumber(body, "offset", ctx);
    List<String> servers = ctx.queryParam("server");
    return servers.isEmpty() ? body : body.put("servers", new JsonArray(servers));
  }

  private static void putNumber(JsonObject body, String name, RoutingContext ctx) {
    String text = ctx.request().getParam(name);
    if (text != null) {
      try {
        body.put(name, Integer.parseInt(text));
      } catch (NumberFormatException e) {
        throw McpFailure.notSent(FailureCode.BAD_REQUEST, name + ": must be a whole number");
      }
    }
  }
}
