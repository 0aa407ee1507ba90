package dev.mcpbus.testing;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A company's identity provider, which other people wrote: {@code oidc-provider} from npm, by
 * {@code src/test/npm/identity-provider.mjs}. alice, bob and carol log in there. Access tokens are
 * JWTs for the resource that was asked for; their claims {@code groups} and {@code email} say who
 * it is. Its client {@code mcpbus} has {@link #SECRET}.
 */
public final class IdentityProvider implements AutoCloseable {

  /** Of its client {@code mcpbus}. */
  public static final String SECRET = "the secret of mcpbus";

  /** The grant of RFC 8693. */
  public static final String EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";

  private static final String ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

  /** Of the test's own client, which needs no secrecy. */
  private static final String VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

  private static final String CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
  private static final String REDIRECT = "http://127.0.0.1/done";

  private final NodeScript script;
  private final int port;

  /** Starts it with all that it has by default. */
  public IdentityProvider() {
    this(new JsonObject());
  }

  /**
   * Starts it.
   *
   * @param options as the script explains them
   */
  public IdentityProvider(JsonObject options) {
    script = NodeScript.own("identity-provider.mjs", options.encode());
    JsonObject first = new JsonObject(script.next(line -> line.startsWith("{\"issuer\"")));
    port = URI.create(first.getString("issuer")).getPort();
  }

  public String issuer() {
    return "http://127.0.0.1:" + port;
  }

  public int port() {
    return port;
  }

  /** What was asked at its token, revocation, introspection and registration endpoints, so far. */
  public List<JsonObject> requests() {
    return script.out().stream()
        .filter(line -> line.startsWith("{\"route\""))
        .map(JsonObject::new)
        .toList();
  }

  /** Those that were asked with a grant. */
  public List<JsonObject> requests(String grant) {
    return requests().stream().filter(one -> grant.equals(one.getString("grant"))).toList();
  }

  /**
   * What the token endpoint says to the test's own client after a person has logged in.
   *
   * @param resource the audience of the access token
   * @param scope separated by spaces
   * @param headers such as a proof, for the token endpoint
   */
  public JsonObject logIn(String person, String resource, String scope, String... headers) {
    Map<String, String> query = new LinkedHashMap<>();
    query.put("client_id", "direct");
    query.put("response_type", "code");
    query.put("redirect_uri", REDIRECT);
    query.put("scope", scope);
    query.put("resource", resource);
    query.put("code_challenge", CHALLENGE);
    query.put("code_challenge_method", "S256");
    URI back =
        new FormBrowser()
            .signIn(
                URI.create(issuer() + "/auth?" + FormBrowser.encoded(query)),
                person,
                uri -> uri.toString().startsWith(REDIRECT));
    Map<String, String> form = new LinkedHashMap<>();
    form.put("client_id", "direct");
    form.put("grant_type", "authorization_code");
    form.put("redirect_uri", REDIRECT);
    form.put("code", parameter(back, "code"));
    form.put("code_verifier", VERIFIER);
    form.put("resource", resource);
    return token(form, headers).json();
  }

  /** The access token of {@link #logIn}. */
  public String accessToken(String person, String resource, String scope) {
    return logIn(person, resource, scope).getString("access_token");
  }

  /** The answer to the test's own client that renews a token. */
  public Http.Answer refresh(String refreshToken) {
    return token(
        Map.of(
            "client_id", "direct", "grant_type", "refresh_token", "refresh_token", refreshToken));
  }

  /** The answer to the client {@code mcpbus} that exchanges the token of a person. */
  public Http.Answer exchange(String accessToken, String resource) {
    return token(
        Map.of(
            "grant_type",
            EXCHANGE,
            "subject_token",
            accessToken,
            "subject_token_type",
            ACCESS_TOKEN,
            "resource",
            resource),
        asMcpbus());
  }

  /** Credentials of the client {@code mcpbus}. */
  public static String[] asMcpbus() {
    String credentials = "mcpbus:" + SECRET.replace(' ', '+');
    return new String[] {
      "Authorization",
      "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.US_ASCII))
    };
  }

  private Http.Answer token(Map<String, String> form, String... headers) {
    return Http.post(port, "/token", FormBrowser.encoded(form), headers);
  }

  /**
   * Takes a token back, as its client does.
   *
   * @param client its id, of one that needs no secret
   */
  public void revoke(String client, String token) {
    Http.post(
        port,
        "/token/revocation",
        FormBrowser.encoded(Map.of("client_id", client, "token", token)));
  }

  /** A person is no more in the company: no token is issued, renewed or exchanged for him. */
  public void leaves(String person) {
    Http.post(port, "/test/leave?user=" + person, "");
  }

  /** A parameter of an address. */
  public static String parameter(URI uri, String name) {
    for (String pair : uri.getRawQuery().split("&", -1)) {
      if (pair.startsWith(name + "=")) {
        return URLDecoder.decode(pair.substring(name.length() + 1), StandardCharsets.UTF_8);
      }
    }
    throw new AssertionError("no " + name + " in " + uri);
  }

  /** The claims of a JWT, which nobody verifies here. */
  public static JsonObject claims(String token) {
    return new JsonObject(
        new String(
            Base64.getUrlDecoder().decode(token.split("\\.", -1)[1]), StandardCharsets.UTF_8));
  }

  /** A configuration's {@code auth.jwt} for tokens of that audience. */
  public JsonObject jwt(String audience) {
    return new JsonObject()
        .put("issuer", issuer())
        .put("audience", new JsonArray().add(audience))
        .put("scopes", new JsonArray().add("mcp"))
        .put("adminScopes", new JsonArray().add("mcp:admin"));
  }

  @Override
  public void close() {
    script.close();
  }
}
