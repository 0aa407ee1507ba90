package dev.mcpbus.security.oauth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.crypto.opts.AllowWeakRSAKey;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.RSAPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Signs the JWTs with which this client authenticates (RFC 7523). Immutable. Needs {@link
 * dev.mcpbus.internals.OptionalLibrary#NIMBUS}.
 */
final class ClientAssertion {

  private static final Duration LIFETIME = Duration.ofMinutes(1);
  private static final int MAX_FILE = 64 * 1024;
  private static final int P256_BITS = 256;

  private final PrivateKey key;
  private final @Nullable String keyId;

  private ClientAssertion(PrivateKey key, @Nullable String keyId) {
    this.key = key;
    this.keyId = keyId;
  }

  /** Reads a PEM file with a PKCS#8 key, RSA or P-256. Blocks: call it on a worker thread. */
  static ClientAssertion read(Path file, @Nullable String keyId) throws OAuthException {
    try {
      if (Files.size(file) > MAX_FILE) {
        throw unusable("is too long");
      }
      String pem = Files.readString(file, StandardCharsets.US_ASCII);
      int begin = pem.indexOf("-----BEGIN PRIVATE KEY-----");
      int end = pem.indexOf("-----END PRIVATE KEY-----");
      if (begin < 0 || end < begin) {
        throw unusable(
            "is not a PKCS#8 PEM file; convert it with \"openssl pkcs8 -topk8 -nocrypt\"");
      }
      String body = pem.substring(begin + "-----BEGIN PRIVATE KEY-----".length(), end);
      return new ClientAssertion(parse(Base64.getMimeDecoder().decode(body)), keyId);
    } catch (IOException | IllegalArgumentException e) {
      throw unusable("cannot be read");
    }
  }

  private static PrivateKey parse(byte[] der) throws OAuthException {
    PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(der);
    try {
      return KeyFactory.getInstance("RSA").generatePrivate(spec);
    } catch (GeneralSecurityException e) {
      return parseElliptic(spec);
    }
  }

  private static PrivateKey parseElliptic(PKCS8EncodedKeySpec spec) throws OAuthException {
    try {
      PrivateKey key = KeyFactory.getInstance("EC").generatePrivate(spec);
      if (key instanceof ECPrivateKey curve
          && curve.getParams().getCurve().getField().getFieldSize() == P256_BITS) {
        return key;
      }
      throw unusable("is on another curve than P-256");
    } catch (GeneralSecurityException e) {
      throw unusable("is neither RSA nor P-256");
    }
  }

  private static OAuthException unusable(String why) {
    return new OAuthException(OAuthFailure.LOGIN_REQUIRED, "the private key file " + why);
  }

  /**
   * A new assertion of the identity of {@code client}, valid for {@code audience} alone and for
   * {@link #LIFETIME}.
   */
  String sign(String client, String audience, Instant now) throws OAuthException {
    boolean rsa = key instanceof RSAPrivateKey;
    SignedJWT jwt =
        new SignedJWT(
            new JWSHeader.Builder(rsa ? JWSAlgorithm.RS256 : JWSAlgorithm.ES256)
                .type(JOSEObjectType.JWT)
                .keyID(keyId)
                .build(),
            new JWTClaimsSet.Builder()
                .issuer(client)
                .subject(client)
                .audience(audience)
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plus(LIFETIME)))
                .jwtID(OAuthDigests.secret())
                .build());
    try {
      jwt.sign(
          rsa
              ? new RSASSASigner(key, Set.of(AllowWeakRSAKey.getInstance()))
              : new ECDSASigner(key, Curve.P_256));
      return jwt.serialize();
    } catch (JOSEException e) {
      throw unusable("does not sign");
    }
  }
}
