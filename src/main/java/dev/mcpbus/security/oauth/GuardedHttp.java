package dev.mcpbus.security.oauth;

import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import dev.mcpbus.security.oauth.UrlGuard.Checked;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP client for metadata, tokens and entries of registries: connects only to addresses that
 * {@link UrlGuard} has checked, follows no redirect, bounds size and time. It holds the strong
 * reference to its HTTP client, which belongs to the context of the first request. Use one context
 * only, and one that outlives the sessions.
 */
public final class GuardedHttp {

  static final int MAX_BODY = 256 * 1024;
  public static final Duration TIMEOUT = Duration.ofSeconds(10);

  /**
   * A response.
   *
   * @param body an empty object if it is not a JSON object
   * @param nonce for DPoP proofs that the server supplied, null for none
   */
  public record Reply(int status, JsonObject body, @Nullable String nonce) {

    boolean isSuccess() {
      return status >= 200 && status < 300;
    }

    /** Without the body, which may hold tokens. */
    @Override
    public String toString() {
      return "HTTP " + status;
    }
  }

  private final Vertx vertx;
  private final Duration timeout;
  private @Nullable HttpClientAgent client;

  public GuardedHttp(Vertx vertx, Duration timeout) {
    this.vertx = vertx;
    this.timeout = timeout;
  }

  private HttpClientAgent client() {
    HttpClientAgent made = client;
    if (made == null) {
      made =
          vertx.createHttpClient(
              new HttpClientOptions()
                  .setConnectTimeout(Math.toIntExact(timeout.toMillis()))
                  .setKeepAlive(false)
                  .setMaxHeaderSize(32 * 1024));
      client = made;
    }
    return made;
  }

  public Future<Reply> get(UrlGuard guard, String url, String what) {
    return send(guard, url, what, HttpMethod.GET, Map.of(), Buffer.buffer());
  }

  Future<Reply> post(
      UrlGuard guard, String url, String what, Map<String, String> headers, String body) {
    return send(guard, url, what, HttpMethod.POST, headers, Buffer.buffer(body));
  }

  private Future<Reply> send(
      UrlGuard guard,
      String url,
      String what,
      HttpMethod method,
      Map<String, String> headers,
      Buffer body) {
    return guard
        .check(url, what)
        .compose(
            checked ->
                client()
                    .request(options(checked, method))
                    .compose(request -> exchange(request, what, headers, body)))
        .recover(failure -> Future.failedFuture(known(failure, what)));
  }

  private static RequestOptions options(Checked checked, HttpMethod method) {
    URI url = checked.url();
    boolean tls = "https".equalsIgnoreCase(url.getScheme());
    int port = url.getPort() >= 0 ? url.getPort() : tls ? 443 : 80;
    String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    return new RequestOptions()
        .setMethod(method)
        .setSsl(tls)
        .setHost(url.getHost())
        .setPort(port)
        .setServer(SocketAddress.inetSocketAddress(port, checked.address().getHostAddress()))
        .setURI(url.getRawQuery() == null ? path : path + "?" + url.getRawQuery())
        .setFollowRedirects(false);
  }

  private Future<Reply> exchange(
      HttpClientRequest request, String what, Map<String, String> headers, Buffer body) {
    request.exceptionHandler(cause -> {});
    headers.forEach(request::putHeader);
    request.putHeader(HttpHeaders.ACCEPT, "application/json");
    return request
        .send(body)
        .compose(response -> read(response, what))
        .timeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .onFailure(failure -> request.reset());
  }

  private static Future<Reply> read(HttpClientResponse response, String what) {
    Promise<Reply> promise = Promise.promise();
    Buffer body = Buffer.buffer();
    response.exceptionHandler(promise::tryFail);
    response.handler(
        piece -> {
          if (body.length() + piece.length() > MAX_BODY) {
            promise.tryFail(
                new OAuthException(
                    OAuthFailure.INVALID, what + " is over " + MAX_BODY / 1024 + " KiB"));
            response.request().reset();
          } else {
            body.appendBuffer(piece);
          }
        });
    response.endHandler(
        nothing ->
            promise.tryComplete(
                new Reply(
                    response.statusCode(),
                    json(response, body),
                    response.getHeader("DPoP-Nonce"))));
    return promise.future();
  }

  private static JsonObject json(HttpClientResponse response, Buffer body) {
    if (response.getHeader(HttpHeaders.CONTENT_ENCODING) != null) {
      return new JsonObject();
    }
    try {
      return new JsonObject(body);
    } catch (DecodeException | ClassCastException e) {
      return new JsonObject();
    }
  }

  /** Hides the cause's own text, which may quote what was sent or received. */
  private static OAuthException known(Throwable failure, String what) {
    if (failure instanceof OAuthException known) {
      return known;
    }
    String why = failure instanceof TimeoutException ? "no answer in time" : "no connection";
    return new OAuthException(
        OAuthFailure.UNREACHABLE,
        what + ": " + why + " (" + failure.getClass().getSimpleName() + ")");
  }
}
