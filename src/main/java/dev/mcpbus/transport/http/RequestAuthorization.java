package dev.mcpbus.transport.http;

import dev.mcpbus.transport.TransportException;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The credentials of one message or stream. It obtains them before each attempt and renews them
 * when the server refuses them. The number of renewals is bounded, so that no server can keep a
 * request in a loop. Confined to the owner context of its channel.
 */
final class RequestAuthorization {

  private static final int MAX_STEP_UPS = 2;

  /** The second one is for a new token that the server does not know yet. */
  private static final int MAX_RENEWALS = 2;

  private final @Nullable ChannelCredentials credentials;
  private @Nullable ConfiguredHeaders headers;
  private int renewals;
  private boolean nonceTaken;
  private int stepUps;

  /**
   * Creates the state of one message or stream.
   *
   * @param credentials null if the configured headers are all that requests need
   */
  RequestAuthorization(@Nullable ChannelCredentials credentials) {
    this.credentials = credentials;
  }

  /**
   * Obtains the credentials for a request, then runs one of the two callbacks; at once if no
   * credentials are needed.
   */
  void obtain(
      HttpMethod method, HttpEndpoint to, Runnable next, Consumer<TransportException> failed) {
    if (credentials == null) {
      next.run();
      return;
    }
    credentials
        .headers(method, to)
        .onComplete(
            (obtained, failure) -> {
              if (failure != null) {
                failed.accept(ChannelCredentials.failure(failure));
              } else {
                headers = obtained;
                next.run();
              }
            });
  }

  void addTo(HttpClientRequest request) {
    if (headers != null) {
      headers.addTo(request);
    }
  }

  /** Looks at each answer, whatever its status: it may have a nonce for the next proofs. */
  void received(HttpClientResponse response) {
    if (credentials != null) {
      credentials.received(response, headers);
    }
  }

  /**
   * Whether other credentials may change this answer: a token is renewed twice, scopes are extended
   * twice, and a nonce is taken up once.
   */
  boolean mayRenew(HttpClientResponse response) {
    if (credentials == null) {
      return false;
    }
    int challenge = ChannelCredentials.challenge(response, headers);
    return challenge == 401
        ? isFirstNonce(response)
            || renewals < (ChannelCredentials.isNonceWanted(response) ? 1 : MAX_RENEWALS)
        : challenge == 403 && stepUps < MAX_STEP_UPS;
  }

  private boolean isFirstNonce(HttpClientResponse response) {
    return !nonceTaken && ChannelCredentials.isNonceWanted(response);
  }

  /**
   * Renews the credentials; the caller has read the response, or drains it.
   *
   * @param from the endpoint of the response, for the message of a failure
   */
  void renew(
      HttpClientResponse response,
      HttpEndpoint from,
      Runnable retry,
      Consumer<TransportException> failed) {
    if (isFirstNonce(response)) {
      nonceTaken = true;
    } else if (ChannelCredentials.challenge(response, headers) == 401) {
      renewals++;
    } else {
      stepUps++;
    }
    TransportException refusal = StatusFailures.of(response, from, null);
    Objects.requireNonNull(credentials)
        .challenged(response, headers)
        .onComplete(
            (better, failure) -> {
              if (failure != null) {
                failed.accept(ChannelCredentials.failure(failure));
              } else if (better) {
                retry.run();
              } else {
                failed.accept(refusal);
              }
            });
  }

  /** The server accepted the credentials: a later refusal starts a new count. */
  void accepted() {
    renewals = 0;
    nonceTaken = false;
    stepUps = 0;
  }
}
