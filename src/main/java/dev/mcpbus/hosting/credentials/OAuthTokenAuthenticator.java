package dev.mcpbus.hosting.credentials;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.OAuthClient;
import dev.mcpbus.security.oauth.OAuthException;
import dev.mcpbus.transport.Authenticator;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Sends the token of an OAuth client, with a proof of its key if it is bound to one. Any thread may
 * call.
 */
record OAuthTokenAuthenticator(OAuthClient client) implements Authenticator {

  private static final String AUTHORIZATION = "Authorization";

  /** A token that is bound to a key cannot be sent without a request. */
  @Override
  public Future<Map<String, Sensitive>> headers() {
    return Future.failedFuture(
        new TransportException(Reason.INTERNAL, Reached.NO, "a token needs the request it is for"));
  }

  @Override
  public Future<Map<String, Sensitive>> headers(String method, Supplier<String> url) {
    return client
        .headers(method, url)
        .recover(failure -> Future.failedFuture(asTransportFailure(failure, 401)));
  }

  @Override
  public void nonce(String supplied) {
    client.nonce(supplied);
  }

  @Override
  public void accepted(Map<String, Sensitive> sent) {
    Sensitive header = sent.get(AUTHORIZATION);
    if (header != null) {
      client.accepted(header);
    }
  }

  @Override
  public Future<Boolean> challenged(Challenge challenge) {
    return client
        .challenged(
            challenge.status(), challenge.wwwAuthenticate(), challenge.sent().get(AUTHORIZATION))
        .recover(failure -> Future.failedFuture(asTransportFailure(failure, challenge.status())));
  }

  private static TransportException asTransportFailure(Throwable failure, int status) {
    if (!(failure instanceof OAuthException why)) {
      return new TransportException(
          Reason.INTERNAL, Reached.NO, "no token, because of a defect in mcpbus", -1, failure);
    }
    Reason reason =
        why.reason().passes()
            ? Reason.CONNECT_FAILED
            : status == 403 ? Reason.FORBIDDEN : Reason.AUTH_REQUIRED;
    return new TransportException(reason, Reached.NO, "no token: " + why.getMessage());
  }
}
