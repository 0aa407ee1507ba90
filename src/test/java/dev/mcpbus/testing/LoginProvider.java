package dev.mcpbus.testing;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * An OpenID provider on this machine, at which one person is always logged in: as a provider with a
 * session cookie answers. It knows one client, checks its secret and PKCE, and lets a test change
 * the claims of its id tokens.
 */
public final class LoginProvider implements AutoCloseable {

  public static final String CLIENT = "mcpbus at the provider";
  public static final String SECRET = "a secret: of the provider";

  private final HttpServer server;
  private final KeyPair pair = TokenIssuer.pair();
  private final Map<String, Map<String, String>> codes = new ConcurrentHashMap<>();
  private final AtomicInteger visits = new AtomicInteger();
  private final List<String> redeemed = new CopyOnWriteArrayList<>();
  private volatile UnaryOperator<JsonObject> claims = same -> same;
  private volatile UnaryOperator<String> idTokens = same -> same;
  private volatile String issuerInAnswer = "";
  private volatile String subject = "ada";
  private volatile boolean left;

  private static final String REFRESH = "refresh of the provider";
  private final AtomicInteger renewals = new AtomicInteger();

  public LoginProvider(Vertx vertx) {
    server =
        TestBus.await(vertx.createHttpServer().requestHandler(this::handle).listen(0, "127.0.0.1"));
  }

  public String url() {
    return "http://127.0.0.1:" + server.actualPort();
  }

  /** How often a browser came. */
  public int visits() {
    return visits.get();
  }

  /** Who is logged in there from now on. */
  public void person(String name) {
    subject = name;
  }

  /** Everybody has left the company: no token is renewed any more. */
  public void everybodyLeaves() {
    left = true;
  }

  /** Changes the claims of each id token from now on. */
  public void claims(UnaryOperator<JsonObject> change) {
    claims = change;
  }

  /** Changes each signed id token from now on. */
  public void idTokens(UnaryOperator<String> change) {
    idTokens = change;
  }

  /** What its token endpoint was asked to redeem. */
  public List<String> redeemed() {
    return List.copyOf(redeemed);
  }

  /** Names another issuer in its answers from now on. */
  public void answersAs(String issuer) {
    issuerInAnswer = issuer;
  }

  private void handle(HttpServerRequest request) {
    switch (request.path()) {
      case "/.well-known/openid-configuration" -> json(request, 200, metadata());
      case "/jwks" ->
          json(
              request,
              200,
              new JsonObject().put("keys", new JsonArray().add(TokenIssuer.jwk("one", pair))));
      case "/authorize" -> login(request);
      case "/token" -> request.bodyHandler(body -> token(request, fields(body.toString())));
      default -> json(request, 404, new JsonObject());
    }
  }

  private JsonObject metadata() {
    return new JsonObject()
        .put("issuer", url())
        .put("authorization_endpoint", url() + "/authorize")
        .put("token_endpoint", url() + "/token")
        .put("jwks_uri", url() + "/jwks")
        .put("authorization_response_iss_parameter_supported", true);
  }

  private void login(HttpServerRequest request) {
    visits.incrementAndGet();
    Map<String, String> asked = fields(String.valueOf(request.query()));
    String code = UUID.randomUUID().toString();
    asked.put("person", subject);
    codes.put(code, asked);
    request
        .response()
        .setStatusCode(302)
        .putHeader(
            "Location",
            asked.get("redirect_uri")
                + "?code="
                + code
                + "&state="
                + encoded(String.valueOf(asked.get("state")))
                + "&iss="
                + encoded(issuerInAnswer.isEmpty() ? url() : issuerInAnswer))
        .end();
  }

  private void token(HttpServerRequest request, Map<String, String> form) {
    redeemed.add(form.getOrDefault("code", ""));
    Map<String, String> asked = codes.remove(form.getOrDefault("code", ""));
    if (left) {
      json(request, 400, new JsonObject().put("error", "invalid_grant"));
      return;
    }
    if (REFRESH.equals(form.get("refresh_token"))) {
      json(
          request,
          200,
          new JsonObject()
              .put("access_token", "renewed " + renewals.incrementAndGet())
              .put("expires_in", 300)
              .put("token_type", "Bearer"));
      return;
    }
    String basic =
        "Basic "
            + Base64.getEncoder()
                .encodeToString(
                    (encoded(CLIENT) + ":" + encoded(SECRET)).getBytes(StandardCharsets.US_ASCII));
    if (!basic.equals(request.getHeader("Authorization"))) {
      json(
          request,
          401,
          new JsonObject().put("error", "invalid_client").put("error_description", "canary"));
      return;
    }
    if (asked == null
        || !String.valueOf(asked.get("redirect_uri")).equals(form.get("redirect_uri"))
        || !String.valueOf(asked.get("code_challenge"))
            .equals(s256(form.getOrDefault("code_verifier", "")))) {
      json(request, 400, new JsonObject().put("error", "invalid_grant"));
      return;
    }
    long now = System.currentTimeMillis() / 1_000;
    JsonObject id =
        new JsonObject()
            .put("iss", url())
            .put("aud", CLIENT)
            .put("sub", asked.get("person"))
            .put("groups", new JsonArray().add("staff"))
            .put("nonce", asked.get("nonce"))
            .put("iat", now)
            .put("exp", now + 300);
    String token =
        TokenIssuer.signed(
            new JsonObject().put("alg", "RS256").put("kid", "one"), claims.apply(id), pair);
    json(
        request,
        200,
        new JsonObject()
            .put("id_token", idTokens.apply(token))
            .put("access_token", "of the provider for " + asked.get("person"))
            .put("refresh_token", REFRESH)
            .put("expires_in", 300)
            .put("token_type", "Bearer"));
  }

  private static void json(HttpServerRequest request, int status, JsonObject document) {
    request
        .response()
        .setStatusCode(status)
        .putHeader("Content-Type", "application/json")
        .end(document.toBuffer());
  }

  private static Map<String, String> fields(String text) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (String pair : text.split("&", -1)) {
      String[] parts = pair.split("=", 2);
      fields.put(
          URLDecoder.decode(parts[0], StandardCharsets.UTF_8),
          parts.length < 2 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
    }
    return fields;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String s256(String verifier) {
    try {
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(
              MessageDigest.getInstance("SHA-256")
                  .digest(verifier.getBytes(StandardCharsets.US_ASCII)));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    TestBus.await(Objects.requireNonNull(server).close());
  }
}
