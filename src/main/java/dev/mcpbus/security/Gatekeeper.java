package dev.mcpbus.security;

import dev.mcpbus.security.Audit.Decision;
import dev.mcpbus.security.AuthOptions.Jwt;
import dev.mcpbus.security.Turnstile.Place;
import dev.mcpbus.security.oauth.HostResolver;
import dev.mcpbus.security.oauth.IssuerKeys;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out who sends a request, and refuses who is nobody, may not come in, or asks for too much.
 * Confined to the context of one HTTP server; comes after the {@link OriginGuard} and before any
 * route.
 */
public final class Gatekeeper {

  private static final String BEARER = "bearer ";
  private static final String KEY = "X-Api-Key";

  /**
   * A request that may go on.
   *
   * @param end to be run when its response has ended or its connection is gone; idempotent
   */
  public record Entry(Principal principal, Rights rights, Runnable end) {}

  private final AuthOptions options;
  private final AccessPolicy policy;
  private final Audit audit;
  private final ApiKeys keys;
  private final @Nullable Tokens tokens;
  private final Turnstile turnstile;
  private final ProtectedResource resource;
  private final Set<String> required;
  private final Set<String> admin;

  /**
   * @param policy the same for all doors
   * @param clock for expiry
   * @param nanos for rates and for how long keys of an issuer are kept
   */
  public Gatekeeper(
      Vertx vertx,
      AuthOptions options,
      AccessPolicy policy,
      Audit audit,
      InstantSource clock,
      LongSupplier nanos) {
    this(vertx, options, policy, audit, clock, nanos, throttle(options, nanos));
  }

  private static Throttle throttle(AuthOptions options, LongSupplier nanos) {
    return new Throttle(options.limits(), options.apiKeys(), nanos);
  }

  /** Makes one for each HTTP verticle of a service; what a caller asks of all counts together. */
  public static Function<Vertx, Gatekeeper> several(
      AuthOptions options,
      AccessPolicy policy,
      Audit audit,
      InstantSource clock,
      LongSupplier nanos) {
    return several(options, policy, audit, clock, nanos, throttle(options, nanos));
  }

  /**
   * The same.
   *
   * @param turnstile holds the limits, of several nodes together
   */
  public static Function<Vertx, Gatekeeper> several(
      AuthOptions options,
      AccessPolicy policy,
      Audit audit,
      InstantSource clock,
      LongSupplier nanos,
      SharedThrottle turnstile) {
    return several(options, policy, audit, clock, nanos, (Turnstile) turnstile);
  }

  private static Function<Vertx, Gatekeeper> several(
      AuthOptions options,
      AccessPolicy policy,
      Audit audit,
      InstantSource clock,
      LongSupplier nanos,
      Turnstile turnstile) {
    return vertx -> new Gatekeeper(vertx, options, policy, audit, clock, nanos, turnstile);
  }

  private Gatekeeper(
      Vertx vertx,
      AuthOptions options,
      AccessPolicy policy,
      Audit audit,
      InstantSource clock,
      LongSupplier nanos,
      Turnstile turnstile) {
    Jwt jwt = options.jwt();
    this.options = options;
    this.policy = policy;
    this.audit = audit;
    this.keys = new ApiKeys(options.apiKeys(), clock);
    this.turnstile = turnstile;
    this.resource = new ProtectedResource(jwt);
    this.required = jwt == null ? Set.of() : jwt.requiredScopes();
    this.admin = jwt == null ? Set.of() : jwt.adminScopes();
    if (jwt == null) {
      this.tokens = null;
    } else {
      IssuerKeys issuer =
          new IssuerKeys(vertx, jwt.issuer(), jwt.jwks(), HostResolver.system(vertx));
      this.tokens = new Tokens(jwt, new KeyRing(vertx, issuer::fetch, nanos), clock);
    }
  }

  /** Lets everybody in, as {@link Principal#LOCAL}. */
  public static Gatekeeper open(Vertx vertx) {
    return new Gatekeeper(
        vertx,
        AuthOptions.NONE,
        AccessPolicy.OPEN,
        Audit.off(),
        InstantSource.system(),
        System::nanoTime);
  }

  /** Whether callers have to say who they are. */
  public boolean isRequired() {
    return options.isRequired();
  }

