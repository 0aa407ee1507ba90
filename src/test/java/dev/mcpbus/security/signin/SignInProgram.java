package dev.mcpbus.security.signin;

import dev.mcpbus.testing.LoginBrowser;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.Map;

/** A program that signs in at an address of mcpbus, and the browser of its person. */
class SignInProgram {

  static final String REDIRECT = "http://127.0.0.1:4711/callback";

  /** A pair of PKCE (RFC 7636, appendix B). */
  static final String VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

  static final String CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

  final LoginBrowser browser;
  private String base = "";

  SignInProgram(LoginBrowser browser) {
    this.browser = browser;
  }

  /** It goes to this origin from now on. */
  final SignInProgram leadsTo(String origin) {
    base = origin;
    return this;
  }

  public final String base() {
    return base;
  }

  /** What a program says of itself. */
  static JsonObject metadata() {
    return new JsonObject()
        .put("client_name", "A program")
        .put("redirect_uris", new JsonArray().add(REDIRECT));
  }

  /** What a program without a browser says of itself. */
  static JsonObject device() {
    return new JsonObject()
        .put("client_name", "A device")
        .put("grant_types", new JsonArray().add(SignInClient.DEVICE_GRANT).add("refresh_token"));
  }

  String client() {
    return client(metadata());
  }

  String client(JsonObject metadata) {
    HttpResponse<String> answer = browser.json(base + "/oauth/register", metadata);
    if (answer.statusCode() != 201) {
      throw new AssertionError(answer.statusCode() + " " + answer.body());
    }
    return new JsonObject(answer.body()).getString("client_id");
  }

  /** A request of a program as it should be. */
  Map<String, String> request(String client) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("response_type", "code");
    fields.put("client_id", client);
    fields.put("redirect_uri", REDIRECT);
    fields.put("state", "state of the program");
    fields.put("code_challenge", CHALLENGE);
    fields.put("code_challenge_method", "S256");
    fields.put("resource", base + "/mcp");
    return fields;
  }

  String authorize(Map<String, String> fields) {
    return base + "/oauth/authorize?" + LoginBrowser.query(fields);
  }

  String authorize(String client) {
    return authorize(request(client));
  }

  /** A code for this client, of a person who allows everything. */
  String code(String client) {
    return LoginBrowser.field(browser.login(base, authorize(client)), "code");
  }

  Map<String, String> redemption(String client, String code) {
    Map<String, String> form = new LinkedHashMap<>();
    form.put("grant_type", "authorization_code");
    form.put("client_id", client);
    form.put("code", code);
    form.put("redirect_uri", REDIRECT);
    form.put("code_verifier", VERIFIER);
    form.put("resource", base + "/mcp");
    return form;
  }

  HttpResponse<String> token(Map<String, String> form) {
    return browser.post(base + "/oauth/token", form);
  }

  /** The tokens of a whole login. */
  JsonObject tokens(String client) {
    return new JsonObject(token(redemption(client, code(client))).body());
  }

  /** The same, for that resource alone. */
  JsonObject tokens(String client, String resource) {
    Map<String, String> request = request(client);
    request.put("resource", resource);
    String code = LoginBrowser.field(browser.login(base, authorize(request)), "code");
    Map<String, String> form = redemption(client, code);
    form.put("resource", resource);
    return new JsonObject(token(form).body());
  }

  static Map<String, String> renewal(String client, String refresh) {
    return Map.of("grant_type", "refresh_token", "client_id", client, "refresh_token", refresh);
  }

  HttpResponse<String> renew(String client, String refresh) {
    return token(renewal(client, refresh));
  }

  /** What a device is told when it begins to wait. */
  JsonObject waiting(String client) {
    return new JsonObject(
        browser.post(base + "/oauth/device_authorization", Map.of("client_id", client)).body());
  }

  static Map<String, String> poll(String client, JsonObject waiting) {
    return Map.of(
        "grant_type",
        SignInClient.DEVICE_GRANT,
        "client_id",
        client,
        "device_code",
        waiting.getString("device_code"));
  }

  HttpResponse<String> revoke(String client, String token) {
    return browser.post(base + "/oauth/revoke", Map.of("client_id", client, "token", token));
  }
}
