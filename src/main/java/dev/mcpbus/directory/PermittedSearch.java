package dev.mcpbus.directory;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Rights;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One tool search for a caller that may not see every tool: it reads {@code mcp.tools.search} page
 * by page, and shows and counts only the tools that the caller may see. Confined to the context on
 * which the replies arrive.
 */
public final class PermittedSearch {

  private final Predicate<ToolName> admits;
  private final Function<JsonObject, Future<JsonObject>> send;
  private final int enough;
  private final int mostRead;
  private final JsonArray tools = new JsonArray();
  private int total;
  private @Nullable JsonArray skills;

  /**
   * @param admits whether the caller may see a tool, by its server's own name
   * @param send sends a request to {@code mcp.tools.search}
   * @param enough how many permitted tools end the search
   * @param mostRead how many tools the search reads at most
   */
  PermittedSearch(
      Predicate<ToolName> admits,
      Function<JsonObject, Future<JsonObject>> send,
      int enough,
      int mostRead) {
    this.admits = admits;
    this.send = send;
    this.enough = enough;
    this.mostRead = mostRead;
  }

  /**
   * Searches with rights; counts every tool that they list.
   *
   * @param body of {@code mcp.tools.search}
   * @param send sends a body to {@code mcp.tools.search}
   * @return the reply's bytes; fails with {@code BAD_REQUEST} as that address does
   */
  public static Future<Buffer> within(
      RawJson body, Rights rights, Function<RawJson, Future<Buffer>> send) {
    if (rights.isUnbounded()) {
      return send.apply(body);
    }
    JsonObject query = body.toJsonObject();
    SearchRequest request;
    try {
      request = SearchRequest.of(query);
    } catch (McpFailure refused) {
      return Future.failedFuture(refused);
    }
    return new PermittedSearch(
            tool -> rights.lists(Action.CALL, tool.server(), tool.tool()),
            page -> send.apply(RawJson.of(page)).map(JsonObject::new),
            Integer.MAX_VALUE,
            SearchRequest.MAX_OFFSET + SearchRequest.MAX_LIMIT)
        .search(query, request.offset(), request.limit())
        .map(found -> withSkills(found, rights, request.limit()).toBuffer());
  }

  /** Of the best skills those that the rights list. */
  private static JsonObject withSkills(JsonObject found, Rights rights, int limit) {
    JsonArray all = found.getJsonArray("skills");
    return all == null
        ? found
        : found.put(
            "skills",
            new JsonArray(
                all.stream()
                    .map(JsonObject.class::cast)
                    .filter(
                        skill ->
                            rights.lists(
                                Action.READ, skill.getString("server"), skill.getString("uri")))
                    .limit(limit)
                    .toList()));
  }

  /**
   * @param query of {@code mcp.tools.search}, whose range is ignored
   * @return {@code {tools, total}}, with the skills of the first page if the query wants them
   */
  Future<JsonObject> search(JsonObject query, int offset, int limit) {
    return read(query, 0, offset, offset + limit);
  }

  private Future<JsonObject> read(JsonObject query, int from, int first, int end) {
    JsonObject page = query.copy().put("limit", SearchRequest.MAX_LIMIT).put("offset", from);
    return send.apply(page)
        .compose(
            reply -> {
              skills = skills == null ? reply.getJsonArray("skills") : skills;
              reply.getJsonArray("tools").forEach(tool -> add((JsonObject) tool, first, end));
              int next = from + SearchRequest.MAX_LIMIT;
              return next < reply.getInteger("total") && next < mostRead && total < enough
                  ? read(query.copy().put("skills", false), next, first, end)
                  : Future.succeededFuture(found());
            });
  }

  private JsonObject found() {
    JsonObject found = new JsonObject().put("tools", tools).put("total", total);
    return skills == null ? found : found.put("skills", skills);
  }

  private void add(JsonObject tool, int first, int end) {
    if (admits.test(new ToolName(tool.getString("server"), tool.getString("tool")))) {
      if (total >= first && total < end) {
        tools.add(tool);
      }
      total++;
    }
  }
}
