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

/** Sends the token of an OAuth client in the {@code Authorization} header. Any thread may call. */
record OAuthTokenAuthenticator(OAuthClient client) implements Authenticator {

  private static final String AUTHORIZATION = "Authorization";
  private static final String BEARER = "Bearer ";

  @Override
  public Future<Map<String, Sensitive>> headers() {
    return client
        .token()
        .map(
            token ->
                token == null
                    ? Map.<String, Sensitive>of()
                    : Map.of(AUTHORIZATION, Sensitive.of(BEARER + token)))
        .recover(failure -> Future.failedFuture(asTransportFailure(failure, 401)));
  }

  @Override
  public Future<Boolean> challenged(Challenge challenge) {
    Sensitive sent = challenge.sent().get(AUTHORIZATION);
    return client
        .challenged(
            challenge.status(),
            challenge.wwwAuthenticate(),
            sent == null ? null : sent.reveal().substring(BEARER.length()))
        .recover(failure -> Future.failedFuture(asTransportFailure(failure, challenge.status())));
  }

  private static TransportException asTransportFailure(Throwable failure, int status) {
    if (!(failure instanceof OAuthException why)) {
      return new TransportException(
          Reason.INTERNAL, Reached.NO, "no token, because of a defect in mcpbus", -1, failure);
    }
    Reason reason =
        why.reason() == OAuthException.OAuthFailure.UNREACHABLE
            ? Reason.CONNECT_FAILED
            : status == 403 ? Reason.FORBIDDEN : Reason.AUTH_REQUIRED;
    return new TransportException(reason, Reached.NO, "no token: " + why.getMessage());
  }
}
