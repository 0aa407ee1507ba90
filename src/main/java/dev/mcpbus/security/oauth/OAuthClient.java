package dev.mcpbus.security.oauth;

import dev.mcpbus.internals.OwnContext;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import dev.mcpbus.security.oauth.TokenGrants.DiscoveredServers;
import dev.mcpbus.security.oauth.TokenGrants.Obtained;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Obtains, renews and stores the tokens for one MCP server. Only one exchange with the
 * authorization server runs at a time; concurrent callers share its outcome, because some servers
 * revoke everything if a refresh token is used twice. Any thread may call; futures complete on any
 * thread. Exchanges run on a context of their own: what a session's context opens ends with it.
 */
public final class OAuthClient {

  private static final Logger LOG = LoggerFactory.getLogger(OAuthClient.class);

  /** If the server refuses a token younger than this, it would refuse the next one as well. */
  private static final Duration FRESH = Duration.ofSeconds(30);

  /** After a failure that a retry cannot mend, this client repeats that failure for this long. */
  private static final Duration QUIET = Duration.ofSeconds(10);

  /** How long a request waits for a person to log in; the login itself continues. */
  private static final Duration PATIENCE = Duration.ofSeconds(25);

  /**
   * The dependencies of a client.
   *
   * @param clock for the expiry of tokens
   * @param requestTimeout of one request to an authorization server
   * @param loginTimeout how long a person may take to log in
   */
  public record Environment(
      Vertx vertx,
      TokenStore store,
      LoginPrompt prompt,
      HostResolver resolver,
      InstantSource clock,
      Duration requestTimeout,
      Duration loginTimeout) {

    /** With the system's resolver and clock and the default time-outs. */
    public static Environment of(Vertx vertx, TokenStore store, LoginPrompt prompt) {
      return new Environment(
          vertx,
          store,
          prompt,
          HostResolver.system(vertx),
          InstantSource.system(),
          GuardedHttp.TIMEOUT,
          TokenGrants.LOGIN_TIMEOUT);
    }
  }

  private static final String AUTHORIZATION = "Authorization";
  private static final String BEARER = "Bearer ";
  private static final String DPOP = "DPoP";

  private final OAuthSettings settings;
  private final Environment environment;
  private final OAuthDiscovery discovery;
  private final TokenGrants grants;
  private final OwnContext context;
  private final Future<Void> loaded;
  private volatile StoredAuthorization state = StoredAuthorization.EMPTY;
  private volatile @Nullable String nonce;
  private @Nullable Future<Boolean> running;
  private @Nullable Instant renewed;
  private @Nullable OAuthException failure;
  private Instant failedAt = Instant.EPOCH;

  public OAuthClient(OAuthSettings settings, Environment environment) {
    this.settings = settings;
    this.environment = environment;
    this.context = OwnContext.create(environment.vertx());
    UrlGuard guard = new UrlGuard(trusted(settings), environment.resolver());
    GuardedHttp http = new GuardedHttp(environment.vertx(), environment.requestTimeout());
    this.discovery = new OAuthDiscovery(http, guard, settings);
    this.grants =
        new TokenGrants(
            environment.vertx(),
            guard,
            settings,
            new ClientRegistrar(http, guard, settings),
            new TokenEndpoint(environment.vertx(), http, guard, settings, environment.clock()),
            environment.prompt(),
            environment.clock(),
            environment.loginTimeout());
    this.loaded = load();
  }

  private static List<URI> trusted(OAuthSettings settings) {
    List<URI> trusted = new ArrayList<>();
    trusted.add(settings.server());
    if (settings.issuer() != null) {
      trusted.add(URI.create(settings.issuer()));
    }
    if (settings.idJag() != null) {
      trusted.add(settings.idJag().tokenEndpoint());
    }
    return trusted;
  }

  private Future<Void> load() {
    return environment
        .store()
        .load(settings.key())
        .onSuccess(found -> state = StoredAuthorization.of(found, settings.issuer()))
        .onFailure(why -> LOG.warn("cannot load tokens for {}: {}", settings, why.getMessage()))
        .otherwiseEmpty()
        .mapEmpty();
  }

  /**
   * The headers of one request with the token to send now; empty if there is none. An expired token
   * is renewed first if no person is needed for that. A bound token comes with a proof for this
   * request, signed on a worker thread. Fails with an {@link OAuthException}.
   *
   * @param url of the request, without query and fragment; asked for where a proof names it
   */
  public Future<Map<String, Sensitive>> headers(String method, Supplier<String> url) {
    return tokens()
        .compose(
            tokens -> {
              if (tokens == null) {
                return Future.succeededFuture(Map.of());
              }
              String access = tokens.access().reveal();
              DpopKey key = tokens.key();
              return key == null
                  ? Future.succeededFuture(Map.of(AUTHORIZATION, Sensitive.of(BEARER + access)))
                  : proven(key, access, method, url.get());
            });
  }

