package dev.mcpbus.testing;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** An authorization server on this machine: metadata, a key set that changes, tokens. */
public final class TokenIssuer implements AutoCloseable {

  private static final int KEYS = 3;

  private static final Map<Integer, KeyPair> PAIRS = new ConcurrentHashMap<>();
  private static final AtomicInteger NEXT = new AtomicInteger();

  private final HttpServer server;
  private final Map<String, KeyPair> keys = new ConcurrentHashMap<>();
  private final AtomicInteger fetches = new AtomicInteger();
  private volatile long delayMillis;

  public TokenIssuer(Vertx vertx) {
    server =
        TestBus.await(
            vertx
                .createHttpServer()
                .requestHandler(
                    request -> {
                      JsonObject answer =
                          switch (request.path()) {
                            case "/.well-known/oauth-authorization-server" ->
                                new JsonObject()
                                    .put("issuer", url())
                                    .put("jwks_uri", url() + "/jwks");
                            case "/jwks" -> set();
                            default -> new JsonObject();
                          };
                      if (delayMillis == 0) {
                        request.response().end(answer.toBuffer());
                      } else {
                        vertx.setTimer(
                            delayMillis, late -> request.response().end(answer.toBuffer()));
                      }
                    })
                .listen(0, "127.0.0.1"));
  }

  public String url() {
    return "http://127.0.0.1:" + server.actualPort();
  }

  /** How often the key set was asked for. */
  public int fetches() {
    return fetches.get();
  }

  /** Takes that long for each answer from now on. */
  public void delay(long millis) {
    delayMillis = millis;
  }

  /** A fresh key; the set has it from now on. */
  public KeyPair add(String kid) {
    KeyPair pair = pair();
    keys.put(kid, pair);
    return pair;
  }

  public void remove(String kid) {
    keys.remove(kid);
  }

  /** Any {@value #KEYS} that follow each other are different; making one takes half a second. */
  public static KeyPair pair() {
    return PAIRS.computeIfAbsent(NEXT.getAndIncrement() % KEYS, TokenIssuer::generate);
  }

  private static KeyPair generate(int number) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private JsonObject set() {
    fetches.incrementAndGet();
    JsonArray all = new JsonArray();
    keys.forEach((kid, pair) -> all.add(jwk(kid, pair)));
    return new JsonObject().put("keys", all);
  }

  public static JsonObject jwk(String kid, KeyPair pair) {
    RSAPublicKey key = (RSAPublicKey) pair.getPublic();
    return new JsonObject()
        .put("kty", "RSA")
        .put("kid", kid)
        .put("use", "sig")
        .put("alg", "RS256")
        .put("n", number(key.getModulus()))
        .put("e", number(key.getPublicExponent()));
  }

  private static String number(BigInteger value) {
    byte[] bytes = value.toByteArray();
    return encoded(bytes[0] == 0 ? Arrays.copyOfRange(bytes, 1, bytes.length) : bytes);
  }

  /** Claims that are good for an hour. */
  public JsonObject claims(String subject, String scope) {
    long now = System.currentTimeMillis() / 1_000;
    return new JsonObject()
        .put("iss", url())
        .put("aud", "mcpbus")
        .put("sub", subject)
        .put("scope", scope)
        .put("iat", now)
        .put("exp", now + 3_600);
  }

  public String token(String kid, JsonObject claims) {
    KeyPair pair = Objects.requireNonNull(keys.get(kid), kid);
    return signed(new JsonObject().put("alg", "RS256").put("kid", kid), claims, pair);
  }

  /** A token whose parts are these texts, as they are. */
  public String text(String kid, String header, String claims) {
    String text =
        encoded(header.getBytes(StandardCharsets.UTF_8))
            + "."
            + encoded(claims.getBytes(StandardCharsets.UTF_8));
    return signed(text, Objects.requireNonNull(keys.get(kid), kid));
  }

  public static String signed(JsonObject header, JsonObject claims, KeyPair pair) {
    return signed(unsigned(header, claims), pair);
  }

  private static String signed(String text, KeyPair pair) {
    try {
      Signature signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(pair.getPrivate());
      signature.update(text.getBytes(StandardCharsets.US_ASCII));
      return text + "." + encoded(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  public static String unsigned(JsonObject header, JsonObject claims) {
    return encoded(header.toBuffer().getBytes()) + "." + encoded(claims.toBuffer().getBytes());
  }

  private static String encoded(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  @Override
  public void close() {
    TestBus.await(server.close());
  }
}
