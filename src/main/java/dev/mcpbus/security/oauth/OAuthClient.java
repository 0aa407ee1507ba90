package dev.mcpbus.security.oauth;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import dev.mcpbus.security.oauth.TokenGrants.DiscoveredServers;
import dev.mcpbus.security.oauth.TokenGrants.Obtained;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
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
import java.util.concurrent.ConcurrentHashMap;
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

  /** If the server refuses two new tokens in a row, it gets no further one for this long. */
  private static final Duration FRESH = Duration.ofSeconds(30);

  /** Renewals that may follow each other within {@link #FRESH} without a pause. */
  private static final int RAPID = 5;

  private static final long RAPID_PAUSE_MILLIS = 1_000;

  /**
   * After a failure that a retry cannot mend, this client repeats that failure for this long, or
   * until the caller comes in with another token.
   */
  private static final Duration QUIET = Duration.ofSeconds(10);

  /** How long a request waits for a person to log in; the login itself continues. */
  private static final Duration PATIENCE = Duration.ofSeconds(25);

  /**
   * The dependencies of a client.
   *
   * @param logins where the principal logs in for whom the client is; null where mcpbus itself
   *     does, through {@code prompt}, at a port of this machine
   * @param caller the present token of the caller for whom the client is; null for none
   * @param clock for the expiry of tokens
   * @param requestTimeout of one request to an authorization server
   * @param loginTimeout how long a person may take to log in
   */
  public record Environment(
      Vertx vertx,
      TokenStore store,
      LoginPrompt prompt,
      @Nullable PrincipalLogins logins,
      Supplier<Future<@Nullable Sensitive>> caller,
      HostResolver resolver,
      InstantSource clock,
      Duration requestTimeout,
      Duration loginTimeout) {

    /** The environment of a client that acts for no caller. */
    public Environment(
        Vertx vertx,
        TokenStore store,
        LoginPrompt prompt,
        HostResolver resolver,
        InstantSource clock,
        Duration requestTimeout,
        Duration loginTimeout) {
      this(
          vertx,
          store,
          prompt,
          null,
          Future::succeededFuture,
          resolver,
          clock,
          requestTimeout,
          loginTimeout);
    }

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

    /**
     * The environment for one caller.
     *
     * @param pages where it logs in
     * @param token its present token; null for none
     */
    public Environment ofCaller(
        PrincipalLogins pages, Supplier<Future<@Nullable Sensitive>> token) {
      return new Environment(
          vertx,
          store,
          (server, page, within) -> {}, // whoever opens that page decides whose the tokens are
          pages,
          token,
          resolver,
          clock,
          requestTimeout,
          loginTimeout);
    }

    public Environment with(TokenStore otherStore, LoginPrompt otherPrompt) {
      return new Environment(
          vertx,
          otherStore,
          otherPrompt,
          logins,
          caller,
          resolver,
          clock,
          requestTimeout,
          loginTimeout);
    }
  }

  private static final String AUTHORIZATION = "Authorization";
  private static final String BEARER = "Bearer ";
  private static final String DPOP = "DPoP";

  private final OAuthSettings settings;
  private final Environment environment;
  private final OAuthDiscovery discovery;
  private final TokenGrants grants;
  private final InternalContext context;
  private final Future<Void> loaded;
  private volatile StoredAuthorization state = StoredAuthorization.EMPTY;
  private volatile @Nullable String nonce;
  private volatile @Nullable Sensitive untried;
  private @Nullable Future<Boolean> running;
  private @Nullable Instant renewed;
  private int refused;
  private int rapid;
  private @Nullable OAuthException failure;
  private Instant failedAt = Instant.EPOCH;

  /** The caller's token at the last exchange; null for none. */
  private @Nullable Sensitive subject;

  /**
   * @param proxy of the server's entry, as in {@code HttpOptions}; null for that of the environment
   */
  public OAuthClient(OAuthSettings settings, Environment environment, @Nullable Sensitive proxy) {
    this.settings = settings;
    this.environment = environment;
    this.context = InternalContext.create(environment.vertx());
    UrlGuard guard = new UrlGuard(trusted(settings), environment.resolver());
    GuardedHttp http = new GuardedHttp(environment.vertx(), environment.requestTimeout(), proxy);
    this.discovery = new OAuthDiscovery(http, guard, settings);
    this.grants =
        new TokenGrants(
            environment.vertx(),
            guard,
            settings,
            new ClientRegistrar(http, guard, settings),
            new TokenEndpoint(
                environment.vertx(),
                http,
                guard,
                settings,
                environment.clock(),
                new ConcurrentHashMap<>()),
            environment.prompt(),
            environment.logins(),
            environment.caller(),
            environment.clock(),
            environment.loginTimeout());
    this.loaded = load();
  }

  private static List<URI> trusted(OAuthSettings settings) {
    List<URI> trusted = new ArrayList<>();
    trusted.add(settings.server());
    if (settings.options().issuer() != null) {
      trusted.add(settings.options().issuer());
    }
    if (settings.options().idJag() != null) {
      trusted.add(settings.options().idJag().tokenEndpoint());
    }
    return trusted;
  }

  /** Completes when the tokens of the store are read, or cannot be. */
  public Future<Void> loaded() {
    return loaded;
  }

  private Future<Void> load() {
    return environment
        .store()
        .load(settings.key())
        .map(found -> StoredAuthorization.of(found, settings.issuer()))
        .onSuccess(found -> state = found)
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
        || (tokens.refresh() == null
            && settings.options().grant() == OAuthGrant.AUTHORIZATION_CODE)) {
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
                tokens.refresh() != null
                    ? refresh(place, tokens)
                    : alone(place, Set.of(), () -> obtain(place, tokens.scopes())))
        .recover(
            why ->
                OAuthException.reason(why) == OAuthFailure.FAILING
                    ? Future.succeededFuture(false)
                    : ifDenied(why, () -> save(state.withTokens(null)).map(false)));
  }

  /**
   * Ends the use of tokens that somebody has removed from the store: no request carries them any
   * more, and the authorization server takes them back.
   */
  public void forgetRemoved() {
    context.run(
        () ->
            loaded
                .compose(nothing -> environment.store().load(settings.key()))
                .onSuccess(
                    kept -> {
                      if (kept == null || kept.isEmpty()) {
                        forget();
                      }
                    }));
  }

  private void forget() {
    StoredAuthorization had = state;
    state = StoredAuthorization.EMPTY;
    OAuthTokens tokens = had.tokens();
    if (tokens != null) {
      discovery
          .server(tokens.issuer())
          .compose(server -> grants.revoke(server, tokens, had.client()))
          .onFailure(
              why ->
                  LOG.warn(
                      "{} was not asked to take tokens back: {}",
                      settings.origin(),
                      why instanceof OAuthException known ? known.reason() : why.getClass()));
    }
  }

  private static Future<Boolean> ifDenied(Throwable why, Supplier<Future<Boolean>> next) {
    OAuthFailure reason = OAuthException.reason(why);
    return reason == OAuthFailure.DENIED || reason == OAuthFailure.CLIENT_FORGOTTEN
        ? next.get()
        : Future.failedFuture(why);
  }

  /**
   * The MCP server has accepted a request: its token is good, so a later refusal of it is a reason
   * to renew it.
   *
   * @param sent the {@code Authorization} header that the request carried
   */
  public void accepted(Sensitive sent) {
    Sensitive last = untried;
    if (last != null && last.equals(token(sent))) {
      synchronized (this) {
        untried = null;
        refused = 0;
      }
    }
  }

  private static Sensitive token(Sensitive header) {
    return Sensitive.of(header.reveal().replaceFirst("^\\S+ ", ""));
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
    Sensitive token = sent == null ? null : token(sent);
    return loaded.compose(nothing -> withTimeout(decide(status, challenge, token)));
  }

  private Future<Boolean> withTimeout(Future<Boolean> outcome) {
    if (settings.options().grant() != OAuthGrant.AUTHORIZATION_CODE || outcome.isComplete()) {
      return outcome;
    }
    PrincipalLogins logins = environment.logins();
    if (logins != null) {
      return logins.unlessWaiting(outcome);
    }
    return outcome
        .timeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .recover(
            why ->
                why instanceof TimeoutException
                    ? OAuthFailure.LOGIN_REQUIRED.fails(
                        "a person has to log in: \"mcpbus login\" with the server's name shows the"
                            + " page, as do the log and GET /api/logins of the node that runs it")
                    : Future.failedFuture(why));
  }

  private synchronized Future<Boolean> decide(
      int status, TokenChallenge challenge, @Nullable Sensitive sent) {
    if (running != null) {
      return running;
    }
    Instant now = environment.clock().instant();
    OAuthTokens tokens = state.tokens();
    if (tokens != null && !tokens.access().equals(sent)) {
      return Future.succeededFuture(true);
    }
    if (tokens != null && tokens.key() != null && challenge.error() != null) {
      if (challenge.error().equals("use_dpop_nonce")) {
        return Future.succeededFuture(nonce != null);
      }
      if (challenge.error().equals("invalid_dpop_proof")) {
        return OAuthFailure.INVALID.fails(
            "the server refuses the proof of the token's key (invalid_dpop_proof): check this"
                + " machine's clock, and that \"url\" is the server's own name for itself");
      }
    }
    if (status == 403) {
      Set<String> before = requested(tokens);
      if (challenge.scope() == null || before.containsAll(challenge.scope())) {
        return Future.succeededFuture(false);
      }
      return share(() -> place(challenge).compose(place -> obtain(place, challenge, before)));
    }
    boolean soon = renewed != null && now.isBefore(renewed.plus(FRESH));
    boolean fresh = soon && tokens != null && tokens.access().equals(untried);
    refused = fresh ? refused + 1 : 0;
    rapid = soon ? rapid + 1 : 0;
    boolean again = refused < 2;
    long pause = again && rapid > RAPID ? RAPID_PAUSE_MILLIS : 0;
    return share(
        () ->
            (pause == 0 ? Future.succeededFuture() : environment.vertx().timer(pause))
                .compose(turn -> place(challenge))
                .compose(place -> renew(place, challenge, fresh, again)));
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

  /**
   * Obtains a token in place of the refused one.
   *
   * @param fresh whether the server never accepted the refused one: then no person is asked to log
   *     in again for it
   * @param again false if the server refuses new tokens: it gets another one only if it now names
   *     another issuer
   * @return whether there is another token now
   */
  private Future<Boolean> renew(
      DiscoveredServers place, TokenChallenge challenge, boolean fresh, boolean again) {
    OAuthTokens tokens = state.tokens();
    boolean same = tokens != null && IssuerKeys.isSame(tokens.issuer(), place.server().issuer());
    if (tokens == null || !same) {
      return obtain(place, challenge, Set.of());
    }
    boolean refreshable =
        tokens.refresh() != null && (tokens.key() == null || place.dpop() != DpopUse.NONE);
    boolean person = fresh && settings.options().grant() == OAuthGrant.AUTHORIZATION_CODE;
    if (!again || (person && !refreshable)) {
      return Future.succeededFuture(false);
    }
    Future<Boolean> renewed =
        refreshable
            ? refresh(place, tokens)
                .recover(
                    why ->
                        OAuthException.reason(why) == OAuthFailure.FAILING && !person
                            ? obtain(place, challenge, Set.of())
                            : ifDenied(
                                why,
                                () ->
                                    save(state.withTokens(tokens.withoutRefresh()))
                                        .compose(
                                            saved ->
                                                person
                                                    ? Future.succeededFuture(false)
                                                    : obtain(place, challenge, Set.of()))))
            : obtain(place, challenge, Set.of());
    return renewed.map(
        done -> {
          OAuthTokens now = state.tokens();
          return done && now != null && !now.access().equals(tokens.access());
        });
  }

  private Future<Boolean> refresh(DiscoveredServers place, OAuthTokens tokens) {
    return alone(
        place,
        Set.of(),
        () ->
            grants
                .refresh(place, tokens, Objects.requireNonNull(tokens.refresh()), state.client())
                .recover(this::forgetting)
                .compose(obtained -> keep(obtained, state.requested())));
  }

  /**
   * Runs {@code work} under the store's lock, unless another process or node has stored other
   * tokens of this server by then, or by the time {@code work} is denied.
   *
   * @param scopes that the other tokens must have
   */
  private Future<Boolean> alone(
      DiscoveredServers place, Set<String> scopes, Supplier<Future<Boolean>> work) {
    OAuthTokens before = state.tokens();
    Supplier<Future<Boolean>> adopted = () -> adopt(before, place.server().issuer(), scopes);
    return environment
        .store()
        .alone(
            settings.key(),
            () ->
                or(
                    adopted.get(),
                    () ->
                        work.get()
                            .recover(
                                why ->
                                    or(ifDenied(why, adopted), () -> Future.failedFuture(why)))));
  }

  private static Future<Boolean> or(Future<Boolean> first, Supplier<Future<Boolean>> next) {
    return first.compose(done -> done ? Future.succeededFuture(true) : next.get());
  }

  private Future<Boolean> adopt(@Nullable OAuthTokens before, String issuer, Set<String> scopes) {
    return environment
        .store()
        .load(settings.key())
        .otherwiseEmpty()
        .map(
            found -> {
              StoredAuthorization stored = StoredAuthorization.of(found, settings.issuer());
              OAuthTokens other = stored.tokens();
              boolean good =
                  other != null
                      && (before == null || !other.access().equals(before.access()))
                      && IssuerKeys.isSame(other.issuer(), issuer)
                      && other.scopes().containsAll(scopes)
                      && !other.expired(environment.clock().instant());
              if (good) {
                state = stored;
              }
              return good;
            });
  }

  private Future<Boolean> obtain(
      DiscoveredServers place, TokenChallenge challenge, Set<String> before) {
    return alone(
        place,
        before.isEmpty() || challenge.scope() == null ? Set.of() : challenge.scope(),
        () ->
            obtain(
                place,
                ScopeSelection.select(
                    challenge, before, settings, place.resource(), place.server())));
  }

  /** Where the authorization server has forgotten this client, registers it anew, once. */
  private Future<Boolean> obtain(DiscoveredServers place, Set<String> scopes) {
    RegisteredClient client = state.client();
    return grants
        .obtain(place, scopes, client)
        .recover(
            why ->
                client == null
                    ? Future.failedFuture(why)
                    : forgetting(why)
                        .recover(
                            same ->
                                OAuthException.reason(why) == OAuthFailure.CLIENT_FORGOTTEN
                                    ? grants.obtain(place, scopes, null)
                                    : Future.failedFuture(why)))
        .compose(obtained -> keep(obtained, scopes));
  }

  /**
   * Forgets the registration if the authorization server does not know it any more, or if the
   * person did not come back from its login page, which then may have said so: unless there is a
   * refresh token, which is of use to this registration alone. Fails with {@code why}.
   */
  private Future<Obtained> forgetting(Throwable why) {
    OAuthFailure reason = OAuthException.reason(why);
    OAuthTokens tokens = state.tokens();
    boolean renews = tokens != null && tokens.refresh() != null;
    return reason == OAuthFailure.CLIENT_FORGOTTEN
            || (reason == OAuthFailure.LOGIN_REQUIRED && !renews)
        ? save(state.withoutClient()).compose(saved -> Future.failedFuture(why))
        : Future.failedFuture(why);
  }

  private Future<Boolean> keep(Obtained obtained, Set<String> requested) {
    RegisteredClient client = obtained.client().registered() ? obtained.client() : null;
    // Without the caller there is no further token for it: its own token decides each time.
    OAuthTokens tokens =
        settings.options().isOfCaller() ? obtained.tokens().withoutRefresh() : obtained.tokens();
    synchronized (this) {
      renewed = environment.clock().instant();
      untried = tokens.access();
    }
    return save(new StoredAuthorization(tokens, client, tokens.issuer(), Set.copyOf(requested)))
        .map(true);
  }

  private Future<Void> save(StoredAuthorization next) {
    state = next;
    return environment
        .store()
        .save(settings.key(), next.toJson())
        .onFailure(why -> LOG.warn("cannot store tokens for {}: {}", settings, why.getMessage()))
        .otherwiseEmpty();
  }

  private synchronized Future<Boolean> share(Supplier<Future<Boolean>> work) {
    if (running != null) {
      return running;
    }
    OAuthException last = failure;
    boolean quiet = last != null && environment.clock().instant().isBefore(failedAt.plus(QUIET));
    if (last != null && quiet && !settings.options().isOfCaller()) {
      return Future.failedFuture(last);
    }
    Promise<Boolean> promise = Promise.promise();
    running = promise.future();
    context.run(
        () ->
            environment
                .caller()
                .get()
                .otherwiseEmpty() // the work fails for the same reason
                .compose(
                    token -> {
                      boolean same = isSubject(token);
                      return last != null && quiet && same
                          ? repeated(last)
                          : work.get().onComplete((outcome, why) -> finished(why));
                    })
                .onComplete(promise));
    return promise.future();
  }

  /** Whether the caller's token is still that of the last exchange; notes it. */
  private synchronized boolean isSubject(@Nullable Sensitive token) {
    boolean same = Objects.equals(subject, token);
    subject = token;
    return same;
  }

  private synchronized Future<Boolean> repeated(OAuthException last) {
    running = null;
    return Future.failedFuture(last);
  }

  private synchronized void finished(@Nullable Throwable why) {
    running = null;
    PrincipalLogins logins = environment.logins();
    // After a page has waited, the next call may have another: the person decides how often.
    boolean person = logins != null && logins.isWaiting();
    boolean lasting = why instanceof OAuthException known && !known.reason().passes() && !person;
    failure = lasting ? (OAuthException) why : null;
    failedAt = environment.clock().instant();
    if (why != null) {
      // The connection reports the message. Not logged: the server may quote secrets in it.
      LOG.warn(
          "no token for {}: {}; the status of the server says why",
          settings.origin(),
          why instanceof OAuthException known ? known.reason() : why.getClass().getSimpleName());
    }
    if (logins != null) {
      logins.finished(why);
    }
  }

  /** Names the server and nothing else. */
  @Override
  public String toString() {
    return settings.toString();
  }
}
