package dev.mcpbus.security.signin;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.SignInOptions;
import dev.mcpbus.security.SignInOptions.OpenIdProvider;
import dev.mcpbus.security.SigningKeys;
import dev.mcpbus.security.UnverifiedToken;
import dev.mcpbus.security.oauth.FormEncoding;
import dev.mcpbus.security.oauth.GuardedHttp;
import dev.mcpbus.security.oauth.IssuerKeys;
import dev.mcpbus.security.oauth.OAuthDigests;
import dev.mcpbus.security.oauth.UrlGuard;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * mcpbus as a client of the OpenID provider: authorization code with PKCE and nonce, and the checks
 * of the id token (OpenID Connect Core, section 3.1.3.7). Confined to one context.
 */
final class ProviderLogin {

  private static final long KEPT_NANOS = Duration.ofMinutes(10).toNanos();
  private static final long LEEWAY_SECONDS = 60;
  private static final int MAX_SUBJECT = 256;
  private static final String WHAT = "the identity provider";
  private static final Pattern ERROR = Pattern.compile("[a-z_]{1,40}");

  /**
   * The parts of the provider's metadata that count.
   *
   * @param sendsIssuer whether its responses name it (RFC 9207)
   * @param inBody whether it takes the client's secret in the form alone
   */
  private record ProviderMetadata(
      String authorize, String token, String keys, boolean sendsIssuer, boolean inBody) {}

  /**
   * What a login gives.
   *
   * @param claims of the id token, verified
   * @param tokens the answer of the token endpoint: secrets
   */
  record ProviderAnswer(JsonObject claims, JsonObject tokens) {

    @Override
    public String toString() {
      return "ProviderAnswer[***]";
    }
  }

  private final OpenIdProvider provider;
  private final GuardedHttp http;
  private final UrlGuard guard;
  private final Function<String, IssuerKeys> keySets;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private @Nullable Future<ProviderMetadata> metadata;
  private @Nullable SigningKeys keys;
  private String keyPlace = "";
  private long read;

  /**
   * @param guard trusts the host of the provider
   * @param keySets the reader of the key set at a URL
   */
  ProviderLogin(
      SignInOptions options,
      GuardedHttp http,
      UrlGuard guard,
      Function<String, IssuerKeys> keySets,
      InstantSource clock,
      LongSupplier nanos) {
    this.provider = options.provider();
    this.http = http;
    this.guard = guard;
    this.keySets = keySets;
    this.clock = clock;
    this.nanos = nanos;
  }

  private Future<ProviderMetadata> metadata() {
    Future<ProviderMetadata> known = metadata;
    long now = nanos.getAsLong();
    if (known != null && !known.failed() && now - read < KEPT_NANOS) {
      return known;
    }
    read = now;
    String place = provider.issuer().replaceFirst("/$", "") + "/.well-known/openid-configuration";
    Future<ProviderMetadata> fetched =
        http.get(guard, place, WHAT)
            .compose(
                reply -> {
                  JsonObject document = reply.body();
                  return reply.status() == 200
                          && document.getValue("issuer") instanceof String own
                          && IssuerKeys.isSame(own, provider.issuer())
                          && document.getValue("authorization_endpoint") instanceof String page
                          && document.getValue("token_endpoint") instanceof String token
                          && document.getValue("jwks_uri") instanceof String set
                      ? Future.succeededFuture(
                          new ProviderMetadata(
                              page,
                              token,
                              set,
                              Boolean.TRUE.equals(
                                  document.getValue(
                                      "authorization_response_iss_parameter_supported")),
                              isInBody(document)))
                      : unavailable("its metadata is not that of the configured issuer");
                });
    metadata = fetched;
    return fetched;
  }

  private static boolean isInBody(JsonObject document) {
    return document.getValue("token_endpoint_auth_methods_supported") instanceof JsonArray methods
        && !methods.contains("client_secret_basic")
        && methods.contains("client_secret_post");
  }

  /** The page of the provider at which the person logs in. */
  Future<String> page(String base, String state, String nonce, String verifier) {
    Set<String> scopes = new LinkedHashSet<>(Set.of("openid"));
    scopes.addAll(provider.scopes());
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("response_type", "code");
    fields.put("client_id", provider.clientId());
    fields.put("redirect_uri", callback(base));
    fields.put("scope", String.join(" ", scopes));
    fields.put("state", state);
    fields.put("nonce", nonce);
    fields.put("code_challenge", OAuthDigests.s256(verifier));
    fields.put("code_challenge_method", "S256");
    return metadata().map(known -> FormEncoding.query(known.authorize(), fields, Set.of()));
  }

  static String callback(String base) {
    return base + "/oauth/callback";
  }

  /**
   * Whether a response names the provider, where it names one at all, and names one where the
   * provider says that it always does (RFC 9207, section 2.4).
   */
  Future<Boolean> isFromProvider(@Nullable String issuer) {
    return metadata()
        .map(
            known ->
                issuer == null
                    ? !known.sendsIssuer()
                    : IssuerKeys.isSame(issuer, provider.issuer()));
  }

