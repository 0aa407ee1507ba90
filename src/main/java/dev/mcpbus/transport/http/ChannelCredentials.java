package dev.mcpbus.transport.http;

import dev.mcpbus.internals.OwnContext;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.Authenticator;
import dev.mcpbus.transport.Authenticator.Challenge;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reason;
import dev.mcpbus.transport.TransportException.Sent;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpClientResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The authenticator as a channel sees it: every answer comes on the owner context. */
final class ChannelCredentials {

  private final Authenticator authenticator;
  private final OwnContext owner;
  private Map<String, Sensitive> last = Map.of();
  private ConfiguredHeaders lastHeaders = ConfiguredHeaders.of(last);

  private ChannelCredentials(Authenticator authenticator, OwnContext owner) {
    this.authenticator = authenticator;
    this.owner = owner;
  }

  /** Null where the configuration is all there is. */
  static @Nullable ChannelCredentials of(@Nullable Authenticator authenticator, OwnContext owner) {
    return authenticator == null ? null : new ChannelCredentials(authenticator, owner);
  }

  /** What a request carries besides the configured headers. */
  Future<ConfiguredHeaders> headers() {
    return here(authenticator.headers()).map(this::headers);
  }

  private ConfiguredHeaders headers(Map<String, Sensitive> given) {
    if (!given.equals(last)) {
      lastHeaders = ConfiguredHeaders.of(given);
      last = given;
    }
    return lastHeaders;
  }

  /** Whether better credentials could change the server's answer. */
  static boolean isChallenge(HttpClientResponse response) {
    if (response.statusCode() == 401) {
      return true;
    }
    String header = header(response);
    return response.statusCode() == 403
        && header != null
        && header.toLowerCase(Locale.ROOT).contains("insufficient_scope");
  }

  /**
   * @param sent what the refused request carried
   */
  Future<Boolean> challenged(HttpClientResponse response, @Nullable ConfiguredHeaders sent) {
    Map<String, Sensitive> carried = sent == null ? Map.of() : sent.given();
    return here(
        authenticator.challenged(new Challenge(response.statusCode(), header(response), carried)));
  }

  private static @Nullable String header(HttpClientResponse response) {
    List<String> all = response.headers().getAll("www-authenticate");
    return all.isEmpty() ? null : String.join(", ", all);
  }

  private <T> Future<T> here(Future<T> there) {
    Promise<T> promise = owner.promise();
    there.onComplete(promise);
    return promise.future();
  }

  /** The request was refused or never sent: repeating it is safe. */
  static TransportException failure(Throwable cause) {
    return cause instanceof TransportException known
        ? known.withSent(Sent.NO)
        : new TransportException(
            Reason.AUTH_REQUIRED,
            Sent.NO,
            "no credentials could be had: "
                + HttpFailures.clean(String.valueOf(cause.getMessage())));
  }
}
