import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.ToolResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;

/**
 * A tool in Java, at an address of the event bus, served to editors and agents at {@code /mcp}.
 *
 * <p>{@code java -cp target/mcpbus.jar src/examples/OwnTools.java [PORT]}, then {@code claude mcp
 * add --transport http dates http://127.0.0.1:8791/mcp}.
 */
public class OwnTools {

  private static final JsonObject DATES =
      new JsonObject(
          """
          {"type": "object", "required": ["from", "to"], "properties": {
            "from": {"type": "string", "format": "date"},
            "to": {"type": "string", "format": "date"}}}
          """);

  public static void main(String[] args) {
    Vertx vertx = Vertx.vertx();
    McpBus.Options options =
        McpBus.Options.of()
            .withServer("dates", Servers.bus("my.dates"))
            .withPort(args.length > 0 ? Integer.parseInt(args[0]) : 8791);
    RawServer.of("dates", "1.0")
        .tool(
            "days_between",
            "Counts the days between two dates.",
            DATES,
            (request, arguments) -> Future.succeededFuture(ToolResult.text(days(arguments))))
        .listen(vertx, "my.dates")
        .compose(server -> McpBus.start(vertx, options))
        .onSuccess(bus -> System.out.println("http://127.0.0.1:" + bus.port() + "/mcp"))
        .onFailure(
            failure -> {
              System.err.println(failure);
              vertx.close();
            });
  }

  /** A date that cannot be parsed makes the tool answer with {@code isError} and the reason. */
  private static String days(JsonObject arguments) {
    LocalDate from = LocalDate.parse(arguments.getString("from"));
    LocalDate to = LocalDate.parse(arguments.getString("to"));
    return String.valueOf(ChronoUnit.DAYS.between(from, to));
  }
}