  /** Redeems the provider's code; fails with a {@link SignInRefusal}. */
  Future<ProviderAnswer> redeem(String base, String code, String verifier, String nonce) {
    return metadata()
        .compose(
            known -> {
              Map<String, String> form = new LinkedHashMap<>();
              form.put("grant_type", "authorization_code");
              form.put("code", code);
              form.put("redirect_uri", callback(base));
              form.put("code_verifier", verifier);
              return ask(known, form)
                  .compose(
                      reply ->
                          reply.status() == 200
                                  && reply.body().getValue("id_token") instanceof String token
                              ? verified(known, token, nonce)
                                  .map(claims -> new ProviderAnswer(claims, reply.body()))
                              : reply.status() == 200
                                  ? unavailable("it gives no id token for the login")
                                  : refused(
                                          "its token endpoint answers " + reply,
                                          reply.body().getValue("error"))
                                      .failed());
            });
  }

  /**
   * Renews what a login has given; fails with a {@link SignInRefusal}.
   *
   * @return the answer of the token endpoint
   */
  Future<JsonObject> renew(String refreshToken) {
    return metadata()
        .compose(
            known -> {
              Map<String, String> form = new LinkedHashMap<>();
              form.put("grant_type", "refresh_token");
              form.put("refresh_token", refreshToken);
              return ask(known, form);
            })
        .compose(
            reply ->
                reply.status() == 200 && reply.body().getValue("access_token") instanceof String
                    ? Future.succeededFuture(reply.body())
                    : "invalid_grant".equals(reply.body().getValue("error"))
                        ? SignInRefusal.json("invalid_grant", "the provider knows no such login")
                            .failed()
                        : unavailable("it does not renew the token of a person"));
  }

  /**
   * The refusal where the provider answers with an error of OAuth. Its other words may quote
   * anything, and are left out.
   *
   * @param what answers
   */
  static SignInRefusal refused(String what, @Nullable Object error) {
    String word =
        error instanceof String text && ERROR.matcher(text).matches() ? text : "no known error";
    return refusal(
        what
            + ", "
            + word
            + (word.equals("invalid_client")
                ? ": it does not take auth.signIn.provider.clientId or auth.signIn.provider.clientSecret"
                : ""));
  }

  /** A request to the token endpoint, with the credential of mcpbus. */
  private Future<GuardedHttp.Reply> ask(ProviderMetadata known, Map<String, String> form) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", FormEncoding.TYPE);
    Sensitive secret = provider.clientSecret();
    if (secret == null || known.inBody()) {
      form.put("client_id", provider.clientId());
    }
    if (secret != null && known.inBody()) {
      form.put("client_secret", secret.reveal());
    } else if (secret != null) {
      headers.put("Authorization", basic(provider.clientId(), secret.reveal()));
    }
    return http.post(guard, known.token(), WHAT, headers, FormEncoding.encode(form));
  }

  /** The names in a form of their own (RFC 6749, section 2.3.1). */
  private static String basic(String id, String secret) {
    String pair = FormEncoding.encode(id) + ":" + FormEncoding.encode(secret);
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.US_ASCII));
  }

  private Future<JsonObject> verified(ProviderMetadata known, String token, String nonce) {
    UnverifiedToken read = UnverifiedToken.read(token);
    if (read == null || !(read.header().getValue("kid") instanceof String id)) {
      return unavailable("its id token cannot be read");
    }
    return keys(known.keys())
        .find(id)
        .compose(
            key ->
                key != null
                        && key.algorithm().equals(read.algorithm())
                        && key.hasSigned(read.signed(), read.signature().getBytes())
                        && isForThisLogin(read.claims(), nonce)
                    ? Future.succeededFuture(read.claims())
                    : unavailable("its id token is not valid for this login"));
  }

  private boolean isForThisLogin(JsonObject claims, String nonce) {
    long now = clock.instant().getEpochSecond();
    Object audience = claims.getValue("aud");
    boolean several = audience instanceof JsonArray list && list.size() > 1;
    Object party = claims.getValue("azp");
    return claims.getValue("iss") instanceof String issuer
        && IssuerKeys.isSame(issuer, provider.issuer())
        && (provider.clientId().equals(audience)
            || (audience instanceof JsonArray list && list.contains(provider.clientId())))
        && (party == null ? !several : party.equals(provider.clientId()))
        && claims.getValue("exp") instanceof Number end
        && end.doubleValue() > now - LEEWAY_SECONDS
        && claims.getValue("iat") instanceof Number begin
        && begin.doubleValue() < now + LEEWAY_SECONDS
        && claims.getValue("nonce") instanceof String own
        && OAuthDigests.same(own, nonce)
        && claims.getValue("sub") instanceof String subject
        && !subject.isEmpty()
        && subject.length() <= MAX_SUBJECT;
  }

  private SigningKeys keys(String place) {
    SigningKeys known = keys;
    if (known == null || !place.equals(keyPlace)) {
      IssuerKeys set = keySets.apply(place);
      known = new SigningKeys(set::fetch, nanos);
      keys = known;
      keyPlace = place;
    }
    return known;
  }

  private static <T> Future<T> unavailable(String why) {
    return refusal(why).failed();
  }

  private static SignInRefusal refusal(String why) {
    return SignInRefusal.of(502, "server_error", WHAT + " cannot be used: " + why);
  }
}
