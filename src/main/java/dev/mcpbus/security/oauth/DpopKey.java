package dev.mcpbus.security.oauth;

import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPrivateKeySpec;
import java.time.Instant;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The key to which tokens are bound (DPoP, RFC 9449), on the curve P-256. It is stored with its
 * tokens, because they are worth nothing without it, and ends with them. Immutable.
 */
final class DpopKey {

  /** The only algorithm of this client. */
  static final String ALGORITHM = "ES256";

  private static final String CURVE = "secp256r1";
  private static final int COORDINATE_BYTES = 32;
  private static final int JTI_BYTES = 16;

  private final PrivateKey key;
  private final String x;
  private final String y;
  private final String d;

  /** The header of every proof with its dot, in Base64. */
  private final String header;

  private DpopKey(PrivateKey key, String x, String y, String d) {
    this.key = key;
    this.x = x;
    this.y = y;
    this.d = d;
    JsonObject jwk = new JsonObject().put("crv", "P-256").put("kty", "EC").put("x", x).put("y", y);
    this.header =
        OAuthDigests.base64Url(
                new JsonObject().put("typ", "dpop+jwt").put("alg", ALGORITHM).put("jwk", jwk))
            + ".";
  }

  /** A new key. */
  static DpopKey generate() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec(CURVE));
      KeyPair pair = generator.generateKeyPair();
      ECPublicKey open = (ECPublicKey) pair.getPublic();
      return new DpopKey(
          pair.getPrivate(),
          coordinate(open.getW().getAffineX()),
          coordinate(open.getW().getAffineY()),
          coordinate(((ECPrivateKey) pair.getPrivate()).getS()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has the curve P-256", e);
    }
  }

  /** The key of a token store; null if the document holds none. */
  static @Nullable DpopKey of(@Nullable JsonObject jwk) {
    String x = jwk == null ? null : JsonMembers.text(jwk, "x");
    String y = jwk == null ? null : JsonMembers.text(jwk, "y");
    String d = jwk == null ? null : JsonMembers.text(jwk, "d");
    if (x == null || y == null || d == null) {
      return null;
    }
    try {
      AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
      curve.init(new ECGenParameterSpec(CURVE));
      BigInteger secret = new BigInteger(1, Base64.getUrlDecoder().decode(d));
      PrivateKey key =
          KeyFactory.getInstance("EC")
              .generatePrivate(
                  new ECPrivateKeySpec(secret, curve.getParameterSpec(ECParameterSpec.class)));
      return new DpopKey(key, x, y, d);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      return null;
    }
  }

  /** The private key as a JWK, for a token store that encrypts it. */
  JsonObject toJson() {
    return new JsonObject()
        .put("kty", "EC")
        .put("crv", "P-256")
        .put("x", x)
        .put("y", y)
        .put("d", d);
  }

  /**
   * The SHA-256 thumbprint of the public key (RFC 7638), which bound tokens carry as {@code jkt}.
   */
  String thumbprint() {
    return OAuthDigests.s256(
        "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"" + x + "\",\"y\":\"" + y + "\"}");
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
    JsonObject claims =
        new JsonObject()
            .put("jti", OAuthDigests.base64Url(OAuthDigests.random(JTI_BYTES)))
            .put("htm", method)
            .put("htu", url)
            .put("iat", now.getEpochSecond());
    if (access != null) {
      claims.put("ath", OAuthDigests.s256(access));
    }
    if (nonce != null) {
      claims.put("nonce", nonce);
    }
    String text = header + OAuthDigests.base64Url(claims);
    try {
      return OAuthDigests.signed(text, "SHA256withECDSAinP1363Format", key);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform signs with ES256", e);
    }
  }

  private static String coordinate(BigInteger number) {
    byte[] bytes = number.toByteArray();
    byte[] fixed = new byte[COORDINATE_BYTES];
    int length = Math.min(bytes.length, COORDINATE_BYTES);
    System.arraycopy(bytes, bytes.length - length, fixed, COORDINATE_BYTES - length, length);
    return OAuthDigests.base64Url(fixed);
  }

  /** Without the private key. */
  @Override
  public String toString() {
    return "dpop[" + thumbprint() + "]";
  }
}
