package dev.mcpbus.security;

import dev.mcpbus.security.PresentedCredential.CredentialHolder;
import dev.mcpbus.security.RateLimiter.Place;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates each HTTP request and admits or refuses it: unknown credentials, missing scopes,
 * exceeded limits. Runs after the {@link OriginGuard} and before every route. Confined to the
 * context of one HTTP server.
 */
public final class AdmissionControl {

  /** Only the owner of such a token learns this: its signature is valid. */
  private static final String BOUND_TOKEN =
      "the token is bound to a key (\"cnf\"), and mcpbus verifies no proofs of keys: get a token"
          + " without DPoP and without a client certificate";

  private static final String BEARER = "bearer ";
  private static final CharSequence KEY = HttpHeaders.createOptimized("X-Api-Key");

  private final AccessControl control;
  private final TokenVerifiers tokens;

  AdmissionControl(Vertx vertx, AccessControl control) {
    this.control = control;
    this.tokens = new TokenVerifiers(vertx, control);
  }

  /** Whether requests without credentials are refused. */
  public boolean isRequired() {
    return control.isRequired();
  }

  public Audit audit() {
    return control.audit();
  }

  /**
   * Answers a request for the protected resource metadata (RFC 9728), which needs no credential.
   * False, without an answer, for other requests.
   */
  public boolean answers(HttpServerRequest request) {
    if (!MountPath.PROTECTED_RESOURCE.owns(String.valueOf(request.path()))) {
      return false;
    }
    JsonObject document = control.state().resource().document(request);
    HttpServerResponse response = request.response();
    if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
      response.putHeader("Allow", "GET, HEAD");
      RefusalResponse.send(request, 405, RefusalCode.BAD_REQUEST, "Method Not Allowed", "use GET");
    } else if (document == null) {
      RefusalResponse.send(
          request, 404, RefusalCode.BAD_REQUEST, "Not Found", "no tokens are taken here");
    } else {
      response
          .putHeader("Content-Type", "application/json")
          .end(document.toBuffer().appendString("\n"));
    }
    return true;
  }

  /**
   * Admits a request, or answers it with a problem document: 401 for an unknown or missing
   * credential, 403 for a token without the required scopes, 429 above the limits.
   *
   * @return null if this method has answered the request; never fails
   */
  public Future<@Nullable Admission> admit(HttpServerRequest request) {
    AuthState state = control.state();
    List<String> headers = bearers(request);
    List<String> keyHeaders = all(request, KEY);
    if (!isRequired() && !mentionsKey(headers) && !mentionsKey(keyHeaders)) {
      return enter(request, state, PresentedCredential.None.SHOWN);
    }
    if (headers.isEmpty() && keyHeaders.isEmpty()) {
      return Future.succeededFuture(unknown(request, state, null));
    }
    String credential = credential(headers, keyHeaders);
    if (credential == null) {
      return Future.succeededFuture(unknown(request, state, "invalid_token"));
    }
    OwnTokens own = state.options().signIn() == null ? null : control.ownTokens();
    if (own != null && !credential.startsWith(ApiKeys.PREFIX) && own.isOurs(request, credential)) {
      return own.verify(request, credential)
          .otherwise((OwnTokens.IssuedToken) null)
          .compose(
              issued ->
                  issued == null
                      ? Future.succeededFuture(unknown(request, state, "invalid_token"))
                      : enter(request, state, new PresentedCredential.SignInToken(issued, own)));
    }
    if (state.options().issuers().isEmpty() || credential.startsWith(ApiKeys.PREFIX)) {
      return enter(request, state, ApiKeys.credential(credential));
    }
    return tokens
        .claims(state, credential)
        .compose(
            claims -> {
              TokenRules rules = claims == null ? null : state.rules(claims);
              if (claims != null && TokenRules.isBound(claims)) {
                return Future.succeededFuture(
                    unknown(request, state, "invalid_token", BOUND_TOKEN));
              }
              return claims == null || rules == null || !rules.hasBegun(claims, control.now())
                  ? Future.succeededFuture(unknown(request, state, "invalid_token"))
                  : enter(request, state, new PresentedCredential.Token(claims));
            });
  }

  /**
   * Who is at a browser that has not been admitted: for pages that people open, which carry no
   * credential.
   *
   * @param typed the key or token that the person has typed in; null for none: then the one that
   *     the request carries
   * @return null for nobody that is known here; does not fail for a wrong credential
   */
  public Future<@Nullable Principal> identify(HttpServerRequest request, @Nullable String typed) {
    AuthState state = control.state();
    List<String> headers = bearers(request);
    List<String> keys = all(request, KEY);
    if (typed == null && !isRequired() && !mentionsKey(headers) && !mentionsKey(keys)) {
      return Future.succeededFuture(Principal.LOCAL);
    }
    String shown = typed == null ? credential(headers, keys) : typed;
    if (shown == null || state.options().issuers().isEmpty() || shown.startsWith(ApiKeys.PREFIX)) {
      return Future.succeededFuture(
          shown == null ? null : valid(ApiKeys.credential(shown).in(state)));
    }
    return tokens
        .claims(state, shown)
        .map(
            claims -> {
              TokenRules rules = claims == null ? null : state.rules(claims);
              return claims == null
                      || TokenRules.isBound(claims)
                      || rules == null
                      || !rules.hasBegun(claims, control.now())
                  ? null
                  : valid(new PresentedCredential.Token(claims).in(state));
            });
  }

  private @Nullable Principal valid(@Nullable CredentialHolder holder) {
    return holder == null || isOver(holder) || !holder.hasScopes() ? null : holder.principal();
  }

  /**
   * Whether the request shows a key with the admin right. It is not admitted: for a door that is
   * open to everybody, and tells administrators more.
   */
  public boolean isAdminKey(HttpServerRequest request) {
    String shown = credential(bearers(request), all(request, KEY));
    if (shown == null || !shown.startsWith(ApiKeys.PREFIX)) {
      return false;
    }
    AuthState state = control.state();
    CredentialHolder holder = ApiKeys.credential(shown).in(state);
    return holder != null
        && !isOver(holder)
        && state.policy().rights(holder.principal()).allows(Action.ADMIN, "", "");
  }

  /** What stands in {@code Authorization}, or in its place in the handshake of a page's socket. */
  private static List<String> bearers(HttpServerRequest request) {
    List<String> headers = all(request, HttpHeaders.AUTHORIZATION);
    List<String> offered = SocketCredential.of(request);
    return offered.isEmpty() ? headers : Stream.concat(headers.stream(), offered.stream()).toList();
  }

  /** Without a copy of the headers: most requests have no credential. */
  private static List<String> all(HttpServerRequest request, CharSequence header) {
    return request.headers().contains(header) ? request.headers().getAll(header) : List.of();
  }

  /**
   * Whether a header holds one of our keys. If no login is required, other credentials are ignored,
   * as they are meant for another service; a wrong key of ours must still be refused.
   */
  private static boolean mentionsKey(List<String> headers) {
    for (String text : headers) {
      if (text.contains(ApiKeys.PREFIX)) {
        return true;
      }
    }
    return false;
  }

  /** The only credential; null if there are several, or if it has another scheme than Bearer. */
  private static @Nullable String credential(List<String> authorization, List<String> key) {
    if (authorization.size() + key.size() != 1) {
      return null;
    }
    if (!key.isEmpty()) {
      return key.get(0).strip();
    }
    String text = authorization.get(0);
    return text.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? text.substring(BEARER.length()).strip()
        : null;
  }

  private Future<@Nullable Admission> enter(
      HttpServerRequest request, AuthState state, PresentedCredential credential) {
    CredentialHolder holder = credential.in(state);
    if (holder == null || isOver(holder)) {
      return Future.succeededFuture(unknown(request, state, "invalid_token"));
    }
    if (!holder.hasScopes()) {
      insufficient(request, state, holder.principal());
      return Future.succeededFuture();
    }
    return Future.succeededFuture(entered(request, state, credential, holder));
  }

  private boolean isOver(CredentialHolder holder) {
    return holder.until() != null && !control.now().isBefore(holder.until());
  }

  private @Nullable Admission entered(
      HttpServerRequest request,
      AuthState state,
      PresentedCredential credential,
      CredentialHolder holder) {
    Principal principal = holder.principal();
    Place place = control.rateLimiter().enter(principal);
    if (place.isFree()) {
      Rights rights = state.policy().rights(principal);
      return new Admission(control, credential, holder, rights, state, request, place.end());
    }
    audit().refused(request, principal, RefusalCode.RATE_LIMITED);
    RefusalResponse.later(request, place.retryMillis());
    return null;
  }

  private @Nullable Admission unknown(
      HttpServerRequest request, AuthState state, @Nullable String error) {
    return unknown(
        request,
        state,
        error,
        isRequired()
            ? "send Authorization: Bearer with a key or a token that is good here"
            : "the key is not good here; the admin token is another one after each start of mcpbus");
  }

  private @Nullable Admission unknown(
      HttpServerRequest request, AuthState state, @Nullable String error, String remedy) {
    audit().refused(request, null, RefusalCode.UNAUTHORIZED);
    request
        .response()
        .putHeader(
            "WWW-Authenticate", state.resource().challenge(request, error, state.requiredScopes()));
    RefusalResponse.send(request, 401, RefusalCode.UNAUTHORIZED, "Credentials are wanted.", remedy);
    return null;
  }

  private void insufficient(HttpServerRequest request, AuthState state, Principal principal) {
    audit().refused(request, principal, RefusalCode.FORBIDDEN);
    TokenRules rules = state.rules(principal);
    challenge(request, state, rules == null ? Set.of() : rules.issuer().requiredScopes());
    RefusalResponse.send(
        request,
        403,
        RefusalCode.FORBIDDEN,
        "Not allowed.",
        "the token has not all scopes that are needed");
  }

  /** The detail of a refusal that only the admin right would lift. */
  public String adminRemedy() {
    return isRequired()
        ? "this needs the admin right"
        : "this needs the admin token: mcpbus shows at its start where it is; send it as"
            + " Authorization: Bearer";
  }

  /** Adds to a 403 the challenge that names the admin scopes, if the caller came with a token. */
  public void challengeAdmin(HttpServerRequest request, Principal principal) {
    AuthState state = control.state();
    TokenRules rules = state.rules(principal);
    if (rules != null) {
      challenge(request, state, rules.issuer().adminScopes());
    }
  }

  private static void challenge(HttpServerRequest request, AuthState state, Set<String> scopes) {
    request
        .response()
        .putHeader(
            "WWW-Authenticate", state.resource().challenge(request, "insufficient_scope", scopes));
  }
}
