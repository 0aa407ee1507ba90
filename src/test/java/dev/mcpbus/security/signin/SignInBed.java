package dev.mcpbus.security.signin;

import dev.mcpbus.bridge.BridgeVerticle;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.Sha256;
import dev.mcpbus.security.AccessControl;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.SignInOptions;
import dev.mcpbus.security.SignInOptions.OpenIdProvider;
import dev.mcpbus.security.oauth.HostResolver;
import dev.mcpbus.security.oauth.TokenStore;
import dev.mcpbus.testing.LoginBrowser;
import dev.mcpbus.testing.LoginProvider;
import dev.mcpbus.testing.OpenAccess;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** Doors with an authorization server: one provider, a clock that a test moves, one store. */
public final class SignInBed implements AutoCloseable {

  static final String REDIRECT = "http://127.0.0.1:4711/callback";

  /** A pair of PKCE (RFC 7636, appendix B). */
  static final String VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

  static final String CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

  final LoginProvider provider;
  public final TokenStore store = TokenStore.inMemory();
  final LoginBrowser browser = new LoginBrowser();
  private final Vertx vertx;
  volatile HostResolver resolver;
  private final Set<String> used = ConcurrentHashMap.newKeySet();
  private final SignInOptions options;
  private volatile Duration later = Duration.ZERO;
  private SignIn signIn;
  private String base = "";

  public SignInBed(Vertx vertx) {
    this(vertx, same -> same);
  }

  public SignInBed(Vertx vertx, UnaryOperator<SignInOptions> change) {
    this.vertx = vertx;
    this.resolver = HostResolver.system(vertx);
    Codecs.register(vertx);
    this.provider = new LoginProvider(vertx);
    this.options =
        change.apply(
            SignInOptions.of(
                null,
                new OpenIdProvider(
                    provider.url(),
                    LoginProvider.CLIENT,
                    Sensitive.of(LoginProvider.SECRET),
                    List.of("email"))));
    this.signIn = node();
    this.base = "http://127.0.0.1:" + serve(signIn);
  }

  /** A further node: of the same secret and store, with a memory of its own. */
  SignIn node() {
    return new SignIn(
        options,
        new SignIn.SignInWorld(
            vertx,
            purpose -> Sha256.of(("secret " + purpose).getBytes(StandardCharsets.UTF_8)),
            store,
            (what, within) -> Future.succeededFuture(used.add(what)),
            host -> resolver.resolve(host),
            () -> Instant.now().plus(later),
            () -> System.nanoTime() + later.toNanos()));
  }

  private AccessControl control(SignIn node) {
    AccessControl control =
        new AccessControl(
            RecordCopy.with(AuthOptions.NONE, "signIn", options),
            () -> Instant.now().plus(later),
            System::nanoTime,
            new SecureRandom(),
            () -> 0);
    control.ownTokens(node.tokens());
    return control;
  }

  int serve(SignIn node) {
    BridgeVerticle bridge =
        BridgeVerticle.several(
                1,
                BridgeOptions.DEFAULT.withPort(0),
                () -> "call",
                () -> null,
                node::handler,
                control(node)::admissionControl,
                new Readiness(),
                OpenAccess.CALLERS)
            .get(0);
    TestBus.await(vertx.deployVerticle(bridge));
    return bridge.port();
  }

  public String base() {
    return base;
  }

  SignIn signIn() {
    return signIn;
  }

  /** What begins so may be used again: a test does not wait for the time of a poll. */
  public void forget(String prefix) {
    used.removeIf(what -> what.startsWith(prefix));
  }

  /** What time it is from now on. */
  public void wait(Duration more) {
    later = later.plus(more);
  }

  /** As a caller with a token of this sign-in. */
  HttpResponse<String> call(String path, String token) {
    return browser.get(base + path, "Authorization", "Bearer " + token);
  }

  /** What a program says of itself. */
  static JsonObject metadata() {
    return new JsonObject()
        .put("client_name", "A program")
        .put("redirect_uris", new JsonArray().add(REDIRECT));
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

  HttpResponse<String> renew(String client, String refresh) {
    return token(
        Map.of("grant_type", "refresh_token", "client_id", client, "refresh_token", refresh));
  }

  @Override
  public void close() {
    provider.close();
  }
}
