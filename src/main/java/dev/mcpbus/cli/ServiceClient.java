package dev.mcpbus.cli;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.security.oauth.FormEncoding;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One mcpbus over HTTP, with the JDK's client, which starts fast. Failures are {@link
 * CommandFailure}s with the exit code for them. Methods block; for the main thread, and for the
 * hook that runs at Ctrl-C.
 */
public final class ServiceClient implements AutoCloseable {

  /** The longest answer that a command reads. */
  private static final int MAX_BYTES = 64 * 1024 * 1024;

  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final URI url;
  private final @Nullable String key;
  private final String refused;
  private final @Nullable KeptSignIn signIn;
  private final @Nullable LocalService own;
  private @Nullable HttpClient http;

  /**
   * @param key for {@code Authorization: Bearer}, null for none; never printed
   * @param own the service that was started for this command, null for a running one
   */
  public ServiceClient(URI url, @Nullable String key, @Nullable LocalService own) {
    this(url, key, "", null, own);
  }

  /** A client whose key is the token of that sign-in, renewed where a request needs it. */
  ServiceClient(URI url, KeptSignIn signIn) {
    this(url, null, "", signIn, null);
  }

  private ServiceClient(
      URI url,
      @Nullable String key,
      String refused,
      @Nullable KeptSignIn signIn,
      @Nullable LocalService own) {
    this.url = url;
    this.key = key;
    this.refused = refused;
    this.signIn = signIn;
    this.own = own;
  }

  /**
   * A client for a running service.
   *
   * @param refused the end of the error where the service refuses the key: which key it was
   */
  static ServiceClient withKey(URI url, String key, String refused) {
    return new ServiceClient(url, key, refused, null, null);
  }

  /** Made for the first request: a caller that wants the URL and the key alone has none. */
  private HttpClient http() {
    HttpClient made = http;
    if (made == null) {
      made =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(CONNECT)
              .proxy(HttpClient.Builder.NO_PROXY)
              .build();
      http = made;
    }
    return made;
  }

  /** The base of all paths, for example {@code http://127.0.0.1:8790}. */
  public URI url() {
    return url;
  }

  /**
   * The key for {@code Authorization: Bearer}, null for none. A secret.
   *
   * @throws CommandFailure where the sign-in that it comes from has ended
   */
  public @Nullable String key() {
    return signIn == null ? key : signIn.token();
  }

  /** Whether this command started the service itself. */
  public boolean isOwn() {
    return own != null;
  }

