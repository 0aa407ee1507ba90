package dev.mcpbus.testing;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** An MCP client that does over HTTP what it is told, and shares nothing with mcpbus. */
public final class McpHttp {

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** One event of a stream. */
  public record Event(@Nullable String id, String data) {
    public JsonObject json() {
      return new JsonObject(data);
    }
  }

  /** A whole answer: one JSON body, or all events of a stream. */
  public record Answer(int status, Map<String, List<String>> headers, String body) {

    public JsonObject json() {
      return new JsonObject(body);
    }

    public boolean isStream() {
      return header("content-type").startsWith("text/event-stream");
    }

    public String header(String name) {
      return headers.getOrDefault(name, List.of("")).get(0);
    }

    public List<Event> events() {
      List<Event> events = new ArrayList<>();
      for (String block : Pattern.compile("\n\n").split(body, -1)) {
        String id = null;
        String data = null;
        for (String line : block.lines().toList()) {
          if (line.startsWith("id: ")) {
            id = line.substring(4);
          } else if (line.startsWith("data: ")) {
            data = line.substring(6);
          }
        }
        if (data != null) {
          events.add(new Event(id, data));
        }
      }
      return events;
    }

    /** Every message that came, in order. */
    public List<JsonObject> messages() {
      if (!isStream()) {
        return List.of(json());
      }
      return events().stream().filter(e -> !e.data().isBlank()).map(Event::json).toList();
    }

    /** The response to the request: the last message. */
    public JsonObject response() {
      List<JsonObject> all = messages();
      return all.get(all.size() - 1);
    }

    public JsonObject result() {
      JsonObject result = response().getJsonObject("result");
      if (result == null) {
        throw new AssertionError("no result in " + status + " " + body);
      }
      return result;
    }

    public JsonObject error() {
      JsonObject error = response().getJsonObject("error");
      if (error == null) {
        throw new AssertionError("no error in " + status + " " + body);
      }
      return error;
    }
  }

  /** A stream that is read while it is open. */
  public static final class Stream implements AutoCloseable {
    private final int status;
    private final InputStream in;
    private final List<Event> events = new CopyOnWriteArrayList<>();
    private volatile boolean ended;

    Stream(HttpResponse<InputStream> response) {
      status = response.statusCode();
      in = response.body();
      Thread reader = new Thread(this::read, "mcp-http-stream");
      reader.setDaemon(true);
      reader.start();
    }

    private void read() {
      try (BufferedReader lines =
          new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
        String id = null;
        String line = lines.readLine();
        while (line != null) {
          if (line.startsWith("id: ")) {
            id = line.substring(4);
          } else if (line.startsWith("data: ")) {
            events.add(new Event(id, line.substring(6)));
            id = null;
          }
          line = lines.readLine();
        }
      } catch (IOException e) {
        // closed by one side or the other
      }
      ended = true;
    }

    public int status() {
      return status;
    }

    public List<Event> events() {
      return events;
    }

    public List<JsonObject> messages() {
      return events.stream().filter(e -> !e.data().isBlank()).map(Event::json).toList();
    }

    public List<String> methods() {
      return messages().stream().map(m -> m.getString("method", "")).toList();
    }

    public boolean hasEnded() {
      return ended;
    }

