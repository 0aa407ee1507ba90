package dev.mcpbus.bench.gateway;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An MCP endpoint that is measured.
 *
 * @param label what it is called in the table
 * @param process whose CPU time counts
 * @param port on 127.0.0.1
 * @param path of the endpoint
 * @param modern whether it is spoken to in 2026-07-28, else in 2025-11-25
 * @param key to be sent along, null for none
 */
public record Endpoint(
    String label,
    ProcessHandle process,
    int port,
    String path,
    boolean modern,
    @Nullable String key) {

  private static final String META =
      "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
          + "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"bench\",\"version\":\"1\"},"
          + "\"io.modelcontextprotocol/clientCapabilities\":{}}";

  /**
   * Opens a session where the era has one, and writes the request that is sent again and again.
   *
   * @param method and its {@code params}, without braces
   */
  public Path request(Path directory, String method, String name, String params)
      throws IOException, InterruptedException {
    String body =
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\""
            + method
            + "\",\"params\":{"
            + params
            + (modern ? (params.isEmpty() ? "" : ",") + META : "")
            + "}}";
    Map<String, String> headers = headers(method, name);
    String session = modern ? null : open();
    if (session != null) {
      headers.put("Mcp-Session-Id", session);
    }
    return write(directory, headers, body);
  }

  /** Writes a request of this body as it is. */
  public Path write(Path directory, Map<String, String> headers, String body) throws IOException {
    StringBuilder head = new StringBuilder("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port);
    headers.forEach((header, value) -> head.append("\r\n" + header + ": " + value));
    head.append("\r\nContent-Length: ").append(body.length()).append("\r\n\r\n").append(body);
    Path file = Files.createTempFile(directory, "request", ".http");
    return Files.writeString(file, head, StandardCharsets.UTF_8);
  }

  private Map<String, String> headers(String method, String name) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", "application/json");
    headers.put("Accept", "application/json, text/event-stream");
    headers.put("MCP-Protocol-Version", modern ? "2026-07-28" : "2025-11-25");
    if (key != null) {
      headers.put("Authorization", "Bearer " + key);
    }
    if (modern) {
      headers.put("Mcp-Method", method);
      if (!name.isEmpty()) {
        headers.put("Mcp-Name", name);
      }
    }
    return headers;
  }

  private @Nullable String open() throws IOException, InterruptedException {
    HttpClient client = HttpClient.newHttpClient();
    JsonObject initialize =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", 1)
            .put("method", "initialize")
            .put(
                "params",
                new JsonObject()
                    .put("protocolVersion", "2025-11-25")
                    .put("capabilities", new JsonObject())
                    .put("clientInfo", new JsonObject().put("name", "bench").put("version", "1")));
    HttpResponse<String> answer = send(client, initialize.encode(), null);
    if (answer.statusCode() != 200) {
      throw new IOException(label + ": initialize is answered " + answer.statusCode());
    }
    String session = answer.headers().firstValue("Mcp-Session-Id").orElse(null);
    send(client, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", session);
    return session;
  }

  private HttpResponse<String> send(HttpClient client, String body, @Nullable String session)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .POST(HttpRequest.BodyPublishers.ofString(body));
    request.header("Content-Type", "application/json");
    request.header("Accept", "application/json, text/event-stream");
    if (key != null) {
      request.header("Authorization", "Bearer " + key);
    }
    if (session != null) {
      request.header("Mcp-Session-Id", session).header("MCP-Protocol-Version", "2025-11-25");
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}
