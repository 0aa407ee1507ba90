package dev.mcpbus.security.signin;

import dev.mcpbus.security.AddressLimit;
import dev.mcpbus.security.HtmlPage;
import dev.mcpbus.security.MountPath;
import dev.mcpbus.security.SignInOptions;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the requests to the authorization server at one HTTP verticle: metadata, pages, tokens.
 * None needs a credential. The server has checked Host and Origin before. Used on that verticle's
 * context.
 */
public final class SignInHandler {

  /** Bytes. No request to the sign-in is longer. */
  public static final int MAX_BODY = 64 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(SignInHandler.class);

  private interface SignInStep {
    Future<Void> run(SignInRequest request) throws SignInRefusal;
  }

  /**
   * @param page whether a person sees the answer
   */
  private record SignInRoute(Set<HttpMethod> methods, boolean page, SignInStep route) {}

  private static final Set<HttpMethod> GET = Set.of(HttpMethod.GET);
  private static final Set<HttpMethod> POST = Set.of(HttpMethod.POST);
  private static final Set<HttpMethod> BOTH = Set.of(HttpMethod.GET, HttpMethod.POST);

  /** Where browsers come from other sites: clients and the provider send them. */
  private static final Set<String> ENTRANCES =
      Set.of("/oauth/authorize", "/oauth/callback", "/oauth/device");

  private final SignInOptions options;
  private final AddressLimit limit;
  private final LoginRoutes logins;
  private final Map<String, SignInRoute> routes;

  SignInHandler(
      SignInOptions options,
      AddressLimit limit,
      TokenKeys keys,
      LoginRoutes logins,
      TokenRoutes tokens,
      DeviceRoutes devices,
      ClientDirectory clients) {
    this.options = options;
    this.limit = limit;
    this.logins = logins;
    this.routes =
        Map.of(
            "/oauth/authorize", new SignInRoute(GET, true, logins::authorize),
            "/oauth/consent", new SignInRoute(POST, true, logins::consent),
            "/oauth/callback", new SignInRoute(GET, true, logins::callback),
            "/oauth/token", new SignInRoute(POST, false, tokens::token),
            "/oauth/revoke", new SignInRoute(POST, false, tokens::revoke),
            "/oauth/register", new SignInRoute(POST, false, request -> register(clients, request)),
            "/oauth/jwks", new SignInRoute(GET, false, request -> shown(request, keys.set())),
            "/oauth/device_authorization", new SignInRoute(POST, false, devices::begin),
            "/oauth/device", new SignInRoute(BOTH, true, devices::page));
  }

  /** Our origin, as the configuration says it; null where each request says it. */
  public @Nullable String origin() {
    URI url = options.url();
    return url == null ? null : OwnUrl.origin(url);
  }

  /** Whether this handler answers {@code path}, in its normal form. */
  public boolean owns(String path) {
    return routes.containsKey(path)
        || MountPath.AUTHORIZATION_SERVER.owns(path)
        || MountPath.OPENID_CONFIGURATION.owns(path);
  }

  /** Whether a browser may come to this request from a page of another site: by opening it. */
  public boolean isEntered(HttpServerRequest request) {
    return request.method().equals(HttpMethod.GET)
        && ENTRANCES.contains(String.valueOf(request.path()))
        && "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
        && "document".equals(request.getHeader("Sec-Fetch-Dest"));
  }

  /** Sends people back who were sent by {@link #prove}; before the first request. */
  public void returnTo(LinkPage page) {
    logins.returnTo(page);
  }

  /**
   * The host of the provider that can prove, for the page that {@code http} asks for, that a person
   * is {@code principal}; null where the sign-in knows no such principal, or its cookies are those
   * of another host.
   *
   * @param links the origin of our links; null where none is known
   */
  public @Nullable String provider(
      HttpServerRequest http, String principal, @Nullable String links) {
    boolean here =
        options.url() == null
            ? own(http).isKnown(null)
            : links != null && own(http).equals(OwnUrl.of(http, URI.create(links)));
    return here && principal.startsWith(options.name() + ":")
        ? URI.create(options.provider().issuer()).getHost()
        : null;
  }

  /**
   * Answers a request with the way to the provider, from which the person comes back to the {@link
   * LinkPage}. The state of this login is bound to the browser, as that of a program is.
   */
  public void prove(HttpServerRequest http, String ticket) {
    answer(
        new SignInRequest(http, own(http), Buffer.buffer()),
        new SignInRoute(POST, true, request -> logins.prove(request, ticket)));
  }

  private OwnUrl own(HttpServerRequest http) {
    return OwnUrl.of(http, options.url());
  }

