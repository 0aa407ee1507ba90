package dev.mcpbus.security.oauth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.vertx.core.json.JsonObject;
import java.text.ParseException;
import java.time.Instant;
import java.util.Date;
import org.jspecify.annotations.Nullable;

/**
 * The key to which tokens are bound (DPoP, RFC 9449), on the curve P-256. It is stored with its
 * tokens, because they are worth nothing without it, and ends with them. Immutable. Needs {@link
 * dev.mcpbus.internals.OptionalLibrary#NIMBUS}.
 */
final class DpopKey {

  /** The only algorithm of this client. */
  static final String ALGORITHM = "ES256";

  private static final int JTI_BYTES = 16;
  private static final int SECRET_BYTES = 32;

  private final ECKey key;
  private final ECDSASigner signer;
  private final String thumbprint;

  private DpopKey(ECKey key) throws JOSEException {
    this.key = key;
    this.signer = new ECDSASigner(key);
    this.thumbprint = key.computeThumbprint().toString();
  }

  /** A new key. */
  static DpopKey generate() {
    try {
      return new DpopKey(new ECKeyGenerator(Curve.P_256).generate());
    } catch (JOSEException e) {
      throw new IllegalStateException("every Java platform has the curve P-256", e);
    }
  }

  /** The key of a token store; null if the document holds none. */
  static @Nullable DpopKey of(JsonObject jwk) {
    try {
      ECKey key = ECKey.parse(jwk.encode());
      return key.getCurve().equals(Curve.P_256)
              && key.isPrivate()
              && key.getD().decode().length == SECRET_BYTES
          ? new DpopKey(key)
          : null;
    } catch (ParseException | JOSEException | IllegalArgumentException e) {
      return null;
    }
  }

  /** The private key as a JWK, for a token store that encrypts it. */
  JsonObject toJson() {
    return new JsonObject(key.toJSONString());
  }

  /**
   * The SHA-256 thumbprint of the public key (RFC 7638), which bound tokens carry as {@code jkt}.
   */
  String thumbprint() {
    return thumbprint;
  }

  /**
   * A new proof for one request; each call gives another one. Takes about half a millisecond.
   *
   * @param url of the request, without query and fragment
   * @param access the token that the request carries, null for a request for a token
   * @param nonce that the server supplied last, null for none
   */
  String proof(
      String method, String url, Instant now, @Nullable String access, @Nullable String nonce) {
    SignedJWT proof =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.ES256)
                .type(new JOSEObjectType("dpop+jwt"))
                .jwk(key.toPublicJWK())
                .build(),
            new JWTClaimsSet.Builder()
                .jwtID(OAuthDigests.base64Url(OAuthDigests.random(JTI_BYTES)))
                .claim("htm", method)
                .claim("htu", url)
                .issueTime(Date.from(now))
                .claim("ath", access == null ? null : OAuthDigests.s256(access))
                .claim("nonce", nonce)
                .build());
    try {
      proof.sign(signer);
    } catch (JOSEException e) {
      throw new IllegalStateException("every Java platform signs with ES256", e);
    }
    return proof.serialize();
  }

  /** Without the private key. */
  @Override
  public String toString() {
    return "dpop[" + thumbprint + "]";
  }
}
