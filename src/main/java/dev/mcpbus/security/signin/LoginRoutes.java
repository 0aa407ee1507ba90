package dev.mcpbus.security.signin;

import dev.mcpbus.protocol.Sha256;
import dev.mcpbus.security.HtmlPage;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.SignInOptions;
import dev.mcpbus.security.oauth.FormEncoding;
import dev.mcpbus.security.oauth.OAuthDigests;
import dev.mcpbus.security.signin.ProviderLogin.ProviderAnswer;
import dev.mcpbus.security.signin.SealedTexts.Purpose;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way of a browser: the request of a program, the consent of the person, the login at the
 * provider, and back with a code. No step has state on a node. Errors before the consent are shown
 * on a page and never sent to a redirect URI, as anybody may register one. Used on the context of
 * the HTTP verticle.
 */
final class LoginRoutes {

  /** How long a person may take. */
  static final Duration LOGIN = Duration.ofSeconds(SignInRequest.COOKIE_SECONDS);

  private static final Duration CODE = Duration.ofSeconds(60);

  /** Set with the consent page; the answer must come from the same browser. */
  private static final String CONSENT_COOKIE = "mcpbus-consent";

  /** Set after the consent; the provider must send the same browser back. */
  private static final String LOGIN_COOKIE = "mcpbus-login";

  private static final Pattern CHALLENGE = Pattern.compile("[A-Za-z0-9_-]{43}");
  private static final int MAX_STATE = 2_048;

  /** Characters of all roles of a person: each access token has them in a header. */
  private static final int MAX_ROLES = 4_096;

  private static final NavigableSet<String> NO_ROLES = Collections.emptyNavigableSet();
  private static final String TOO_MANY =
      "the provider gives more roles than a token can carry: auth.signIn.roles of mcpbus chooses"
          + " those that count";
  private static final String NAMED_BY =
      ": auth.signIn.claims.name of mcpbus says which claim does, and auth.signIn.provider.scopes"
          + " what the provider tells";
  private static final Set<String> ERRORS = Set.of("access_denied", "temporarily_unavailable");
  private static final Set<String> ANSWERS =
      Set.of("code", "state", "iss", "error", "error_description", "error_uri");
  private static final Logger LOG = LoggerFactory.getLogger(LoginRoutes.class);

  private final SignInOptions options;
  private final SignIn signIn;
  private final ClientDirectory clients;
  private final ProviderLogin provider;
  private final DeviceCodes devices;
  private @Nullable LinkPage links;

  LoginRoutes(
      SignInOptions options,
      SignIn signIn,
      ClientDirectory clients,
      ProviderLogin provider,
      DeviceCodes devices) {
    this.options = options;
    this.signIn = signIn;
    this.clients = clients;
    this.provider = provider;
    this.devices = devices;
  }

  /**
   * @param page takes people on who have come back
   */
  void returnTo(LinkPage page) {
    links = page;
  }

  /**
   * The authorization endpoint: checks everything, then asks the person. Our own console asks
   * nothing more: it begins the login itself, and no other page may do so in its name.
   */
  Future<Void> authorize(SignInRequest request) throws SignInRefusal {
    Map<String, String> fields = request.fields();
    String id = SignInRequest.field(fields, "client_id");
    if (!id.equals(SignInClient.CONSOLE)) {
      return clients.find(id).compose(client -> asked(request, fields, client));
    }
    if (!request.isFromOwnPage()) {
      throw SignInRefusal.of(
          403, "access_denied", "the console begins its login itself: sign in there");
    }
    return asked(request, fields, SignInClient.console(request.own().base()));
  }

  private Future<Void> asked(
      SignInRequest request, Map<String, String> fields, SignInClient client) {
    try {
      String redirect = SignInRequest.field(fields, "redirect_uri");
      if (!client.permits(redirect)) {
        throw SignInRefusal.json(
            "invalid_request",
            "the program wants to be called back at a place for which it is not registered");
      }
      if (!"code".equals(fields.get("response_type"))
          || !fields.getOrDefault("response_mode", "query").equals("query")
          || fields.containsKey("request")
          || fields.containsKey("request_uri")) {
        throw SignInRefusal.json("unsupported_response_type", "it must ask for a code in a query");
      }
      String challenge = SignInRequest.field(fields, "code_challenge");
      if (!"S256".equals(fields.get("code_challenge_method"))
          || !CHALLENGE.matcher(challenge).matches()) {
        throw SignInRefusal.json("invalid_request", "PKCE with S256 is required");
      }
      String state = fields.get("state");
      if (state != null && state.length() > MAX_STATE) {
        throw SignInRefusal.json("invalid_request", "its state is too long");
      }
      LoginRequest login =
          new LoginRequest(
              request.own().base(),
              SignInClient.binding(client.id()),
              LoginRequest.shortId(client),
              client.name(),
              redirect,
              state,
              challenge,
              resource(request, fields),
              client.renews(),
              null);
      if (client.isConsole()) {
        return leave(request, login);
      }
      ask(request, login);
      return Future.succeededFuture();
    } catch (SignInRefusal e) {
      return e.failed();
    }
  }

