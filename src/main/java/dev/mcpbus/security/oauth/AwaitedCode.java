package dev.mcpbus.security.oauth;

import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One login of a person, and the authorization code with which the browser comes back. It checks
 * {@code state}, then {@code iss} (RFC 9207), and reads the other fields only if both are right.
 * The subclass says where the browser comes back to. {@link TokenGrants} opens it and must close
 * it, whatever the outcome. Any thread may call.
 */
abstract class AwaitedCode {

  private final Promise<String> code = Promise.promise();
  private final String state;
  private final String verifier = OAuthDigests.secret();
  private volatile @Nullable ServerMetadata expected;

  /**
   * @param state that the browser brings back; nobody can guess it
   */
  AwaitedCode(String state) {
    this.state = state;
  }

  /** Where the browser comes back to. */
  abstract String redirectUri();

  /** The person logs in at {@code page}, within {@code time}. By default ignored. */
  void leadsTo(URI page, Duration time) {}

  /** No browser can come back any more. */
  abstract Future<Void> close();

  final String state() {
    return state;
  }

  final String verifier() {
    return verifier;
  }

  /**
   * The authorization code with which the browser comes back from {@code server}; fails after
   * {@code timeout}.
   */
  final Future<String> code(ServerMetadata server, Duration timeout) {
    expected = server;
    return code.future()
        .timeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .recover(
            failure ->
                failure instanceof OAuthException
                    ? Future.failedFuture(failure)
                    : OAuthFailure.LOGIN_REQUIRED.fails(
                        "the login was not completed within " + timeout.toSeconds() + " s"));
  }

  /**
   * What a browser has brought back: a code, or the reason why the login has failed.
   *
   * @param failure null with a code
   */
  record BroughtBack(String code, @Nullable OAuthException failure) {}

  /**
   * Reads what a browser brings back.
   *
   * @param fields of the query; null for one that is malformed
   * @return for {@link #take}; null if it is no answer to this login, which goes on waiting
   */
  final @Nullable BroughtBack read(@Nullable Map<String, String> fields) {
    ServerMetadata from = expected;
    if (from == null
        || fields == null
        || !OAuthDigests.same(fields.getOrDefault("state", ""), state)
        || code.future().isComplete()) {
      return null;
    }
    try {
      return new BroughtBack(received(fields, from), null);
    } catch (OAuthException e) {
      return new BroughtBack("", e);
    }
  }

  /** Goes on with the login; {@link #close} may follow at once. */
  final void take(BroughtBack brought) {
    if (brought.failure() == null) {
      code.tryComplete(brought.code());
    } else {
      code.tryFail(brought.failure());
    }
  }

  private static String received(Map<String, String> fields, ServerMetadata from)
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
}