  public Audit audit() {
    return audit;
  }

  /** Answers what is for everybody: how to get a token. False where the request is another one. */
  public boolean answers(HttpServerRequest request) {
    if (!ProtectedResource.owns(String.valueOf(request.path()))) {
      return false;
    }
    JsonObject document = resource.document(request);
    HttpServerResponse response = request.response();
    if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
      response.putHeader("Allow", "GET, HEAD");
      Refusal.send(request, 405, "BAD_REQUEST", "Method Not Allowed", "use GET");
    } else if (document == null) {
      Refusal.send(request, 404, "BAD_REQUEST", "Not Found", "no tokens are taken here");
    } else {
      response.putHeader("Content-Type", "application/json").end(document.toBuffer());
    }
    return true;
  }

  /**
   * Lets a request in, or answers it: 401 where nobody knows who it is, 403 where the token is for
   * less, 429 beyond the limits.
   *
   * @return null where the request has been answered; never fails
   */
  public Future<@Nullable Entry> admit(HttpServerRequest request) {
    long since = System.nanoTime();
    if (!isRequired()) {
      return enter(request, Principal.LOCAL, since);
    }
    List<String> headers = request.headers().getAll("Authorization");
    List<String> keyHeaders = request.headers().getAll(KEY);
    if (headers.isEmpty() && keyHeaders.isEmpty()) {
      return Future.succeededFuture(unknown(request, null, since));
    }
    String credential = credential(headers, keyHeaders);
    if (credential == null) {
      return Future.succeededFuture(unknown(request, "invalid_token", since));
    }
    Tokens bearer = tokens;
    if (bearer == null || credential.startsWith(ApiKeys.PREFIX)) {
      Principal found = keys.find(credential);
      return found == null
          ? Future.succeededFuture(unknown(request, "invalid_token", since))
          : enter(request, found, since);
    }
    return bearer
        .check(credential)
        .compose(
            good -> {
              if (good == null) {
                return Future.succeededFuture(unknown(request, "invalid_token", since));
              }
              if (!good.hasScopes()) {
                insufficient(request, good.principal(), required, since);
                return Future.succeededFuture();
              }
              return enter(request, good.principal(), since);
            });
  }

  /** The one credential; null where there are several, or it is of another scheme. */
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

  private Future<@Nullable Entry> enter(
      HttpServerRequest request, Principal principal, long since) {
    Future<Place> place = turnstile.enter(principal);
    return place.isComplete()
        ? Future.succeededFuture(entered(request, principal, since, place.result()))
        : place.map(one -> entered(request, principal, since, one));
  }

  private @Nullable Entry entered(
      HttpServerRequest request, Principal principal, long since, Place place) {
    if (place.isFree()) {
      return new Entry(principal, policy.rights(principal), place.end());
    }
    audit.line(principal, "connect", null, null, Decision.LIMIT, "RATE_LIMITED", since);
    Refusal.later(request, place.retryMillis());
    return null;
  }

  private @Nullable Entry unknown(HttpServerRequest request, @Nullable String error, long since) {
    audit.line(null, "connect", null, null, Decision.UNKNOWN, "UNAUTHORIZED", since);
    request.response().putHeader("WWW-Authenticate", resource.challenge(request, error, required));
    Refusal.send(
        request,
        401,
        "UNAUTHORIZED",
        "Credentials are wanted.",
        "send Authorization: Bearer with a key or a token that is good here");
    return null;
  }

  private void insufficient(
      HttpServerRequest request, Principal principal, Set<String> scopes, long since) {
    audit.line(principal, "connect", null, null, Decision.DENY, "FORBIDDEN", since);
    challenge(request, scopes);
    Refusal.send(
        request, 403, "FORBIDDEN", "Not allowed.", "the token has not all scopes that are needed");
  }

  /** Puts on a 403 what a client with a token can do about it. */
  public void challengeAdmin(HttpServerRequest request, Principal principal) {
    if (tokens != null && principal.name().startsWith(Tokens.PREFIX)) {
      challenge(request, admin);
    }
  }

  private void challenge(HttpServerRequest request, Set<String> scopes) {
    request
        .response()
        .putHeader("WWW-Authenticate", resource.challenge(request, "insufficient_scope", scopes));
  }
}
