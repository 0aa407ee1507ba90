package dev.mcpbus.security.oauth;

import dev.mcpbus.bus.CallerLogins;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Where the logins of one principal at one server happen: on pages of mcpbus, which make sure that
 * the person at the browser is that principal. Belongs to one {@link OAuthClient}, which has one
 * login at a time. Any thread may call.
 */
public final class PrincipalLogins {

  private static final Duration OPENING = Duration.ofSeconds(10);

  private final Vertx vertx;
  private final ConnectionId server;
  private final String principal;
  private @Nullable PrincipalLogin current;
  private Promise<Void> waits = Promise.promise();

  /**
   * @param server at which the principal logs in
   */
  public PrincipalLogins(Vertx vertx, ConnectionId server, String principal) {
    this.vertx = vertx;
    this.server = server;
    this.principal = principal;
  }

  /**
   * Begins a login. Fails where mcpbus does not know its own URL, and while another login of the
   * principal waits at the server, as where the URL of the entry depends on headers of the caller.
   */
  Future<AwaitedCode> open() {
    CallerLogins logins = CallerLogins.of(vertx);
    if (logins.of(server, principal) != null) {
      return OAuthFailure.LOGIN_REQUIRED.fails("another login of yours at this server waits");
    }
    String url = logins.url();
    if (url == null) {
      return OAuthFailure.LOGIN_REQUIRED.fails(
          "a login needs the URL under which browsers reach mcpbus: set \"bridge\": {\"url\": ...}");
    }
    PrincipalLogin login = new PrincipalLogin(vertx, server, principal, url, this::waits);
    synchronized (this) {
      current = login;
    }
    return login
        .open()
        .timeout(OPENING.toMillis(), TimeUnit.MILLISECONDS)
        .map(open -> (AwaitedCode) login);
  }

  private synchronized void waits() {
    waits.tryComplete();
  }

  /** Whether a page waits for the principal now. */
  synchronized boolean isWaiting() {
    return waits.future().isComplete();
  }

  /** The outcome; fails at once where it needs the person, who finds the page elsewhere. */
  Future<Boolean> unlessWaiting(Future<Boolean> outcome) {
    if (outcome.isComplete()) {
      return outcome;
    }
    Promise<Boolean> first = Promise.promise();
    outcome.onComplete(first::tryComplete, first::tryFail);
    Future<Void> page;
    synchronized (this) {
      page = waits.future();
    }
    page.onSuccess(
        waiting ->
            first.tryFail(
                new OAuthException(OAuthFailure.LOGIN_REQUIRED, "you have to log in first")));
    return first.future();
  }

  /**
   * The client has ended an exchange, and with it the login that was a part of it.
   *
   * @param why it failed; null where it has new tokens, which requests carry from now on
   */
  void finished(@Nullable Throwable why) {
    PrincipalLogin ended;
    synchronized (this) {
      ended = current;
      current = null;
      waits = Promise.promise();
    }
    if (ended != null) {
      ended.finished(why);
    }
  }
}
