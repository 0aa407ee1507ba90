package dev.mcpbus.security;

import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.RSAKey;
import dev.mcpbus.protocol.Sha256;
import dev.mcpbus.protocol.UrlPlace;
import dev.mcpbus.security.AuthOptions.Dpop;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the proofs of keys to which access tokens are bound (RFC 9449, sections 4.3 and 7). A
 * proof is good for one request, in the whole cluster. Any context may use it. Needs {@link
 * dev.mcpbus.internals.OptionalLibrary#NIMBUS}.
 */
final class DpopVerifier {

  /** What a proof turned out to be. */
  enum ProofResult {
    VALID,
    INVALID,
    /** Valid but for a nonce of ours, which it lacks. */
    LACKS_NONCE,
    /** Nobody knows whether it was used. */
    UNKNOWN
  }

  static final String HEADER = "DPoP";
  static final String NONCE_HEADER = "DPoP-Nonce";

  /** How old a proof may be, beside the leeway of the clocks. */
  static final Duration MAX_AGE = Duration.ofSeconds(60);

  private static final String TYPE = "dpop+jwt";
  private static final int MAX_ID = 512;
  private static final int MIN_RSA_BITS = 2_048;
  private static final int MAX_RSA_BITS = 8_192;

  /** Of the public exponent of RSA: with a long one a verification takes very long. */
  private static final int MAX_EXPONENT_BITS = 33;

  /** Members of JWKs that belong to the owner of the key alone. */
  private static final Set<String> SECRETS =
      Set.of("d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv", "seed");

  private final OnceOnly once;
  private final DpopNonces nonces;
  private final Supplier<Instant> clock;

  DpopVerifier(Vertx vertx, Supplier<Instant> clock) {
    this.once = OnceOnly.of(vertx);
    this.nonces = DpopNonces.of(vertx);
    this.clock = clock;
  }

  /**
   * Whether the request has one proof that is valid for it and its token. Sets {@value
   * #NONCE_HEADER} on the response where the client needs another nonce. Never fails.
   *
   * @param origin of our URL as clients know it
   * @param token that the request carries
   * @param thumbprint of the key to which the token is bound
   * @param owner the principal, for the bound on what is remembered
   * @param options whether a nonce is needed
   * @param leeway by how much clocks may differ
   */
  Future<ProofResult> verify(
      HttpServerRequest request,
      String origin,
      String token,
      String thumbprint,
      String owner,
      Dpop options,
      Duration leeway) {
    List<String> headers = request.headers().getAll(HEADER);
    UnverifiedToken proof = headers.size() == 1 ? UnverifiedToken.read(headers.get(0)) : null;
    VerificationKey key = proof == null ? null : key(proof, thumbprint);
    if (proof == null
        || key == null
        || !isFor(request, origin, token, proof.claims())
        || !isFresh(proof.claims(), leeway)
        || !key.hasSigned(proof.signed(), proof.signature().getBytes())) {
      return Future.succeededFuture(ProofResult.INVALID);
    }
    if (options.nonce() && !hasNonce(request, proof.claims())) {
      return Future.succeededFuture(ProofResult.LACKS_NONCE);
    }
    String use = "dpop " + thumbprint + " " + proof.claims().getString("jti");
    return once.first(owner, use, MAX_AGE.plus(leeway).plus(leeway).plusSeconds(1))
        .map(first -> first ? ProofResult.VALID : ProofResult.INVALID)
        .otherwise(ProofResult.UNKNOWN);
  }

  /** The key in the header of a proof, if it is the one that the token names. */
  private static @Nullable VerificationKey key(UnverifiedToken proof, String thumbprint) {
    if (!TYPE.equals(proof.header().getValue("typ"))
        || !(proof.header().getValue("jwk") instanceof JsonObject jwk)
        || jwk.fieldNames().stream().anyMatch(SECRETS::contains)) {
      return null;
    }
    try {
      JWK parsed = JWK.parse(jwk.encode());
      if (!same(thumbprint, parsed.computeThumbprint().toString())
          || (parsed instanceof RSAKey rsa && !isModest(rsa))) {
        return null;
      }
      VerificationKey key = VerificationKey.of(jwk);
      // A key of RSA that names no algorithm makes signatures of any of them.
      return key == null ? null : key.with(proof.algorithm(), Set.copyOf(VerificationKey.ALL));
    } catch (Exception e) { // of many kinds, for what is no key
      return null;
    }
  }

  private static boolean isModest(RSAKey key) {
    int bits = key.getModulus().decodeToBigInteger().bitLength();
    return bits >= MIN_RSA_BITS
        && bits <= MAX_RSA_BITS
        && key.getPublicExponent().decodeToBigInteger().bitLength() <= MAX_EXPONENT_BITS;
  }

  private static boolean isFor(
      HttpServerRequest request, String origin, String token, JsonObject claims) {
    String hash =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(Sha256.of(token.getBytes(StandardCharsets.US_ASCII)));
    return request.method().name().equals(claims.getValue("htm"))
        && claims.getValue("ath") instanceof String ath
        && same(ath, hash)
        && claims.getValue("jti") instanceof String id
        && !id.isBlank()
        && id.length() <= MAX_ID
        && claims.getValue("htu") instanceof String url
        && !place(url).isEmpty()
        && place(url).equals(place(origin + request.path()));
  }

  /**
   * A URL in the form in which two are compared (RFC 3986, section 6.2.2): scheme and host in lower
   * case, no default port, a path; without query and fragment. Empty for anything else.
   */
  static String place(String url) {
    try {
      URI uri = new URI(url);
      UrlPlace place = UrlPlace.of(uri);
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      boolean tls = scheme.equals("https");
      if (place.host() == null || uri.getRawUserInfo() != null || !(tls || scheme.equals("http"))) {
        return "";
      }
      int port = place.port() < 0 ? (tls ? 443 : 80) : place.port();
      String path = String.valueOf(uri.getRawPath());
      return scheme
          + "://"
          + place.host().toLowerCase(Locale.ROOT)
          + ":"
          + port
          + (path.isEmpty() ? "/" : path);
    } catch (URISyntaxException e) {
      return "";
    }
  }

  private boolean isFresh(JsonObject claims, Duration leeway) {
    double made = TokenRules.seconds(claims.getValue("iat"));
    long now = clock.get().getEpochSecond();
    return made >= now - MAX_AGE.plus(leeway).toSeconds() && made <= now + leeway.toSeconds();
  }

  private boolean hasNonce(HttpServerRequest request, JsonObject claims) {
    Instant now = clock.get();
    long age = claims.getValue("nonce") instanceof String nonce ? nonces.age(nonce, now) : -1;
    if (age < 0 || age > DpopNonces.LIFE.toSeconds() / 2) {
      request.response().putHeader(NONCE_HEADER, nonces.fresh(now));
    }
    return age >= 0;
  }

  private static boolean same(String one, String other) {
    return MessageDigest.isEqual(
        one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
  }
}