  /** Ordered, so that requests of one context leave in the order in which they asked. */
  private Future<Map<String, Sensitive>> proven(
      DpopKey key, String access, String method, String url) {
    return environment
        .vertx()
        .executeBlocking(
            () ->
                Map.of(
                    AUTHORIZATION,
                    Sensitive.of(DPOP + " " + access),
                    DPOP,
                    Sensitive.of(
                        key.proof(method, url, environment.clock().instant(), access, nonce))));
  }

  /** Notes the nonce that the MCP server supplied last, for the next proofs. */
  public void nonce(String supplied) {
    nonce = supplied;
  }

  private Future<@Nullable OAuthTokens> tokens() {
    OAuthTokens tokens = state.tokens();
    if (tokens != null && !tokens.expired(environment.clock().instant())) {
      return Future.succeededFuture(tokens);
    }
    return loaded.compose(nothing -> unexpired());
  }

  private Future<@Nullable OAuthTokens> unexpired() {
    OAuthTokens tokens = state.tokens();
    if (tokens == null
        || !tokens.expired(environment.clock().instant())
        || (tokens.refresh() == null && settings.grant() == OAuthGrant.AUTHORIZATION_CODE)) {
      return Future.succeededFuture(tokens);
    }
    return share(() -> renewExpired(tokens)).map(renewed -> state.tokens());
  }

  /** Renews at the token's issuer; the server's metadata is read again only after a refusal. */
  private Future<Boolean> renewExpired(OAuthTokens tokens) {
    ResourceMetadata resource =
        new ResourceMetadata(tokens.resource(), List.of(tokens.issuer()), null);
    return discovery
        .server(tokens.issuer())
        .map(
            server ->
                new DiscoveredServers(
                    resource, server, tokens.key() == null ? DpopUse.NONE : DpopUse.DEMANDED))
        .compose(
            place ->
                tokens.refresh() != null ? refresh(place, tokens) : obtain(place, tokens.scopes()))
        .recover(why -> ifDenied(why, this::drop));
  }

  private static Future<Boolean> ifDenied(Throwable why, Supplier<Future<Boolean>> next) {
    return why instanceof OAuthException known && known.reason() == OAuthFailure.DENIED
        ? next.get()
        : Future.failedFuture(why);
  }

  /** Drops the token; the challenge of the next request names what is needed. */
  private Future<Boolean> drop() {
    state = state.withTokens(null);
    return save().map(false);
  }

  /**
   * Reacts to a refusal by the MCP server.
   *
   * @param status 401 or 403
   * @param header {@code WWW-Authenticate}, null if there is none
   * @param sent the {@code Authorization} header that the request carried, null for none
   * @return whether the caller should repeat the request; fails with an {@link OAuthException}
   */
  public Future<Boolean> challenged(int status, @Nullable String header, @Nullable Sensitive sent) {
    TokenChallenge challenge = TokenChallenge.parse(header);
    String token = sent == null ? null : sent.reveal().replaceFirst("^\\S+ ", "");
    return loaded.compose(nothing -> withTimeout(decide(status, challenge, token)));
  }

  private Future<Boolean> withTimeout(Future<Boolean> outcome) {
    if (settings.grant() != OAuthGrant.AUTHORIZATION_CODE || outcome.isComplete()) {
      return outcome;
    }
    return outcome
        .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .recover(
            why ->
                Future.failedFuture(
                    why instanceof TimeoutException
                        ? new OAuthException(
                            OAuthFailure.LOGIN_REQUIRED,
                            "a person has to log in: see the log for the URL")
                        : why));
  }

  private synchronized Future<Boolean> decide(
      int status, TokenChallenge challenge, @Nullable String sent) {
    if (running != null) {
      return running;
    }
    Instant now = environment.clock().instant();
    OAuthTokens tokens = state.tokens();
    if (tokens != null && !tokens.access().equals(Sensitive.ofNullable(sent))) {
      return Future.succeededFuture(true);
    }
    if (tokens != null && tokens.key() != null && challenge.error() != null) {
      if (challenge.error().equals("use_dpop_nonce")) {
        return Future.succeededFuture(nonce != null);
      }
      if (challenge.error().equals("invalid_dpop_proof")) {
        return Future.failedFuture(
            new OAuthException(
                OAuthFailure.INVALID,
                "the server refuses the proof of the token's key (invalid_dpop_proof): check this"
                    + " machine's clock, and that \"url\" is the server's own name for itself"));
      }
    }
    if (failure != null && now.isBefore(failedAt.plus(QUIET))) {
      return Future.failedFuture(failure);
    }
    if (status == 403) {
      Set<String> before = requested(tokens);
      if (challenge.scope() == null || before.containsAll(challenge.scope())) {
        return Future.succeededFuture(false);
      }
      return share(() -> place(challenge).compose(place -> obtain(place, challenge, before)));
    }
    if (tokens != null && renewed != null && now.isBefore(renewed.plus(FRESH))) {
      return share(() -> place(challenge).compose(place -> move(place, tokens, challenge)));
    }
    return share(() -> place(challenge).compose(place -> renew(place, challenge)));
  }

