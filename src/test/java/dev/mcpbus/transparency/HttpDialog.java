package dev.mcpbus.transparency;

import dev.mcpbus.testing.McpHttp;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * A dialog over Streamable HTTP: a session with its GET stream, or requests that describe
 * themselves.
 */
final class HttpDialog extends Dialog {

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final URI url;
  private final Runnable closed;
  private final Map<String, InputStream> streams = new ConcurrentHashMap<>();
  private final Queue<InputStream> open = new ConcurrentLinkedQueue<>();
  private volatile @Nullable String session;

  HttpDialog(String url, boolean discover) {
    this(url, discover, () -> {});
  }

  /**
   * @param closed runs when the dialog is over
   */
  HttpDialog(String url, boolean discover, Runnable closed) {
    super(discover);
    this.url = URI.create(url);
    this.closed = closed;
  }

  @Override
  protected void transmit(JsonObject message) {
    boolean request = message.containsKey("method") && message.containsKey("id");
    String id = request ? idOf(message) : "";
    HttpRequest.Builder post =
        builder()
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .POST(BodyPublishers.ofString(message.encode()));
    if (speaksDiscover()) {
      post.headers(McpHttp.headers(message));
    }
    if (!request) {
      // In order: what comes next must find that this has arrived.
      consume(id, send(post.build()));
      return;
    }
    if ("initialize".equals(message.getString("method"))) {
      HttpResponse<InputStream> response = send(post.build());
      session = response.headers().firstValue("mcp-session-id").orElse(null);
      consume(id, response);
      return;
    }
    thread("http-dialog-" + id, () -> consume(id, send(post.build())));
  }

  @Override
  protected void opened() {
    if (speaksDiscover()) {
      return;
    }
    HttpResponse<InputStream> stream =
        send(builder().header("Accept", "text/event-stream").GET().build());
    if (stream.statusCode() == 200) {
      thread("http-dialog-get", () -> consume("", stream));
    }
  }

  @Override
  protected void cancelled(String id) {
    InputStream stream = streams.get(id);
    if (!speaksDiscover()) {
      super.cancelled(id);
    } else if (stream != null) {
      quietly(stream);
    }
  }

  private HttpRequest.Builder builder() {
    HttpRequest.Builder builder = HttpRequest.newBuilder(url).timeout(Duration.ofSeconds(60));
    String id = session;
    if (id != null) {
      builder.header("Mcp-Session-Id", id);
    }
    if (!speaksDiscover() && id != null) {
      builder.header("MCP-Protocol-Version", INITIALIZE_VERSION);
    }
    return builder;
  }

  private HttpResponse<InputStream> send(HttpRequest request) {
    try {
      return client.send(request, BodyHandlers.ofInputStream());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError("no answer to " + request, e);
    }
  }

  /** Reads a response to its end; whatever it is, the request has had its answer then. */
  private void consume(String id, HttpResponse<InputStream> response) {
    InputStream body = response.body();
    streams.put(id, body);
    open.add(body);
    boolean events =
        response.headers().firstValue("content-type").orElse("").startsWith("text/event-stream");
    try (body) {
      if (events) {
        read(body);
      } else {
        String text = new String(body.readAllBytes(), StandardCharsets.UTF_8);
        if (text.startsWith("{")) {
          answered(id, text);
        } else if (!id.isEmpty()) {
          answered(id, "{\"error\":{\"http\":" + response.statusCode() + "}}");
        }
      }
    } catch (IOException closed) {
      // by this side, at the end or for a cancel
    } finally {
      streams.remove(id);
    }
    if (!id.isEmpty()) {
      answered(id, "");
    }
  }

  private void read(InputStream body) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
    StringBuilder data = new StringBuilder();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith("data:")) {
        data.append(line.substring(line.startsWith("data: ") ? 6 : 5));
      } else if (line.isEmpty() && data.length() > 0) {
        String message = data.toString();
        data.setLength(0);
        if (message.startsWith("{")) {
          receive(message);
        }
      }
    }
  }

  private static void thread(String name, Runnable work) {
    Thread thread = new Thread(work, name);
    thread.setUncaughtExceptionHandler((dead, closed) -> {}); // the dialog is over
    thread.setDaemon(true);
    thread.start();
  }

  private static void quietly(InputStream stream) {
    try {
      stream.close();
    } catch (IOException e) {
      // it was closed
    }
  }

  @Override
  public void close() {
    if (session != null) {
      send(builder().DELETE().build());
    }
    open.forEach(HttpDialog::quietly);
    closed.run();
  }
}
