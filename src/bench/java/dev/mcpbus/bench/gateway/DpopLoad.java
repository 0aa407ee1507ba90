package dev.mcpbus.bench.gateway;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.Signature;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Callers whose token is bound to a key (RFC 9449): each request has a proof of its own, of EdDSA.
 * A thread for each caller; what they need themselves is not the endpoint's CPU.
 */
final class DpopLoad {

  private static final KeyPair KEYS = keys();
  private static final int KEY_BYTES = 32;
  private static final String BODY =
      "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"newer__echo\","
          + "\"arguments\":{\"text\":\"hello, world\"},\"_meta\":{"
          + "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
          + "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"bench\",\"version\":\"1\"},"
          + "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";

  private DpopLoad() {}

  private static KeyPair keys() {
    try {
      return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JsonObject jwk() {
    byte[] encoded = KEYS.getPublic().getEncoded();
    byte[] point = Arrays.copyOfRange(encoded, encoded.length - KEY_BYTES, encoded.length);
    return new JsonObject().put("crv", "Ed25519").put("kty", "OKP").put("x", base64(point));
  }

  /** Of the key (RFC 7638): the members of the JWK stand in that order. */
  static String thumbprint() {
    return base64(sha256(jwk().encode()));
  }

  /** As {@code load_http}: what is answered in the measured time. */
  static JsonObject run(Endpoint endpoint, int callers, long warmup, long measure)
      throws Exception {
    String url = "http://127.0.0.1:" + endpoint.port() + endpoint.path();
    long from = System.nanoTime() + warmup * 1_000_000;
    long until = from + measure * 1_000_000;
    List<Long> nanos = Collections.synchronizedList(new ArrayList<>());
    AtomicLong wrong = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    HttpClient client = HttpClient.newHttpClient();
    for (int i = 0; i < callers; i++) {
      Thread caller =
          new Thread(
              () -> {
                while (System.nanoTime() < until) {
                  long sent = System.nanoTime();
                  boolean good = call(client, url, String.valueOf(endpoint.key()));
                  wrong.addAndGet(good ? 0 : 1);
                  if (sent >= from) {
                    nanos.add(System.nanoTime() - sent);
                  }
                }
              });
      threads.add(caller);
      caller.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    List<Long> sorted = nanos.stream().sorted().toList();
    return new JsonObject()
        .put("answers", sorted.size())
        .put("wrong", wrong.get())
        .put("perSecond", (double) Math.round(sorted.size() * 1_000.0 / measure))
        .put("p50", quantile(sorted, 0.5))
        .put("p99", quantile(sorted, 0.99))
        .put("p999", quantile(sorted, 0.999));
  }

  private static double quantile(List<Long> sorted, double q) {
    return sorted.isEmpty() ? 0 : sorted.get((int) (q * (sorted.size() - 1))) / 1_000.0;
  }

  private static boolean call(HttpClient client, String url, String token) {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(url))
              .header("Content-Type", "application/json")
              .header("Accept", "application/json, text/event-stream")
              .header("MCP-Protocol-Version", "2026-07-28")
              .header("Mcp-Method", "tools/call")
              .header("Mcp-Name", "newer__echo")
              .header("Authorization", "DPoP " + token)
              .header("DPoP", proof(url, token))
              .POST(HttpRequest.BodyPublishers.ofString(BODY))
              .build();
      HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() == 200 && answer.body().contains("hello, world");
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static String proof(String url, String token) {
    JsonObject header =
        new JsonObject().put("typ", "dpop+jwt").put("alg", "EdDSA").put("jwk", jwk());
    JsonObject claims =
        new JsonObject()
            .put("jti", UUID.randomUUID().toString())
            .put("htm", "POST")
            .put("htu", url)
            .put("iat", System.currentTimeMillis() / 1_000)
            .put("ath", base64(sha256(token)));
    String signed = part(header) + "." + part(claims);
    try {
      Signature signature = Signature.getInstance("EdDSA");
      signature.initSign(KEYS.getPrivate());
      signature.update(signed.getBytes(StandardCharsets.US_ASCII));
      return signed + "." + base64(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String part(JsonObject object) {
    return base64(object.encode().getBytes(StandardCharsets.UTF_8));
  }

  static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