  /** A name as one segment of a path. */
  public static String segment(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8)
        .replace("+", "%20")
        .replace("%7E", "~")
        .replace("*", "%2A");
  }

  /** The JSON object at a path. */
  public JsonObject get(String path) {
    return send("GET", path, null, Map.of(), PATIENCE);
  }

  /** Posts an object; the answer's object. */
  public JsonObject post(String path, JsonObject body) {
    return send("POST", path, body, Map.of(), PATIENCE);
  }

  /** Deletes what is at the path; the answer's object. */
  public JsonObject delete(String path) {
    return send("DELETE", path, null, Map.of(), PATIENCE);
  }

  /**
   * One request with a JSON answer; empty where the answer has no body.
   *
   * @param patience how long to wait for the answer, null for as long as it takes
   * @throws CommandFailure for every status but 2xx, and where the service cannot be reached
   */
  public JsonObject send(
      String method,
      String path,
      @Nullable JsonObject body,
      Map<String, String> headers,
      @Nullable Duration patience) {
    HttpRequest.Builder request = request(path, headers);
    if (patience != null) {
      request.timeout(patience);
    }
    request.method(
        method,
        body == null
            ? BodyPublishers.noBody()
            : BodyPublishers.ofByteArray(body.toBuffer().getBytes()));
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    return answered(request.build());
  }

  /**
   * Posts a form; the answer's object.
   *
   * @throws CommandFailure as {@link #send}; with the code of OAuth, such as {@code invalid_grant},
   *     where it is one of RFC 6749, section 5.2
   */
  JsonObject form(String path, Map<String, String> fields) {
    return answered(
        request(path, Map.of("Content-Type", FormEncoding.TYPE))
            .timeout(PATIENCE)
            .POST(BodyPublishers.ofString(FormEncoding.encode(fields)))
            .build());
  }

  private JsonObject answered(HttpRequest request) {
    HttpResponse<InputStream> response = exchange(request);
    try (InputStream in = response.body()) {
      return answer(response, in.readNBytes(MAX_BYTES + 1));
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  /**
   * Opens a stream of server-sent events; the caller closes it.
   *
   * @throws CommandFailure for every status but 2xx, and where the service cannot be reached
   */
  public InputStream stream(String path) {
    HttpResponse<InputStream> response =
        exchange(request(path, Map.of("Accept", "text/event-stream")).GET().build());
    if (response.statusCode() / 100 == 2) {
      return response.body();
    }
    try (InputStream in = response.body()) {
      throw problem(response.statusCode(), in.readNBytes(MAX_BYTES));
    } catch (IOException e) {
      throw unreachable(e);
    }
  }

  /** Opens a WebSocket; its future fails where the service offers none. */
  CompletableFuture<WebSocket> socket(String path, WebSocket.Listener listener) {
    WebSocket.Builder socket = http().newWebSocketBuilder().connectTimeout(CONNECT);
    String bearer = key();
    if (bearer != null) {
      socket.header("Authorization", "Bearer " + bearer);
    }
    return socket.buildAsync(
        URI.create(url.toString().replaceFirst("^http", "ws") + path), listener);
  }

  private HttpRequest.Builder request(String path, Map<String, String> headers) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path));
    headers.forEach(request::header);
    String bearer = key();
    return bearer == null ? request : request.header("Authorization", "Bearer " + bearer);
  }

  private HttpResponse<InputStream> exchange(HttpRequest request) {
    try {
      return http().send(request, BodyHandlers.ofInputStream());
    } catch (IOException e) {
      throw unreachable(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.INTERRUPTED, "CANCELLED", "interrupted");
    }
  }

  private JsonObject answer(HttpResponse<?> response, byte[] body) {
    if (response.statusCode() / 100 != 2) {
      throw problem(response.statusCode(), body);
    }
    if (body.length > MAX_BYTES) {
      throw new CommandFailure(
          ExitCode.UNEXPECTED,
          "LIMIT_EXCEEDED",
          "the answer is longer than " + MAX_BYTES + " bytes");
    }
    JsonObject json = body.length == 0 ? new JsonObject() : json(body);
    if (json == null) {
      throw new CommandFailure(
          ExitCode.UNREACHABLE,
          "NOT_MCPBUS",
          url + " answers, but not as mcpbus does; check the URL");
    }
    return json;
  }

  private static @Nullable JsonObject json(byte[] body) {
    try {
      return new JsonObject(new String(body, StandardCharsets.UTF_8));
    } catch (DecodeException | ClassCastException e) {
      return null;
    }
  }

  private CommandFailure problem(int status, byte[] body) {
    JsonObject problem = json(body);
    if (problem != null && problem.getValue("error") instanceof String error) {
      String why = ContentText.text(problem, "error_description");
      return new CommandFailure(
          ExitCode.of(null, status), error, url + " says: " + (why.isEmpty() ? error : why));
    }
    if (problem == null || !(problem.getValue("detail") instanceof String detail)) {
      return new CommandFailure(
          ExitCode.of(null, status),
          "HTTP_" + status,
          url + " answers with HTTP " + status + ", and not as mcpbus does; check the URL",
          new JsonObject().put("status", status));
    }
    String name = String.valueOf(problem.getValue("code"));
    JsonObject data = problem.copy();
    Set.of("type", "title", "detail", "code").forEach(data::remove);
    return new CommandFailure(ExitCode.of(code(name), status), name, detail + remedy(status), data);
  }

  private String remedy(int status) {
    if (status == 401 && signIn != null) {
      return "; " + signIn.remedy();
    }
    if (status == 401 && !refused.isEmpty()) {
      return "; " + refused;
    }
    if (status == 401 || (status == 403 && key == null && signIn == null)) {
      return "; the key comes from --key-file, from "
          + ServiceFinder.KEY_VARIABLE
          + ", from \"mcpbus login\", or on this machine from the file of the admin key";
    }
    return "";
  }

  private static @Nullable FailureCode code(String name) {
    try {
      return FailureCode.valueOf(name);
    } catch (IllegalArgumentException unknown) {
      return null;
    }
  }

  private CommandFailure unreachable(IOException e) {
    String why =
        e instanceof HttpTimeoutException
            ? "it did not answer in time"
            : e.getMessage() == null ? "the connection was refused" : e.getMessage();
    return new CommandFailure(
        ExitCode.UNREACHABLE, "UNREACHABLE", "mcpbus at " + url + " cannot be reached: " + why);
  }

  /** Ends the service if this command started it. */
  @Override
  public void close() {
    if (own != null) {
      own.close();
    }
  }
}
