package dev.mcpbus.transport.http;

import dev.mcpbus.transport.TransportException;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import java.time.InstantSource;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The credentials of one message or stream: had before each attempt, renewed when the server
 * refuses them. Bounded, so that no server can keep a request going round. Lives on the owner
 * context of its channel.
 */
final class RequestAuthorization {

  private static final int MAX_STEP_UPS = 2;

  private final @Nullable ChannelCredentials credentials;
  private @Nullable ConfiguredHeaders headers;
  private boolean renewed;
  private int stepUps;

  /**
   * @param credentials null where the configuration is all there is
   */
  RequestAuthorization(@Nullable ChannelCredentials credentials) {
    this.credentials = credentials;
  }

  /** Runs one of the two; at once where there is nothing to be had. */
  void obtain(Runnable next, Consumer<TransportException> failed) {
    if (credentials == null) {
      next.run();
      return;
    }
    credentials
        .headers()
        .onComplete(
            (had, failure) -> {
              if (failure != null) {
                failed.accept(ChannelCredentials.failure(failure));
              } else {
                headers = had;
                next.run();
              }
            });
  }

  void addTo(HttpClientRequest request) {
    if (headers != null) {
      headers.addTo(request);
    }
  }

  /** Whether other credentials may change this answer: a token once, scopes a few times. */
  boolean mayRenew(HttpClientResponse response) {
    return credentials != null
        && ChannelCredentials.isChallenge(response)
        && (response.statusCode() == 401 ? !renewed : stepUps < MAX_STEP_UPS);
  }

  /**
   * Asks for them; reads the response away.
   *
   * @param from where the response came from, for the message of a failure
   */
  void renew(
      HttpClientResponse response,
      HttpEndpoint from,
      Runnable retry,
      Consumer<TransportException> failed) {
    if (response.statusCode() == 401) {
      renewed = true;
    } else {
      stepUps++;
    }
    TransportException refusal = StatusFailures.of(response, from, null, InstantSource.system());
    HttpConventions.drain(response);
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

  /** The server was satisfied: a later refusal is a new one. */
  void accepted() {
    renewed = false;
    stepUps = 0;
  }
}
