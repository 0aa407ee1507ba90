import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.client.ElicitationAnswer;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.ToolResult;
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

  private static final JsonObject QUESTION =
      new JsonObject(
          """
          {"message": "Delete the file?", "requestedSchema": {
            "type": "object", "properties": {"yes": {"type": "boolean"}}}}
          """);

  public static void main(String[] args) {
    Vertx vertx = Vertx.vertx();
    RawServer.of("files", "1.0")
        .tool(
            "delete",
            "Deletes a file, after a question.",
            new JsonObject().put("type", "object"),
            (request, arguments) ->
                request.ask("elicitation/create", QUESTION).map(AnswerQuestions::delete))
        .listen(vertx, "my.files")
        .compose(
            server ->
                McpBus.start(
                    vertx, McpBus.Options.of().withServer("files", Servers.bus("my.files"))))
        .compose(AnswerQuestions::ask)
        .onSuccess(System.out::println)
        .onFailure(System.err::println)
        .eventually(vertx::close);
  }

  private static JsonObject delete(JsonObject answer) {
    JsonObject form = answer.getJsonObject("content", new JsonObject());
    return ToolResult.text(form.getBoolean("yes", false) ? "deleted" : "kept");
  }

  private static Future<String> ask(McpBus bus) {
    bus.client()
        .onEvent("connected", event -> System.out.println("connected " + event.getString("id")));
    return bus.server("files")
        .setElicitationHandler(
            (server, request) -> {
              System.out.println(server + " asks: " + request.message());
              JsonObject form = new JsonObject().put("yes", true);
              return Future.succeededFuture(ElicitationAnswer.accept(form));
            })
        .compose(set -> bus.server("files").callTool("delete", Map.of()))
        .map(result -> result.text());
  }
}
