package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * As {@link ClientBytesTest}, with servers that note what comes on the wire: each line of a process
 * and each body and header of an HTTP server.
 */
class ClientBytesIT {

  /** What an HTTP server gets with a request, whatever the client has sent to mcpbus. */
  private static final List<String> HEADERS =
      List.of("accept", "content-length", "content-type", "host", "mcp-protocol-version");

  @TempDir Path folder;

  /** The member of the answer by method. */
  private static Map<String, String> answers(boolean older) {
    String kept =
        older ? "}" : ",\"resultType\":\"complete\",\"ttlMs\":60000,\"cacheScope\":\"public\"}";
    Map<String, String> all = new LinkedHashMap<>();
    all.put(
        "server/discover",
        older
            ? ScriptedPeer.error(-32601, "no such method")
            : "\"result\":{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
                + "\"capabilities\":{\"tools\":{},\"resources\":{},\"prompts\":{},"
                + "\"completions\":{}},\"ttlMs\":0,\"cacheScope\":\"private\"}");
    all.put("initialize", Peers.INITIALIZE);
    all.put(
        "tools/list",
        "\"result\":{\"tools\":[{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"}}]" + kept);
    all.put("prompts/list", "\"result\":{\"prompts\":[{\"name\":\"g\"}]" + kept);
    all.put(
        "resources/list",
        "\"result\":{\"resources\":[{\"uri\":\"file:///a\",\"name\":\"a\"}]" + kept);
    all.put("resources/templates/list", "\"result\":{\"resourceTemplates\":[]" + kept);
    return all;
  }

  private static final String OTHER = "\"result\":{\"resultType\":\"complete\"}";

  /** A shell script that notes each line and answers each request. */
  private JsonObject process(boolean older, Path notes) throws IOException {
    StringBuilder script = new StringBuilder("exec 3>>'" + notes + "'\n");
    script.append("answer() { printf '{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\\n' \"$id\" \"$1\"; }\n");
    script.append("while IFS= read -r line; do printf '%s\\n' \"$line\" >&3\n");
    script.append("id=${line#*'\"id\":'}; id=${id%%,*}\ncase $line in\n");
    answers(older)
        .forEach(
            (method, answer) ->
                script.append("*'\"method\":\"" + method + "\"'*) answer '" + answer + "' ;;\n"));
    script.append("'{\"jsonrpc\":\"2.0\",\"id\":'*) answer '" + OTHER + "' ;;\nesac\ndone\n");
    Path file = Files.writeString(folder.resolve("server.sh"), script);
    return new JsonObject().put("command", "sh").put("args", new JsonArray().add(file.toString()));
  }

  private static RawHttpServer http(boolean older) {
    Map<String, String> answers = answers(older);
    return RawHttpServer.answering(
        (request, peer) -> {
          if (!request.method().equals("POST")) {
            peer.reply(request.method().equals("GET") ? "405 No" : "200 OK", "");
          } else if (request.id() < 0) {
            peer.reply("202 Accepted", "");
          } else {
            String method = new JsonObject(request.body()).getString("method");
            peer.json(
                "{\"jsonrpc\":\"2.0\",\"id\":"
                    + request.id()
                    + ","
                    + answers.getOrDefault(method, OTHER)
                    + "}");
          }
        });
  }

  @ParameterizedTest
  @CsvSource({
    "true,true,stdio", "true,false,stdio", "false,true,stdio", "false,false,stdio",
    "true,true,http", "true,false,http", "false,true,http", "false,false,http"
  })
  void what_a_client_asks_is_the_same_bytes_on_the_wire(
      boolean olderClient, boolean olderServer, String transport) throws IOException {
    Path notes = folder.resolve("notes");
    boolean stdio = transport.equals("stdio");
    try (RawHttpServer http = http(olderServer);
        TestBus bus =
            TestBus.startWithBridge(
                TestBus.server(
                    "p",
                    stdio
                        ? process(olderServer, notes)
                        : new JsonObject().put("url", http.url().toString())))) {
      bus.awaitState("p", "READY");
      McpHttp client = new McpHttp(bus.port(), "/mcp/p");
      List<String> own =
          new ArrayList<>(
              List.of("User-Agent", "odd/1", "Cookie", "a=b", "X-Odd", "1", "X-Api-Key", "k"));
      if (olderClient) {
        McpHttp.Answer opened =
            client.post(Peers.request(1, "initialize", ClientBytesFixture.initialize()));
        own.addAll(List.of("Mcp-Session-Id", opened.header("mcp-session-id")));
      }
      Map<String, String> expected = new TreeMap<>();
      int id = 10;
      for (Map.Entry<String, String> one : ClientBytesFixture.requests().entrySet()) {
        String method = one.getKey();
        String sent =
            one.getValue()
                .replace(
                    "META", olderClient ? ClientBytesFixture.META : ClientBytesFixture.STATING);
        List<String> headers = new ArrayList<>(own);
        if (!olderClient) {
          JsonObject json = new JsonObject().put("params", new JsonObject(sent));
          headers.addAll(List.of(McpHttp.headers(json.put("method", method))));
        }
        McpHttp.Answer answer =
            client.post(Peers.request(++id, method, sent), headers.toArray(String[]::new));
        assertThat(answer.body()).as(method).contains("\"result\"");
        expected.put(
            method, olderClient == olderServer ? sent : ClientBytesFixture.plain(RawJson.of(sent)));
      }
      List<String> messages =
          stdio
              ? Files.readAllLines(notes)
              : http.requests("POST").stream().map(RawHttpServer.Request::body).toList();
      Map<String, String> got = new TreeMap<>();
      for (String message : messages) {
        RawJson method = RawJson.of(message).member("method");
        RawJson params = RawJson.of(message).member("params");
        if (method != null && params != null && expected.containsKey(method.asString())) {
          got.put(
              method.asString(),
              olderClient && !olderServer ? ClientBytesFixture.plain(params) : params.toString());
        }
      }
      assertThat(got).isEqualTo(expected);
      assertHandshake(messages, olderClient, olderServer);
      if (!stdio) {
        assertHeaders(http, olderServer);
      }
    }
  }

  private static void assertHandshake(
      List<String> messages, boolean olderClient, boolean olderServer) {
    List<String> handshakes =
        messages.stream().filter(text -> text.contains("\"method\":\"initialize\"")).toList();
    if (!olderServer) {
      assertThat(handshakes).isEmpty();
      return;
    }
    String params =
        String.valueOf(RawJson.of(handshakes.get(handshakes.size() - 1)).member("params"));
    if (olderClient) {
      assertThat(params).isEqualTo(ClientBytesFixture.initialize());
    } else {
      assertThat(params)
          .contains(
              "\"clientInfo\":" + ClientBytesFixture.CLIENT_INFO,
              "\"capabilities\":" + ClientBytesFixture.CAPABILITIES);
    }
  }

  private static void assertHeaders(RawHttpServer http, boolean older) {
    for (RawHttpServer.Request request : http.requests("POST")) {
      if (request.calls("tools/call")) {
        List<String> names = new ArrayList<>(HEADERS);
        if (!older) {
          names.addAll(List.of("mcp-method", "mcp-name"));
        }
        assertThat(request.headers().keySet()).containsExactlyInAnyOrderElementsOf(names);
      }
    }
  }
}