  /** Answers a request of which {@link #owns} is true, now or later. */
  public void handle(HttpServerRequest http, Buffer body) {
    answer(
        new SignInRequest(http, own(http), body),
        routes.getOrDefault(
            String.valueOf(http.path()),
            new SignInRoute(GET, false, request -> metadata(request))));
  }

  private void answer(SignInRequest request, SignInRoute route) {
    HttpServerRequest http = request.http();
    if (!route.methods().contains(http.method())) {
      http.response().putHeader("Allow", route.methods().contains(HttpMethod.GET) ? "GET" : "POST");
      refuse(request, route, SignInRefusal.of(405, "invalid_request", "another method is needed"));
      return;
    }
    if (!request.own().isKnown(options.url())) {
      refuse(
          request,
          route,
          SignInRefusal.of(
              400, "invalid_request", "beyond loopback auth.signIn.url must name this address"));
      return;
    }
    if (!limit.admits(address(http))) {
      http.response().putHeader("Retry-After", "1");
      refuse(
          request, route, SignInRefusal.of(429, "slow_down", "too many requests: wait a moment"));
      return;
    }
    Future<Void> answered;
    try {
      answered = route.route().run(request);
    } catch (SignInRefusal e) {
      answered = e.failed();
    } catch (RuntimeException defect) {
      answered = Future.failedFuture(defect);
    }
    answered.onFailure(failure -> refuse(request, route, known(failure)));
  }

  /** The message of what is no refusal may quote what was sent. */
  static SignInRefusal known(Throwable failure) {
    if (failure instanceof SignInRefusal refusal) {
      return refusal;
    }
    LOG.warn("sign-in: a request has failed: {}", failure.toString());
    return SignInRefusal.of(
        503, "temporarily_unavailable", "mcpbus or the identity provider cannot answer now");
  }

  private static void refuse(SignInRequest request, SignInRoute route, SignInRefusal refusal) {
    if (route.page()) {
      request.page(
          refusal.status(),
          HtmlPage.message("This login cannot go on", HtmlPage.sentence(refusal.description())));
    } else {
      request.json(refusal.status(), refusal.document());
    }
  }

  /** The client's address; empty if unknown. */
  static String address(HttpServerRequest request) {
    SocketAddress remote = request.remoteAddress();
    String address = remote == null ? null : remote.hostAddress();
    return address == null ? "" : address;
  }

  private static Future<Void> shown(SignInRequest request, JsonObject document) {
    request.json(200, document);
    return Future.succeededFuture();
  }

  private static Future<Void> register(ClientDirectory clients, SignInRequest request)
      throws SignInRefusal {
    JsonObject metadata;
    try {
      metadata = new JsonObject(request.body());
    } catch (DecodeException | ClassCastException e) {
      throw SignInRefusal.json("invalid_client_metadata", "the body is no JSON object");
    }
    request.json(201, clients.register(metadata));
    return Future.succeededFuture();
  }

  /** The metadata of the authorization server (RFC 8414). */
  private Future<Void> metadata(SignInRequest request) {
    String base = request.own().base();
    JsonArray none = new JsonArray().add("none");
    JsonObject document =
        new JsonObject()
            .put("issuer", base)
            .put("authorization_endpoint", base + "/oauth/authorize")
            .put("token_endpoint", base + "/oauth/token")
            .put("revocation_endpoint", base + "/oauth/revoke")
            .put("device_authorization_endpoint", base + "/oauth/device_authorization")
            .put("jwks_uri", base + "/oauth/jwks")
            .put("response_types_supported", new JsonArray().add("code"))
            .put("response_modes_supported", new JsonArray().add("query"))
            .put(
                "grant_types_supported",
                new JsonArray()
                    .add(SignInClient.CODE_GRANT)
                    .add(SignInClient.REFRESH_GRANT)
                    .add(SignInClient.DEVICE_GRANT))
            .put("token_endpoint_auth_methods_supported", none)
            .put("revocation_endpoint_auth_methods_supported", none)
            .put("code_challenge_methods_supported", new JsonArray().add("S256"))
            .put("authorization_response_iss_parameter_supported", true)
            .put("client_id_metadata_document_supported", !options.clientIds().isEmpty());
    if (options.registration()) {
      document.put("registration_endpoint", base + "/oauth/register");
    }
    if (MountPath.OPENID_CONFIGURATION.owns(String.valueOf(request.http().path()))) {
      // What clients that know this document alone expect; there are no id tokens.
      document
          .put("subject_types_supported", new JsonArray().add("public"))
          .put("id_token_signing_alg_values_supported", new JsonArray().add("EdDSA"));
    }
    return shown(request, document);
  }
}
