package dev.mcpbus.testing;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.crypto.opts.AllowWeakRSAKey;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.RSAPublicKey;
import java.util.Base64;
import java.util.Set;
import java.util.UUID;

/** A key of a client to which its tokens are bound, and proofs of it, good ones and others. */
public final class ProofKey {

  private final JWK key;
  private final JWSAlgorithm algorithm;

  private ProofKey(JWK key, JWSAlgorithm algorithm) {
    this.key = key;
    this.algorithm = algorithm;
  }

  public static ProofKey ec() {
    try {
      return new ProofKey(new ECKeyGenerator(Curve.P_256).generate(), JWSAlgorithm.ES256);
    } catch (JOSEException e) {
      throw new AssertionError(e);
    }
  }

  public static ProofKey rsa(int bits, String algorithm) {
    try {
      KeyPairGenerator pairs = KeyPairGenerator.getInstance("RSA");
      pairs.initialize(bits);
      KeyPair pair = pairs.generateKeyPair();
      return new ProofKey(
          new RSAKey.Builder((RSAPublicKey) pair.getPublic()).privateKey(pair.getPrivate()).build(),
          JWSAlgorithm.parse(algorithm));
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  public String thumbprint() {
    try {
      return key.computeThumbprint().toString();
    } catch (JOSEException e) {
      throw new AssertionError(e);
    }
  }

  /** The public key, or with the private members that no proof may have. */
  public JsonObject jwk(boolean whole) {
    return new JsonObject(whole ? key.toJSONString() : key.toPublicJWK().toJSONString());
  }

  public JsonObject header() {
    return new JsonObject()
        .put("typ", "dpop+jwt")
        .put("alg", algorithm.getName())
        .put("jwk", jwk(false));
  }

  /** Of a proof for this request and token, made now. */
  public JsonObject claims(String method, String url, String token) {
    return new JsonObject()
        .put("jti", UUID.randomUUID().toString())
        .put("htm", method)
        .put("htu", url)
        .put("iat", System.currentTimeMillis() / 1_000)
        .put("ath", DpopProof.hash(token));
  }

  public String proof(JsonObject header, JsonObject claims) {
    String text = encoded(header) + "." + encoded(claims);
    try {
      JWSSigner signer = key instanceof ECKey ec ? new ECDSASigner(ec) : rsa((RSAKey) key);
      return text
          + "."
          + signer.sign(new JWSHeader(algorithm), text.getBytes(StandardCharsets.US_ASCII));
    } catch (JOSEException e) {
      throw new AssertionError(e);
    }
  }

  private static JWSSigner rsa(RSAKey key) throws JOSEException {
    return new RSASSASigner(
        key.toPrivateKey(), Set.of(AllowWeakRSAKey.getInstance())); // weak ones have to be refused
  }

  public String proof(String method, String url, String token) {
    return proof(header(), claims(method, url, token));
  }

  private static String encoded(JsonObject json) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(json.encode().getBytes(StandardCharsets.UTF_8));
  }
}
