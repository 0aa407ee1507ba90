package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * Asks an authorization server what a token is (RFC 7662), with {@code client_secret_basic}.
 * Without a cache. Confined to one context.
 */
public final class IntrospectionEndpoint {

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final String WHAT = "the introspection endpoint";
  private static final int OK = 200;

  private final GuardedHttp http;
  private final UrlGuard guard;
  private final URI url;
  private final String clientId;
  private final Sensitive clientSecret;

  /**
   * @param url from the configuration, so its host is trusted
   */
  public IntrospectionEndpoint(
      Vertx vertx, URI url, String clientId, Sensitive clientSecret, HostResolver resolver) {
    this.http = new GuardedHttp(vertx, TIMEOUT, null);
    this.guard = new UrlGuard(List.of(url), resolver);
    this.url = url;
    this.clientId = clientId;
    this.clientSecret = clientSecret;
  }

  /**
   * The answer, in which {@code active} is true or false. Fails with an {@link OAuthException},
   * whose message has neither the token nor the secret, within 5 s.
   */
  public Future<JsonObject> ask(String token) {
    String pair = FormEncoding.encode(clientId) + ":" + FormEncoding.encode(clientSecret.reveal());
    Map<String, String> headers =
        Map.of(
            "Authorization",
            "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.US_ASCII)),
            "Content-Type",
            FormEncoding.TYPE);
    String form = FormEncoding.encode(Map.of("token", token, "token_type_hint", "access_token"));
    return http.post(guard, url.toString(), WHAT, headers, form)
        .compose(
            reply ->
                reply.status() == OK && reply.body().getValue("active") instanceof Boolean
                    ? Future.succeededFuture(reply.body())
                    : OAuthFailure.INVALID.fails(
                        WHAT
                            + " answers "
                            + reply
                            + (reply.status() == OK
                                ? " without \"active\""
                                : reply.status() == 401
                                    ? "; look at clientId and clientSecret"
                                    : "")));
  }
}
