package dev.mcpbus.security.oauth;

import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One login of a person: an HTTP server on loopback that waits for the browser's redirect. It
 * checks {@code state}, then {@code iss} (RFC 9207), and reads the other fields only if both are
 * right. {@link TokenGrants} opens it and must close it, whatever the outcome.
 */
final class BrowserLogin {

  private static final Map<String, String> LOOPBACK =
      Map.of("127.0.0.1", "127.0.0.1", "localhost", "127.0.0.1", "[::1]", "::1");

  private final HttpServer server;
  private final String redirectUri;
  private final Promise<String> code = Promise.promise();
  private final String state = OAuthDigests.secret();
  private final String verifier = OAuthDigests.secret();
  private volatile @Nullable ServerMetadata expected;

  private BrowserLogin(HttpServer server, String redirectUri) {
    this.server = server;
    this.redirectUri = redirectUri;
  }

  /**
   * Starts to listen.
   *
   * @param wanted the redirect URI, on loopback; with port 0 the system chooses a port
   */
  static Future<BrowserLogin> listen(Vertx vertx, URI wanted) {
    String address = LOOPBACK.get(String.valueOf(wanted.getHost()));
    if (address == null || !"http".equals(wanted.getScheme())) {
      return OAuthFailure.LOGIN_REQUIRED.fails(
          "the redirect URI must be http on 127.0.0.1 or localhost");
    }
    HttpServer server =
        vertx.createHttpServer(
            new HttpServerOptions().setMaxInitialLineLength(16 * 1024).setIdleTimeout(10));
    Promise<BrowserLogin> made = Promise.promise();
    server.requestHandler(
        request -> made.future().onSuccess(login -> login.called(request, wanted.getRawPath())));
    server
        .listen(Math.max(0, wanted.getPort()), address)
        .map(
            listening ->
                new BrowserLogin(
                    server,
                    "http://"
                        + wanted.getHost()
                        + ":"
                        + listening.actualPort()
                        + wanted.getRawPath()))
        .recover(
            failure ->
                OAuthFailure.LOGIN_REQUIRED.fails(
                    "port " + wanted.getPort() + " for the login is taken"))
        .onComplete(made);
    return made.future();
  }

  String redirectUri() {
    return redirectUri;
  }

  String state() {
    return state;
  }

  String verifier() {
    return verifier;
  }

  /**
   * The authorization code with which the browser comes back from {@code server}; fails after
   * {@code timeout}.
   */
  Future<String> code(ServerMetadata server, Duration timeout) {
    expected = server;
    return code.future()
        .timeout(timeout.toMillis(), java.util.concurrent.TimeUnit.MILLISECONDS)
        .recover(
            failure ->
                failure instanceof OAuthException
                    ? Future.failedFuture(failure)
                    : OAuthFailure.LOGIN_REQUIRED.fails(
                        "the login was not completed within " + timeout.toSeconds() + " s"));
  }

  Future<Void> close() {
    return server.close();
  }

  private void called(HttpServerRequest request, String path) {
    ServerMetadata from = expected;
    Map<String, String> fields = FormEncoding.decode(request.query());
    if (from == null
        || !request.method().equals(HttpMethod.GET)
        || !path.equals(request.path())
        || fields == null
        || !OAuthDigests.same(fields.getOrDefault("state", ""), state)
        || code.future().isComplete()) {
      answer(request, 400, "This is no answer to a login that is under way.");
      return;
    }
    try {
      String received = check(fields, from);
      answer(request, 200, "You are logged in. This page can be closed.");
      code.tryComplete(received);
    } catch (OAuthException e) {
      answer(request, 400, "The login has failed; the log of mcpbus says why.");
      code.tryFail(e);
    }
  }

  private static String check(Map<String, String> fields, ServerMetadata from)
      throws OAuthException {
    String issuer = fields.get("iss");
    if (issuer == null ? from.sendsIssuer() : !IssuerKeys.isCalled(from.ownName(), issuer)) {
      throw new OAuthException(
          OAuthFailure.INVALID,
          "the login's answer "
              + (issuer == null ? "names no issuer" : "comes from another issuer")
              + ": it may be an attack, and is not used");
    }
    String error = fields.get("error");
    if (error != null) {
      throw new OAuthException(
          TokenEndpoint.UNKNOWN_CLIENT.contains(error)
              ? OAuthFailure.CLIENT_FORGOTTEN
              : OAuthFailure.DENIED,
          "the login was refused" + OAuthException.said(": ", error));
    }
    String received = fields.get("code");
    if (received == null || received.isEmpty()) {
      throw new OAuthException(OAuthFailure.INVALID, "the login's answer holds no code");
    }
    return received;
  }

  private static void answer(HttpServerRequest request, int status, String text) {
    request
        .response()
        .setStatusCode(status)
        .putHeader("Content-Type", "text/plain; charset=utf-8")
        .putHeader("Cache-Control", "no-store")
        .putHeader("X-Content-Type-Options", "nosniff")
        .putHeader("Connection", "close")
        .end(text);
  }
}
