package dev.mcpbus.transport.http;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.Authenticator;
import dev.mcpbus.transport.Authenticator.Challenge;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Authenticator} of one channel: every answer of the authenticator arrives on the owner
 * context.
 */
final class ChannelCredentials {

  private static final CharSequence NONCE = HttpHeaders.createOptimized("dpop-nonce");

  private final Authenticator authenticator;
  private final InternalContext owner;
  private @Nullable ConfiguredHeaders accepted;
  private Map<String, Sensitive> last = Map.of();
  private ConfiguredHeaders lastHeaders = ConfiguredHeaders.of(last);

  private ChannelCredentials(Authenticator authenticator, InternalContext owner) {
    this.authenticator = authenticator;
    this.owner = owner;
  }

  /** Null if the configured headers are all that requests need. */
  static @Nullable ChannelCredentials of(
      @Nullable Authenticator authenticator, InternalContext owner) {
    return authenticator == null ? null : new ChannelCredentials(authenticator, owner);
  }

  /** The headers of a request to {@code to} in addition to the configured ones. */
  Future<ConfiguredHeaders> headers(HttpMethod method, HttpEndpoint to) {
    return onOwner(authenticator.headers(method.name(), to::proofUri)).map(this::headers);
  }

  /**
   * Passes on the nonce of a response, if it has one, and that the server accepted the headers.
   *
   * @param sent the headers that the request carried
   */
  void received(HttpClientResponse response, @Nullable ConfiguredHeaders sent) {
    if (sent != null && sent != accepted && response.statusCode() < 300) {
      accepted = sent;
      authenticator.accepted(sent.given());
    }
    String nonce = response.getHeader(NONCE);
    if (nonce != null) {
      authenticator.nonce(nonce);
    }
  }

  /** Whether the server wants nothing but its nonce in the next proof (RFC 9449, section 9). */
  static boolean isNonceWanted(HttpClientResponse response) {
    String header = header(response);
    return response.statusCode() == 401
        && response.getHeader(NONCE) != null
        && header != null
        && header.contains("use_dpop_nonce");
  }

  private ConfiguredHeaders headers(Map<String, Sensitive> given) {
    if (!given.equals(last)) {
      lastHeaders = ConfiguredHeaders.of(given);
      last = given;
    }
    return lastHeaders;
  }

  /**
   * What a refusal means: 401 that credentials are missing or too old, which some servers say with
   * 403, and 403 that they do not suffice; 0 where others would not change the answer.
   *
   * @param sent the headers that the request carried
   */
  static int challenge(HttpClientResponse response, @Nullable ConfiguredHeaders sent) {
    int status = response.statusCode();
    if (status != 403) {
      return status == 401 ? 401 : 0;
    }
    String header = String.valueOf(header(response)).toLowerCase(Locale.ROOT);
    boolean missing = sent == null || sent.given().isEmpty() || header.contains("invalid_token");
    return missing ? 401 : header.contains("insufficient_scope") ? 403 : 0;
  }

  /**
   * Tells the authenticator that the server refused a request.
   *
   * @param sent the headers that the refused request carried
   */
  Future<Boolean> challenged(HttpClientResponse response, @Nullable ConfiguredHeaders sent) {
    Map<String, Sensitive> carried = sent == null ? Map.of() : sent.given();
    return onOwner(
        authenticator.challenged(
            new Challenge(challenge(response, sent), header(response), carried)));
  }

  private static @Nullable String header(HttpClientResponse response) {
    List<String> all = response.headers().getAll("www-authenticate");
    return all.isEmpty() ? null : String.join(", ", all);
  }

  private <T> Future<T> onOwner(Future<T> there) {
    Promise<T> promise = owner.promise();
    there.onComplete(promise);
    return promise.future();
  }

  /** The server refused the request, or it was never sent: repeating it is safe. */
  static TransportException failure(Throwable cause) {
    return cause instanceof TransportException known
        ? known.withReached(Reached.NO)
        : new TransportException(
            Reason.AUTH_REQUIRED,
            Reached.NO,
            "no credentials could be obtained: "
                + HttpFailures.clean(String.valueOf(cause.getMessage())));
  }
}
