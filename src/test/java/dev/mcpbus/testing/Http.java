package dev.mcpbus.testing;

import dev.mcpbus.security.AdminTokenFile;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A caller over HTTP that shares nothing with the bridge: the JDK's own client. */
public final class Http {

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /** What came back. */
  public record Answer(int status, HttpHeaders headers, String body) {

    public JsonObject json() {
      return new JsonObject(body);
    }
  }

  private Http() {}

  public static Answer get(int port, String path, String... headers) {
    HttpRequest.Builder request = request(port, path).GET();
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request.build());
  }

  public static Answer delete(int port, String path, String... headers) {
    HttpRequest.Builder request = request(port, path).DELETE();
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request.build());
  }

  /** The header of who may administer the mcpbus that this user runs on {@code port}. */
  public static String[] admin(int port) {
    AdminTokenFile file = AdminTokenFile.of(port, System.getenv());
    try {
      return admin(file.read().orElseThrow(() -> new AssertionError("no " + file.path())));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  public static String[] admin(String token) {
    return new String[] {"Authorization", "Bearer " + token};
  }

  /** As {@code curl -d}: a form by its content type, whatever the body is. */
  public static Answer post(int port, String path, String body, String... headers) {
    return send(posting(port, path, body, headers));
  }

  /** Does not wait. */
  public static CompletableFuture<Answer> posted(int port, String path, String body) {
    return CLIENT.sendAsync(posting(port, path, body), BodyHandlers.ofString()).thenApply(Http::of);
  }

  private static HttpRequest posting(int port, String path, String body, String... headers) {
    HttpRequest.Builder request =
        request(port, path).header("Content-Type", "application/x-www-form-urlencoded");
    if (headers.length > 0) {
      request.headers(headers);
    }
    return request.POST(BodyPublishers.ofString(body)).build();
  }

  private static HttpRequest.Builder request(int port, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
        .timeout(Duration.ofSeconds(90));
  }

  private static Answer send(HttpRequest request) {
    try {
      return of(CLIENT.send(request, BodyHandlers.ofString()));
    } catch (IOException e) {
      throw new AssertionError("no answer to " + request, e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static Answer of(HttpResponse<String> response) {
    return new Answer(response.statusCode(), response.headers(), response.body());
  }
}
