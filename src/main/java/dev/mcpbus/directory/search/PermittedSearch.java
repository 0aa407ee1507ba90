package dev.mcpbus.directory.search;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Rights;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.function.Function;

/** The tool search for callers whom policies bind: they count and see what they may use alone. */
public final class PermittedSearch {

  private PermittedSearch() {}

  /**
   * Searches page by page, until it has counted all that the caller may use.
   *
   * @param body of {@code mcp.tools.search}
   * @param send asks {@code mcp.tools.search}
   * @return the reply's bytes; fails with {@code BAD_REQUEST} as that address does
   */
  public static Future<Buffer> within(
      RawJson body, Rights rights, Function<RawJson, Future<Buffer>> send) {
    JsonObject wanted = body.toJsonObject();
    int limit = wanted.getInteger("limit", SearchRequest.DEFAULT_LIMIT);
    int offset = wanted.getInteger("offset", 0);
    if (limit < 1
        || limit > SearchRequest.MAX_LIMIT
        || offset < 0
        || offset > SearchRequest.MAX_OFFSET) {
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
      JsonObject page = wanted.copy().put("limit", SearchRequest.MAX_LIMIT).put("offset", offset);
      return send.apply(RawJson.of(page))
          .compose(
              found -> {
                JsonObject reply = new JsonObject(found);
                reply.getJsonArray("tools").forEach(tool -> add((JsonObject) tool));
                int next = offset + SearchRequest.MAX_LIMIT;
                return next < reply.getInteger("total") && next <= SearchRequest.MAX_OFFSET
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
