package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Rights;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.function.Function;

/** Tool search: its query of HTTP, and what callers see of it whom policies bind. */
final class Search {

  private static final int PAGE = 100;
  private static final int DEFAULT_LIMIT = 10;

  /** So far {@code mcp.tools.search} counts. */
  private static final int MAX_OFFSET = 10_000;

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

  /**
   * The search, made by somebody who may not see all: whatever is counted is counted over what he
   * sees.
   *
   * @param send asks {@code mcp.tools.search}
   * @return the reply's bytes; fails with {@code BAD_REQUEST} as that address does
   */
  static Future<Buffer> within(
      RawJson body, Rights rights, Function<RawJson, Future<Buffer>> send) {
    JsonObject wanted = body.toJsonObject();
    int limit = wanted.getInteger("limit", DEFAULT_LIMIT);
    int offset = wanted.getInteger("offset", 0);
    if (limit < 1 || limit > PAGE || offset < 0 || offset > MAX_OFFSET) {
      return send.apply(body).compose(never -> Future.failedFuture("out of range"));
    }
    return new Seen(wanted, offset, offset + limit, rights, send).from(0);
  }

  private static final class Seen {
    private final JsonObject wanted;
    private final int first;
    private final int end;
    private final Rights rights;
    private final Function<RawJson, Future<Buffer>> send;
    private final JsonArray tools = new JsonArray();
    private int total;

    Seen(
        JsonObject wanted,
        int first,
        int end,
        Rights rights,
        Function<RawJson, Future<Buffer>> send) {
      this.wanted = wanted;
      this.first = first;
      this.end = end;
      this.rights = rights;
      this.send = send;
    }

    Future<Buffer> from(int offset) {
      JsonObject page = wanted.copy().put("limit", PAGE).put("offset", offset);
      return send.apply(RawJson.of(page))
          .compose(
              found -> {
                JsonObject reply = new JsonObject(found);
                reply.getJsonArray("tools").forEach(tool -> add((JsonObject) tool));
                int next = offset + PAGE;
                return next < reply.getInteger("total") && next <= MAX_OFFSET
                    ? from(next)
                    : Future.succeededFuture(
                        new JsonObject().put("tools", tools).put("total", total).toBuffer());
              });
    }

    private void add(JsonObject tool) {
      if (rights.lists(Action.CALL, tool.getString("server"), tool.getString("tool"))) {
        if (total >= first && total < end) {
          tools.add(tool);
        }
        total++;
      }
    }
  }
}
