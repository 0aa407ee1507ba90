package dev.mcpbus.soak;

import dev.mcpbus.soak.LoadClient.Unexpected;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.WebSocket;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** WebSockets and event streams of pages: polite, cut, refused, idle, slow. */
final class SocketChurn {

  private static final String PATH = "/eventbus/websocket";
  private static final String UPGRADE =
      "GET "
          + PATH
          + " HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n";
  private static final String LOGIN = "Authorization: Bearer KEY\r\n";

  private final LoadClient client;

  SocketChurn(LoadClient client) {
    this.client = client;
  }

  List<ChurnKind> kinds() {
    return List.of(
        ChurnKind.of("websocket-polite", this::polite),
        ChurnKind.of("websocket-cut", number -> cut(number % 2 == 0)),
        ChurnKind.of("websocket-refused", this::refused),
        ChurnKind.of("websocket-junk", this::junk),
        ChurnKind.of("api-events", this::events),
        ChurnKind.of("slow-reader", this::slow).withPause(500));
  }

  /** Those that stay for long: they are there whenever something is counted. */
  List<ChurnKind> standing() {
    return List.of(
        ChurnKind.of("websocket-idle", number -> idle(15_000)),
        ChurnKind.of("websocket-silent", number -> silent()),
        ChurnKind.of("api-events-standing", number -> standingEvents(15_000)),
        ChurnKind.of("rpc-log-standing", number -> standing("/api/rpc-log", 15_000)));
  }

  /** Streams that nobody closes: the service has to keep them, and the judgement to see it. */
  ChurnKind leaving() {
    return ChurnKind.of(
        "streams-kept", number -> client.stream(HttpMethod.GET, "/api/events", "").map("kept"));
  }

  private static String send(String reply) {
    return new JsonObject()
        .put("type", "send")
        .put("address", "mcp.echo.tools.call")
        .put("replyAddress", reply)
        .put(
            "body",
            new JsonObject()
                .put("name", "echo")
                .put("arguments", new JsonObject().put("text", reply)))
        .encode();
  }

  private Future<String> polite(long number) {
    return client
        .socket(PATH)
        .compose(
            socket ->
                answer(socket, "w" + number).compose(answered -> socket.close()).map("closed"));
  }

  private static Future<String> answer(WebSocket socket, String reply) {
    Promise<String> answer = Promise.promise();
    socket.textMessageHandler(
        text -> {
          if (text.contains(reply)) {
            answer.tryComplete(text);
          }
        });
    socket.binaryMessageHandler(
        bytes -> {
          if (bytes.toString().contains(reply)) {
            answer.tryComplete(bytes.toString());
          }
        });
    socket.closeHandler(
        end -> answer.tryFail(new Unexpected("closed " + socket.closeStatusCode())));
    socket.writeTextMessage("{\"type\":\"register\",\"address\":\"mcp.echo.events\"}");
    socket.writeTextMessage(send(reply));
    return answer.future();
  }

  /** The client vanishes, half of the time with a call in flight. */
  private Future<String> cut(boolean calling) {
    String frame = calling ? masked(send("c")) : "";
    return client
        .raw(UPGRADE + LOGIN + "\r\n" + frame, text -> text.contains("\r\n\r\n"), true)
        .compose(text -> begins(text, "101", "cut"));
  }

  /** A text frame of a client, with a mask of zeros. */
  private static String masked(String text) {
    int length = text.length();
    String head =
        length < 126
            ? "\u0081" + (char) (0x80 | length)
            : "\u0081\u00fe" + (char) (length >> 8) + (char) (length & 0xff);
    return head + "\0\0\0\0" + text;
  }

  private static Future<String> begins(String text, String status, String ending) {
    return text.startsWith("HTTP/1.1 " + status)
        ? Future.succeededFuture(ending)
        : Future.failedFuture(
            new Unexpected("wanted " + status + ": " + text.lines().findFirst().orElse("nothing")));
  }

  private Future<String> refused(long number) {
    return number % 2 == 0
        ? client
            .raw(UPGRADE + "\r\n", text -> text.contains("\r\n\r\n"), false)
            .compose(text -> begins(text, "401", "nobody"))
        : client
            .raw(
                UPGRADE + LOGIN + "Origin: https://evil.example\r\n\r\n",
                text -> text.contains("\r\n\r\n"),
                false)
            .compose(text -> begins(text, "403", "foreign page"));
  }

  /** Frames that nobody may send: the socket ends. */
  private Future<String> junk(long number) {
    String frames =
        switch ((int) (number % 3)) {
          case 0 -> masked("{not json");
          case 1 -> "\u00ff\u0000\u00ff\u0000";
          default -> masked("{\"type\":\"send\",\"address\":\"mcp.servers.remove\",\"body\":{}}");
        };
    return client
        .raw(UPGRADE + LOGIN + "\r\n" + frames, text -> text.contains("\r\n\r\n"), false, 50)
        .compose(
            text -> text.isEmpty() ? Future.succeededFuture("ended") : begins(text, "101", "left"));
  }

  private Future<String> events(long number) {
    return client.stream(HttpMethod.GET, "/api/events", "")
        .map(
            text -> {
              text.cut();
              return "cut";
            });
  }

  /** Asks for what is large and does not read it; then it is gone. */
  private Future<String> slow(long number) {
    String body = "{\"bytes\":1000000}";
    return client
        .raw(
            "POST /api/servers/own/tools/big HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n"
                + LOGIN
                + "Content-Type: application/json\r\nContent-Length: "
                + body.length()
                + "\r\n\r\n"
                + body,
            text -> text.length() > 0,
            true,
            200)
        .compose(text -> begins(text, "200", "gone"));
  }

  private Future<String> idle(long millis) {
    return client
        .socket(PATH)
        .compose(socket -> pinging(socket, millis).compose(late -> socket.close()).map("closed"));
  }

  /** The bridge hears from it, or takes it for gone. */
  private Future<Void> pinging(WebSocket socket, long millis) {
    if (millis <= 0) {
      return Future.succeededFuture();
    }
    return socket
        .writeTextMessage("{\"type\":\"ping\"}")
        .compose(sent -> client.vertx().timer(500))
        .compose(late -> pinging(socket, millis - 500));
  }

  /** Says nothing at all: the bridge ends it. */
  private Future<String> silent() {
    return client
        .raw(UPGRADE + LOGIN + "\r\n", text -> false, false)
        .compose(text -> begins(text, "101", "ended by the bridge"));
  }

  private Future<String> standingEvents(long millis) {
    return standing("/api/events", millis);
  }

  private Future<String> standing(String path, long millis) {
    return client.stream(HttpMethod.GET, path, "")
        .compose(
            text ->
                client
                    .vertx()
                    .timer(millis)
                    .map(
                        late -> {
                          text.cut();
                          return "left";
                        }));
  }
}