  /** A new token was refused: obtains another one only if the server now names another issuer. */
  private Future<Boolean> move(
      DiscoveredServers place, OAuthTokens tokens, TokenChallenge challenge) {
    return tokens.issuer().equals(place.server().issuer())
        ? Future.succeededFuture(false)
        : renew(place, challenge);
  }

  private Set<String> requested(@Nullable OAuthTokens tokens) {
    Set<String> before = new HashSet<>(state.requested());
    if (tokens != null) {
      before.addAll(tokens.scopes());
    }
    return before;
  }

  private Future<DiscoveredServers> place(TokenChallenge challenge) {
    return discovery.servers(challenge, state.issuer());
  }

  private Future<Boolean> renew(DiscoveredServers place, TokenChallenge challenge) {
    OAuthTokens tokens = state.tokens();
    if (tokens == null
        || tokens.refresh() == null
        || (tokens.key() != null && place.dpop() == DpopUse.NONE)
        || !tokens.issuer().equals(place.server().issuer())) {
      return obtain(place, challenge, Set.of());
    }
    return refresh(place, tokens)
        .recover(why -> ifDenied(why, () -> obtain(place, challenge, Set.of())));
  }

  /** Refreshes under the store's lock, or takes the tokens that another process has renewed. */
  private Future<Boolean> refresh(DiscoveredServers place, OAuthTokens tokens) {
    return environment.store().alone(settings.key(), () -> refreshAlone(place, tokens));
  }

  private Future<Boolean> refreshAlone(DiscoveredServers place, OAuthTokens tokens) {
    return environment
        .store()
        .load(settings.key())
        .otherwiseEmpty()
        .compose(
            found -> {
              StoredAuthorization stored = StoredAuthorization.of(found, settings.issuer());
              OAuthTokens other = stored.tokens();
              if (other != null
                  && !other.access().equals(tokens.access())
                  && other.issuer().equals(tokens.issuer())
                  && !other.expired(environment.clock().instant())) {
                state = stored;
                return Future.succeededFuture(true);
              }
              return grants
                  .refresh(place, tokens, Objects.requireNonNull(tokens.refresh()), state.client())
                  .compose(obtained -> keep(obtained, state.requested()));
            });
  }

  private Future<Boolean> obtain(
      DiscoveredServers place, TokenChallenge challenge, Set<String> before) {
    return obtain(
        place,
        ScopeSelection.select(challenge, before, settings, place.resource(), place.server()));
  }

  private Future<Boolean> obtain(DiscoveredServers place, Set<String> scopes) {
    return grants.obtain(place, scopes, state.client()).compose(obtained -> keep(obtained, scopes));
  }

  private Future<Boolean> keep(Obtained obtained, Set<String> requested) {
    RegisteredClient client = obtained.client().registered() ? obtained.client() : null;
    OAuthTokens tokens = obtained.tokens();
    state = new StoredAuthorization(tokens, client, tokens.issuer(), Set.copyOf(requested));
    synchronized (this) {
      renewed = environment.clock().instant();
    }
    return save().map(true);
  }

  private Future<Void> save() {
    JsonObject json = state.toJson();
    return environment
        .store()
        .save(settings.key(), json)
        .onFailure(why -> LOG.warn("cannot store tokens for {}: {}", settings, why.getMessage()))
        .otherwiseEmpty();
  }

  private synchronized Future<Boolean> share(Supplier<Future<Boolean>> work) {
    if (running != null) {
      return running;
    }
    Promise<Boolean> promise = Promise.promise();
    running = promise.future();
    context.run(
        () ->
            work.get()
                .onComplete(
                    (outcome, why) -> {
                      finished(why);
                      if (why == null) {
                        promise.complete(outcome);
                      } else {
                        promise.fail(why);
                      }
                    }));
    return promise.future();
  }

  private synchronized void finished(@Nullable Throwable why) {
    running = null;
    boolean lasting =
        why instanceof OAuthException known && known.reason() != OAuthFailure.UNREACHABLE;
    failure = lasting ? (OAuthException) why : null;
    failedAt = environment.clock().instant();
    if (why != null) {
      // The connection reports the message. Not logged: the server may quote secrets in it.
      LOG.warn(
          "no token for {}: {}; the status of the server says why",
          settings.origin(),
          why instanceof OAuthException known ? known.reason() : why.getClass().getSimpleName());
    }
  }

  /** Names the server and nothing else. */
  @Override
  public String toString() {
    return settings.toString();
  }
}