    @Override
    public void close() {
      try {
        in.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private final URI uri;
  private int id;

  public McpHttp(int port, String path) {
    this.uri = URI.create("http://127.0.0.1:" + port + path);
  }

  /** A JSON-RPC request of the next id. */
  public JsonObject request(String method, JsonObject params) {
    return new JsonObject()
        .put("jsonrpc", "2.0")
        .put("id", ++id)
        .put("method", method)
        .put("params", params);
  }

  public Answer post(JsonObject message, String... headers) {
    return post(message.encode(), headers);
  }

  public Answer post(String body, String... headers) {
    return join(posted(body, headers));
  }

  /** Does not wait. */
  public CompletableFuture<Answer> posted(String body, String... headers) {
    return CLIENT
        .sendAsync(posting(body, headers), BodyHandlers.ofString())
        .thenApply(r -> new Answer(r.statusCode(), r.headers().map(), r.body()));
  }

  private static <T> T join(CompletableFuture<T> future) {
    return future.orTimeout(60, TimeUnit.SECONDS).join();
  }

  /** A POST whose answer is read as it comes. */
  public Stream streamed(JsonObject message, String... headers) {
    return streamed(message.encode(), headers);
  }

  public Stream streamed(String body, String... headers) {
    return new Stream(join(CLIENT.sendAsync(posting(body, headers), BodyHandlers.ofInputStream())));
  }

  public Stream get(String... headers) {
    return new Stream(
        join(
            CLIENT.sendAsync(
                with(builder().GET(), headers).header("Accept", "text/event-stream").build(),
                BodyHandlers.ofInputStream())));
  }

  /** The status of a GET that is refused. */
  public int refusedGet(String... headers) {
    return join(CLIENT.sendAsync(with(builder().GET(), headers).build(), BodyHandlers.ofString()))
        .statusCode();
  }

  public int delete(String... headers) {
    return join(CLIENT.sendAsync(
            with(builder().DELETE(), headers).build(), BodyHandlers.discarding()))
        .statusCode();
  }

  private HttpRequest posting(String body, String... headers) {
    HttpRequest.Builder request =
        with(builder(), headers).header("Content-Type", "application/json");
    if (!List.of(headers).contains("Accept")) {
      request.header("Accept", "application/json, text/event-stream");
    }
    return request.POST(BodyPublishers.ofString(body)).build();
  }

  private HttpRequest.Builder builder() {
    return HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(60));
  }

  private static HttpRequest.Builder with(HttpRequest.Builder request, String... headers) {
    return headers.length == 0 ? request : request.headers(headers);
  }

  // ---- the discover era

  /** The {@code _meta} that describes a request. */
  public static JsonObject meta(JsonObject capabilities) {
    return new JsonObject()
        .put("io.modelcontextprotocol/protocolVersion", "2026-07-28")
        .put(
            "io.modelcontextprotocol/clientInfo",
            new JsonObject().put("name", "test").put("version", "1"))
        .put("io.modelcontextprotocol/clientCapabilities", capabilities);
  }

  /** A request that describes itself, in its body and in its headers. */
  public Answer discover(String method, JsonObject params) {
    JsonObject request = described(method, params);
    return post(request, headers(request));
  }

  public JsonObject described(String method, JsonObject params) {
    JsonObject all = params.copy();
    JsonObject meta = meta(new JsonObject());
    meta.mergeIn(all.getJsonObject("_meta", new JsonObject()));
    return request(method, all.put("_meta", meta));
  }

  public static String[] headers(JsonObject request) {
    String method = request.getString("method");
    JsonObject params = request.getJsonObject("params");
    String name =
        switch (method) {
          case "tools/call", "prompts/get" -> params.getString("name");
          case "resources/read" -> params.getString("uri");
          case "tasks/get", "tasks/update", "tasks/cancel" -> params.getString("taskId");
          default -> null;
        };
    List<String> headers =
        new ArrayList<>(List.of("MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method));
    if (name != null) {
      headers.addAll(List.of("Mcp-Name", name));
    }
    return headers.toArray(String[]::new);
  }

  // ---- sessions

  /** A client of the era before, with a session. */
  public final class Session {
    private final Answer opened;
    private final String[] headers;

    Session(Answer opened, String version, String... more) {
      this.opened = opened;
      List<String> all =
          new ArrayList<>(
              List.of(
                  "Mcp-Session-Id",
                  opened.header("mcp-session-id"),
                  "MCP-Protocol-Version",
                  version));
      all.addAll(List.of(more));
      this.headers = all.toArray(String[]::new);
    }

    public String id() {
      return headers[1];
    }

    public JsonObject initialized() {
      return opened.result();
    }

    public String[] headers() {
      return headers.clone();
    }

    public Answer call(String method, JsonObject params) {
      return post(request(method, params), headers);
    }

    public CompletableFuture<Answer> called(JsonObject request) {
      return posted(request.encode(), headers);
    }

    public Stream streamed(JsonObject request) {
      return McpHttp.this.streamed(request, headers);
    }

    public int send(JsonObject message) {
      return post(message, headers).status();
    }

    public int answer(Object question, JsonObject result) {
      return send(new JsonObject().put("jsonrpc", "2.0").put("id", question).put("result", result));
    }

    public int notify(String method, JsonObject params) {
      return send(
          new JsonObject().put("jsonrpc", "2.0").put("method", method).put("params", params));
    }

    public Stream listen() {
      return get(headers);
    }

    public Stream resume(String lastEventId) {
      List<String> all = new ArrayList<>(List.of(headers));
      all.addAll(List.of("Last-Event-ID", lastEventId));
      return get(all.toArray(String[]::new));
    }

    public int end() {
      return delete(headers);
    }
  }

  public Session initialize() {
    return initialize("2025-11-25", new JsonObject());
  }

  /**
   * @param headers that every request has
   */
  public Session initialize(String version, JsonObject capabilities, String... headers) {
    JsonObject info = new JsonObject().put("name", "test").put("version", "1");
    return initialize(version, capabilities, info, headers);
  }

  /** A client of that name. */
  public Session initialize(
      String version, JsonObject capabilities, JsonObject clientInfo, String... headers) {
    Answer opened =
        post(
            request(
                "initialize",
                new JsonObject()
                    .put("protocolVersion", version)
                    .put("capabilities", capabilities)
                    .put("clientInfo", clientInfo)),
            headers);
    Session session = new Session(opened, version, headers);
    session.notify("notifications/initialized", new JsonObject());
    return session;
  }

  /** The names of a list. */
  public static List<String> names(JsonObject result, String list) {
    return result.getJsonArray(list, new JsonArray()).stream()
        .map(entry -> ((JsonObject) entry).getString("name"))
        .toList();
  }

  /** The text of the first content of a tool's result. */
  public static String text(JsonObject result) {
    return result.getJsonArray("content").getJsonObject(0).getString("text");
  }
}