  /** The resource that a request names, in our form; all of mcpbus for none. */
  static String resource(SignInRequest request, Map<String, String> fields) throws SignInRefusal {
    String resource = request.own().resource(fields.get("resource"));
    if (resource == null) {
      throw SignInRefusal.json("invalid_target", "the resource is none of this mcpbus");
    }
    return resource;
  }

  /** Shows the consent page. */
  void ask(SignInRequest request, LoginRequest login) {
    String browser = hash(request.keptCookie(CONSENT_COOKIE));
    String sealed =
        signIn
            .texts()
            .seal(
                Purpose.CONSENT,
                new JsonObject().put("login", login.json()).put("browser", browser),
                LOGIN);
    String document = login.client().startsWith("https:") ? host(login.client()) : "";
    request.page(
        200, SignInPages.consent(login, document, host(options.provider().issuer()), sealed));
  }

  private static String host(String url) {
    return String.valueOf(URI.create(url).getHost());
  }

  private static String hash(String text) {
    return OAuthDigests.base64Url(Sha256.of(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static boolean isBrowser(JsonObject sealed, @Nullable String cookie) {
    return cookie != null && OAuthDigests.same(hash(cookie), sealed.getString("browser"));
  }

  /** The person's answer. The state of a login at the provider exists after it alone. */
  Future<Void> consent(SignInRequest request) throws SignInRefusal {
    Map<String, String> fields = request.fields();
    JsonObject asked = signIn.texts().open(Purpose.CONSENT, fields.get("request"));
    if (asked == null
        || !request.isFromOwnPage()
        || !isBrowser(asked, request.cookie(CONSENT_COOKIE))) {
      throw SignInRefusal.of(
          403,
          "access_denied",
          "this answer comes from another page or browser, or too late: begin the login again");
    }
    LoginRequest login = LoginRequest.of(asked.getJsonObject("login"));
    if (!login.base().equals(request.own().base())) {
      throw SignInRefusal.json("invalid_request", "the login began at another address of mcpbus");
    }
    return "allow".equals(fields.get("answer")) ? leave(request, login) : denied(request, login);
  }

  /** Leads a person from the page of a link to the provider, and back to that page. */
  Future<Void> prove(SignInRequest request, String ticket) {
    return leave(request, LoginRequest.ofLink(request.own().base(), ticket));
  }

  /** Leads the browser to the provider. */
  private Future<Void> leave(SignInRequest request, LoginRequest login) {
    String id = OAuthDigests.secret();
    String state =
        signIn
            .texts()
            .seal(
                Purpose.STATE,
                new JsonObject()
                    .put("login", login.json())
                    .put("id", id)
                    .put("browser", hash(request.keptCookie(LOGIN_COOKIE))),
                LOGIN);
    return provider
        .page(login.base(), state, signIn.derived("nonce", id), signIn.derived("verifier", id))
        .map(
            page -> {
              request.page(
                  200,
                  HtmlPage.leaving("To the login at " + host(options.provider().issuer()), page));
              return null;
            });
  }

  private Future<Void> denied(SignInRequest request, LoginRequest login) {
    String code = login.userCode();
    if (code != null && login.isLink()) {
      return proven(request, code, null);
    }
    if (code != null) {
      return devices
          .deny(code, "the person said no")
          .onSuccess(
              done ->
                  request.page(200, HtmlPage.message("Cancelled", "The device gets no access.")));
    }
    request.page(200, HtmlPage.leaving("Cancelled", error(login, "access_denied")));
    return Future.succeededFuture();
  }

  /** The provider sends the browser back. */
  Future<Void> callback(SignInRequest request) throws SignInRefusal {
    Map<String, String> fields = request.fields();
    JsonObject sealed = signIn.texts().open(Purpose.STATE, fields.get("state"));
    if (sealed == null || !isBrowser(sealed, request.cookie(LOGIN_COOKIE))) {
      throw SignInRefusal.of(
          403,
          "access_denied",
          "this browser has begun no such login, or too long ago: begin it again");
    }
    LoginRequest login = LoginRequest.of(sealed.getJsonObject("login"));
    String id = sealed.getString("id");
    return provider
        .isFromProvider(fields.get("iss"))
        .compose(
            from ->
                from
                    ? signIn.first("signin state " + id, LOGIN)
                    : SignInRefusal.of(
                            403, "access_denied", "the answer comes from another provider")
                        .failed())
        .compose(
            first ->
                first
                    ? answered(request, fields, login, id)
                    : SignInRefusal.of(
                            403, "access_denied", "this login was completed before: begin it again")
                        .failed());
  }

  private Future<Void> answered(
      SignInRequest request, Map<String, String> fields, LoginRequest login, String id) {
    String code = fields.get("code");
    if (code == null || code.isEmpty() || fields.containsKey("error")) {
      String error = fields.getOrDefault("error", "");
      if (login.redirectUri() == null) {
        return login.isLink() || error.equals("access_denied")
            ? denied(request, login)
            : failed(login, ProviderLogin.refused("its login page answers", error));
      }
      sendBack(request, login, error(login, ERRORS.contains(error) ? error : "server_error"));
      return Future.succeededFuture();
    }
    return provider
        .redeem(login.base(), code, signIn.derived("verifier", id), signIn.derived("nonce", id))
        .compose(answer -> admitted(request, login, answer))
        .recover(failure -> failed(login, SignInHandler.known(failure)));
  }

  /** Nobody can go on with this login: who waits for it learns so, and the log says why. */
  private Future<Void> failed(LoginRequest login, SignInRefusal why) {
    if (signIn.mayWarn()) {
      LOG.warn("sign-in: a login has failed: {}", why.description());
    }
    String code = login.userCode();
    return code == null || login.isLink()
        ? why.failed()
        : devices.deny(code, why.description()).transform(done -> why.failed());
  }

  private Future<Void> admitted(SignInRequest request, LoginRequest login, ProviderAnswer answer) {
    Principal principal =
        options.claims().principal(signIn.prefix(), answer.claims(), NO_ROLES, false);
    if (principal == null || String.join("", principal.roles()).length() > MAX_ROLES) {
      String unnamed = options.claims().unnamed(answer.claims());
      return SignInRefusal.of(403, "access_denied", unnamed == null ? TOO_MANY : unnamed + NAMED_BY)
          .failed();
    }
    String ticket = login.userCode();
    if (ticket != null && login.isLink()) {
      return proven(request, ticket, principal);
    }
    long now = signIn.clock().instant().getEpochSecond();
    long until = now + (login.userCode() == null ? TokenFamilies.UNREDEEMED : LOGIN).toSeconds();
    JsonObject kept = answer.tokens().copy().put("issuer", options.provider().issuer());
    return signIn
        .families()
        .begin(login, principal, until, kept)
        .compose(family -> finished(request, login, family))
        .onSuccess(
            done ->
                LOG.info(
                    "sign-in: {} logged in with {} for {}",
                    principal.name(),
                    login.client(),
                    login.resource()));
  }

  private Future<Void> finished(SignInRequest request, LoginRequest login, TokenFamily family) {
    String userCode = login.userCode();
    if (userCode != null) {
      return devices
          .approve(userCode, family.id())
          .onSuccess(
              known ->
                  request.page(
                      known ? 200 : 400,
                      known
                          ? HtmlPage.message(
                              "You are logged in", "The device goes on. Close this page.")
                          : HtmlPage.message(
                              "Too late", "The device waits no longer: begin there again.")))
          .mapEmpty();
    }
    JsonObject sealed =
        new JsonObject()
            .put("family", family.id())
            .put("binding", login.binding())
            .put("redirectUri", login.redirectUri())
            .put("challenge", login.challenge())
            .put("resource", login.resource());
    sendBack(request, login, back(login, "code", signIn.texts().seal(Purpose.CODE, sealed, CODE)));
    return Future.succeededFuture();
  }

  private Future<Void> proven(SignInRequest request, String ticket, @Nullable Principal principal) {
    Objects.requireNonNull(links, "no page of links").returned(request.http(), ticket, principal);
    return Future.succeededFuture();
  }

  /** The console is opened by a page of ours: its guard refuses what other sites lead to. */
  private static void sendBack(SignInRequest request, LoginRequest login, String url) {
    if (login.isConsole()) {
      request.page(200, HtmlPage.leaving("To the console", url));
    } else {
      request.redirect(url);
    }
  }

  private static String error(LoginRequest login, String code) {
    return back(login, "error", code);
  }

  private static String back(LoginRequest login, String name, String value) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put(name, value);
    if (login.state() != null) {
      fields.put("state", login.state());
    }
    fields.put("iss", login.base());
    return FormEncoding.query(String.valueOf(login.redirectUri()), fields, ANSWERS);
  }
}
