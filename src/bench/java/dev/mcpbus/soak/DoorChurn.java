package dev.mcpbus.soak;

import dev.mcpbus.soak.LoadClient.Unexpected;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientConnection;
import java.util.ArrayList;
import java.util.List;

/**
 * Connections of every kind, requests that are wrong, callers whom nobody knows or who ask much.
 */
final class DoorChurn {

  private static final String BODY = "{\"text\":\"hello\"}";
  private static final String ECHO = "/api/servers/echo/tools/echo";

  /** Each is answered with 4xx or the end of the connection. */
  private static final List<String> BAD =
      List.of(
          request("POST /mcp/echo", "{broken"),
          request("POST /rpc", "[[[[[[[["),
          request("POST /rpc", "{\"jsonrpc\":\"2.0\",\"id\":1}"),
          request("POST " + ECHO, "{\"text\":7}"),
          request("PUT " + ECHO, BODY),
          request("POST /api/servers/nobody/tools/echo", BODY),
          request("GET /health/../api/servers", ""),
          request("GET /api/events?what=this", ""),
          "GET /mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX: " + "x".repeat(20_000) + "\r\n\r\n",
          "GET /" + "x".repeat(10_000) + " HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
          "NONSENSE\r\n\r\n",
          "POST "
              + ECHO
              + " HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer KEY\r\n"
              + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");

  private final LoadClient client;
  private final SoakBed bed;

  DoorChurn(LoadClient client, SoakBed bed) {
    this.client = client;
    this.bed = bed;
  }

  List<ChurnKind> kinds() {
    return List.of(
        ChurnKind.of("keepalive-connection", number -> keptAlive(false)),
        ChurnKind.of("fresh-connection", this::fresh),
        ChurnKind.of("http2", number -> keptAlive(true)),
        ChurnKind.of("http2-reset", this::resets),
        ChurnKind.of("bad-requests", this::bad),
        ChurnKind.of("half-requests", this::half),
        ChurnKind.of("auth-failures", this::unknown),
        ChurnKind.of("expiring-key", this::expiring),
        ChurnKind.of("rate-limited", this::limited));
  }

  private static String request(String line, String body) {
    return line
        + " HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer KEY\r\n"
        + "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        + "Content-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  private Future<String> keptAlive(boolean http2) {
    return client
        .connect(http2)
        .compose(
            connection ->
                several(connection, 3)
                    .eventually(() -> connection.close().otherwiseEmpty())
                    .map("closed"));
  }

  private Future<Void> several(HttpClientConnection connection, int times) {
    return client
        .postOver(connection, ECHO, BODY)
        .compose(answer -> answer.expect(200))
        .compose(answer -> times == 1 ? Future.succeededFuture() : several(connection, times - 1));
  }

  private Future<String> fresh(long number) {
    return client.postFresh(ECHO, BODY).compose(answer -> answer.expect(200)).map("answered");
  }

  /** Calls that are taken back before they are answered. */
  private Future<String> resets(long number) {
    return client
        .connect(true)
        .compose(
            connection -> {
              List<Future<Void>> all = new ArrayList<>();
              for (int i = 0; i < 5; i++) {
                all.add(client.resetOver(connection, "/api/servers/own/tools/slow", "{}"));
              }
              return Future.join(all)
                  .eventually(() -> connection.close().otherwiseEmpty())
                  .map("reset");
            });
  }

  private Future<String> bad(long number) {
    return client
        .raw(BAD.get((int) (number % BAD.size())), DoorChurn::isHead, number % 2 == 0)
        .compose(
            text ->
                text.isEmpty() || text.matches("(?s)HTTP/1\\.[01] [45].*")
                    ? Future.succeededFuture(text.isEmpty() ? "ended" : text.substring(9, 12))
                    : Future.failedFuture(
                        new Unexpected(
                            BAD.get((int) (number % BAD.size())).lines().findFirst().orElse("")
                                + " -> "
                                + text.lines().findFirst().orElse(""))));
  }

  /** Goes away in the middle of a request. */
  private Future<String> half(long number) {
    String whole = request("POST " + ECHO, BODY);
    int length = (int) (number % (whole.length() - 1)) + 1;
    return client.rawAndGo(whole.substring(0, length), number % 2 == 0, 20).map("left");
  }

  private Future<String> unknown(long number) {
    String key = "mcpbus_" + Long.toString(number, 36) + "A".repeat(32);
    return client
        .post(ECHO, BODY, "Authorization", "Bearer " + key)
        .compose(answer -> answer.expect(401))
        .map("401");
  }

  private Future<String> expiring(long number) {
    return client
        .post(ECHO, BODY, "Authorization", "Bearer " + bed.expiring())
        .compose(answer -> answer.expect(200, 401))
        .map(answer -> Integer.toString(answer.status()));
  }

  private Future<String> limited(long number) {
    return client
        .post(ECHO, BODY, "Authorization", "Bearer " + bed.limited())
        .compose(answer -> answer.expect(200, 429))
        .map(answer -> Integer.toString(answer.status()));
  }

  private static boolean isHead(String text) {
    return text.contains("\r\n\r\n");
  }
}
