package dev.mcpbus.testing;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.util.Base64;

/**
 * A DPoP proof as a server reads it (RFC 9449, section 4.3), its signature verified.
 *
 * @param jkt the thumbprint of its key
 */
public record DpopProof(String jkt, JsonObject claims) {

  /** Fails if the text is no proof with a valid signature of the key that it names. */
  public static DpopProof of(String jwt) {
    try {
      String[] parts = jwt.split("\\.", -1);
      JsonObject header = json(parts[0]);
      JsonObject jwk = header.getJsonObject("jwk");
      if (!"dpop+jwt".equals(header.getString("typ")) || jwk.containsKey("d")) {
        throw new IllegalArgumentException("no proof: " + header.fieldNames());
      }
      AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
      curve.init(new ECGenParameterSpec("secp256r1"));
      Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
      signature.initVerify(
          KeyFactory.getInstance("EC")
              .generatePublic(
                  new ECPublicKeySpec(
                      new ECPoint(number(jwk, "x"), number(jwk, "y")),
                      curve.getParameterSpec(ECParameterSpec.class))));
      signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
      if (!signature.verify(Base64.getUrlDecoder().decode(parts[2]))) {
        throw new IllegalArgumentException("the signature of the proof is wrong");
      }
      String canonical =
          String.format(
              "{\"crv\":\"%s\",\"kty\":\"%s\",\"x\":\"%s\",\"y\":\"%s\"}",
              jwk.getString("crv"), jwk.getString("kty"), jwk.getString("x"), jwk.getString("y"));
      return new DpopProof(hash(canonical), json(parts[1]));
    } catch (java.security.GeneralSecurityException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** The SHA-256 of a text, as {@code ath} and {@code jkt} have it. */
  public static String hash(String text) {
    try {
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(
              MessageDigest.getInstance("SHA-256")
                  .digest(text.getBytes(StandardCharsets.US_ASCII)));
    } catch (java.security.GeneralSecurityException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static BigInteger number(JsonObject jwk, String name) {
    return new BigInteger(1, Base64.getUrlDecoder().decode(jwk.getString(name)));
  }

  private static JsonObject json(String part) {
    return new JsonObject(Buffer.buffer(Base64.getUrlDecoder().decode(part)));
  }
}
