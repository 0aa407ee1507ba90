package dev.mcpbus.security;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.factories.DefaultJWSVerifierFactory;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64URL;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A public key and the one algorithm of its signatures. Which that is, the key decides, never the
 * token. Immutable. Needs {@link dev.mcpbus.internals.OptionalLibrary#NIMBUS}.
 *
 * @param algorithm as JWTs name it
 * @param open whether the key names none itself, so that another one of RSA may be configured
 */
public record VerificationKey(String algorithm, boolean open, PublicKey key) {

  /** Asymmetric signatures only: no shared secret, and no token without a signature. */
  private static final Map<String, Set<String>> ALGORITHMS =
      Map.of(
          "RSA", Set.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
          "EC", Set.of("ES256", "ES384", "ES512"),
          "OKP", Set.of("EdDSA"));

  private static final Map<String, String> CURVES =
      Map.of("P-256", "ES256", "P-384", "ES384", "P-521", "ES512");

  /** What stands before the bytes of a key of EdDSA in X.509 (RFC 8410), by its curve. */
  private static final Map<String, String> EDWARDS =
      Map.of("Ed25519", "302a300506032b6570032100", "Ed448", "3043300506032b6571033a00");

  /** All algorithms, the most common first. */
  static final List<String> ALL =
      Stream.of("EC", "OKP", "RSA")
          .flatMap(type -> ALGORITHMS.getOrDefault(type, Set.of()).stream().sorted())
          .toList();

  /**
   * The key for signatures of this algorithm; null if it does not make such ones.
   *
   * @param allowed the configured algorithms; empty for all
   */
  @Nullable VerificationKey with(String wanted, Set<String> allowed) {
    if (!allowed.isEmpty() && !allowed.contains(wanted)) {
      return null;
    }
    if (algorithm.equals(wanted)) {
      return this;
    }
    return open
            && allowed.contains(wanted)
            && ALGORITHMS.getOrDefault("RSA", Set.of()).contains(wanted)
        ? new VerificationKey(wanted, true, key)
        : null;
  }

  /** Checks the signature alone; {@link TokenRules} checks the claims. */
  public boolean hasSigned(String text, byte[] signature) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    try {
      if (algorithm.equals("EdDSA")) { // which Nimbus does with another library only
        Signature check = Signature.getInstance(algorithm);
        check.initVerify(key);
        check.update(bytes);
        return check.verify(signature);
      }
      JWSHeader header = new JWSHeader(JWSAlgorithm.parse(algorithm));
      return new DefaultJWSVerifierFactory()
          .createJWSVerifier(header, key)
          .verify(header, bytes, Base64URL.encode(signature));
    } catch (JOSEException | GeneralSecurityException e) {
      return false;
    }
  }

  /** The key of a JWK; null for one of an algorithm that is not allowed, and for what is no key. */
  static @Nullable VerificationKey of(JsonObject jwk) {
    String type = String.valueOf(jwk.getValue("kty"));
    String algorithm =
        switch (type) {
          case "RSA" -> String.valueOf(jwk.getValue("alg", "RS256"));
          case "EC" -> CURVES.getOrDefault(String.valueOf(jwk.getValue("crv")), "");
          case "OKP" -> "EdDSA";
          default -> "";
        };
    if (!ALGORITHMS.getOrDefault(type, Set.of()).contains(algorithm)) {
      return null;
    }
    JsonObject bare = jwk.copy(); // what else the set says of a key does not count
    bare.fieldNames().retainAll(Set.of("kty", "crv", "x", "y", "n", "e"));
    try {
      PublicKey key =
          switch (type) {
            case "RSA" -> RSAKey.parse(bare.encode()).toPublicKey();
            case "EC" -> ECKey.parse(bare.encode()).toPublicKey();
            default -> edwards(bare);
          };
      return new VerificationKey(algorithm, type.equals("RSA") && !jwk.containsKey("alg"), key);
    } catch (Exception e) { // of many kinds, for what is no key
      return null;
    }
  }

  private static PublicKey edwards(JsonObject jwk) throws GeneralSecurityException {
    byte[] point = Base64.getUrlDecoder().decode(jwk.getString("x"));
    String whole = EDWARDS.get(jwk.getString("crv")) + HexFormat.of().formatHex(point);
    return KeyFactory.getInstance("EdDSA")
        .generatePublic(new X509EncodedKeySpec(HexFormat.of().parseHex(whole)));
  }
}
