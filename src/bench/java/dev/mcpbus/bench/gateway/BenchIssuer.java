package dev.mcpbus.bench.gateway;

import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Instant;
import java.util.Arrays;
import java.util.function.Function;

/** An issuer of tokens in the process of the bench: its keys, and answers to introspection. */
final class BenchIssuer implements AutoCloseable {

  private static final String AUDIENCE = "bench";
  private static final int KEY_BYTES = 32;

  private final HttpServer server;
  private final KeyPair keys;

  private BenchIssuer(HttpServer server, KeyPair keys) {
    this.server = server;
    this.keys = keys;
  }

  static BenchIssuer start() throws IOException {
    try {
      HttpServer server =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      BenchIssuer issuer =
          new BenchIssuer(server, KeyPairGenerator.getInstance("Ed25519").generateKeyPair());
      issuer.serve("/jwks", body -> issuer.jwks());
      issuer.serve("/introspect", issuer::introspected);
      server.start();
      return issuer;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The token {@code bound} is bound to the key of {@link DpopLoad}. */
  private JsonObject introspected(String form) {
    JsonObject answer = claims().put("active", true);
    return form.contains("token=bound")
        ? answer.put("cnf", new JsonObject().put("jkt", DpopLoad.thumbprint()))
        : answer;
  }

  private void serve(String path, Function<String, JsonObject> answer) {
    server.createContext(
        path,
        exchange -> {
          String form =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          byte[] body = answer.apply(form).encode().getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(200, body.length);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Its entry in {@code auth.issuers}. */
  JsonObject entry() {
    return new JsonObject()
        .put("name", "bench")
        .put("issuer", url())
        .put("audience", new JsonArray().add(AUDIENCE))
        .put("jwksUri", url() + "/jwks")
        .put(
            "introspection",
            new JsonObject()
                .put("url", url() + "/introspect")
                .put("clientId", "mcpbus")
                .put("clientSecret", "bench"));
  }

  private JsonObject claims() {
    return new JsonObject()
        .put("iss", url())
        .put("sub", "ada")
        .put("aud", AUDIENCE)
        .put("exp", Instant.now().getEpochSecond() + 3_600);
  }

  private JsonObject jwks() {
    byte[] encoded = keys.getPublic().getEncoded();
    byte[] point = Arrays.copyOfRange(encoded, encoded.length - KEY_BYTES, encoded.length);
    JsonObject key =
        new JsonObject()
            .put("kty", "OKP")
            .put("crv", "Ed25519")
            .put("kid", "bench")
            .put("x", DpopLoad.base64(point));
    return new JsonObject().put("keys", new JsonArray().add(key));
  }

  /** A token that is good for an hour. */
  String jwt() {
    JsonObject header =
        new JsonObject().put("alg", "EdDSA").put("typ", "at+jwt").put("kid", "bench");
    String signed = part(header) + "." + part(claims());
    try {
      Signature signature = Signature.getInstance("EdDSA");
      signature.initSign(keys.getPrivate());
      signature.update(signed.getBytes(StandardCharsets.US_ASCII));
      return signed + "." + DpopLoad.base64(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String part(JsonObject object) {
    return DpopLoad.base64(object.encode().getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
