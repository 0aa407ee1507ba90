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
import java.util.Map;

/** A login of mcpbus itself: an HTTP server on loopback waits for the browser's redirect. */
final class BrowserLogin extends AwaitedCode {

  private static final Map<String, String> LOOPBACK =
      Map.of("127.0.0.1", "127.0.0.1", "localhost", "127.0.0.1", "[::1]", "::1");

  private final HttpServer server;
  private final String redirectUri;

  private BrowserLogin(HttpServer server, String redirectUri) {
    super(OAuthDigests.secret());
    this.server = server;
    this.redirectUri = redirectUri;
  }

  /**
   * Starts to listen.
   *
   * @param wanted the redirect URI, on loopback; with port 0 the system chooses a port
   */
  static Future<AwaitedCode> listen(Vertx vertx, URI wanted) {
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
    return made.future().map(login -> login);
  }

  @Override
  String redirectUri() {
    return redirectUri;
  }

  @Override
  Future<Void> close() {
    return server.close();
  }

  private void called(HttpServerRequest request, String path) {
    boolean asks = request.method().equals(HttpMethod.GET) && path.equals(request.path());
    BroughtBack brought = asks ? read(FormEncoding.decode(request.query())) : null;
    if (brought == null) {
      answer(request, 400, "This is no answer to a login that is under way.");
      return;
    }
    boolean good = brought.failure() == null;
    answer(
        request,
        good ? 200 : 400,
        good
            ? "You are logged in. This page can be closed."
            : "The login has failed; the log of mcpbus says why.");
    take(brought);
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
