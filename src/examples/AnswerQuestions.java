import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.ToolResult;
import io.modelcontextprotocol.spec.McpSchema;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.Map;

/**
 * A tool that asks before it acts, and a handler that answers. Prints the events of the server,
 * too.
 *
 * <p>{@code java -cp target/mcpbus.jar src/examples/AnswerQuestions.java}
 */
public class AnswerQuestions {

  public static void main(String[] args) {
    Vertx vertx = Vertx.vertx();
    RawServer server =
        RawServer.of("files", "1.0")
            .tool(
                "delete",
                "Deletes a file, after a question.",
                new JsonObject().put("type", "object"),
                (request, arguments) -> Future.succeededFuture(delete(request.params())));

    McpClient client = McpClient.create(vertx);
    client.onEvent("connected", event -> System.out.println("connected " + event.getString("id")));

    vertx
        .deployVerticle(server.deployable("my.files"))
        .compose(
            deployed ->
                McpBus.start(
                    vertx, McpBus.Options.of().withServer("files", Servers.bus("my.files"))))
        .compose(bus -> ask(client.server("files")))
        .onSuccess(result -> System.out.println(result.content()))
        .onFailure(failure -> System.err.println(failure))
        .eventually(() -> vertx.close());
  }

  /** The first round asks; the second has the answer. */
  private static JsonObject delete(JsonObject params) {
    JsonObject answer =
        params.getJsonObject("inputResponses", new JsonObject()).getJsonObject("sure");
    if (answer == null) {
      JsonObject question =
          new JsonObject()
              .put("mode", "form")
              .put("message", "Delete the file?")
              .put(
                  "requestedSchema",
                  new JsonObject()
                      .put("type", "object")
                      .put(
                          "properties",
                          new JsonObject().put("yes", new JsonObject().put("type", "boolean"))));
      JsonObject request =
          new JsonObject().put("method", "elicitation/create").put("params", question);
      return new JsonObject()
          .put("resultType", "input_required")
          .put("inputRequests", new JsonObject().put("sure", request));
    }
    boolean yes =
        answer.getString("action").equals("accept")
            && answer.getJsonObject("content").getBoolean("yes");
    return ToolResult.text(yes ? "deleted" : "kept");
  }

  private static Future<McpSchema.CallToolResult> ask(McpServerClient files) {
    return files
        .setElicitationHandler(
            (server, request) -> {
              System.out.println(server + " asks: " + request.message());
              return Future.succeededFuture(
                  new McpSchema.ElicitResult(
                      McpSchema.ElicitResult.Action.ACCEPT, Map.of("yes", true)));
            })
        .compose(set -> files.callTool("delete", Map.of()));
  }
}
