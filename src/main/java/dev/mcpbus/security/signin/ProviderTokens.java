package dev.mcpbus.security.signin;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.TokenStore;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.InstantSource;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What is stored for each person who has signed in: which logins last, and the tokens that the
 * provider has given, which a server of callers exchanges. These are renewed before they expire,
 * once for all nodes. What is stored goes with the last login, or when an administrator removes all
 * of the principal: then no login lasts. Any thread may call.
 */
final class ProviderTokens {

  /** A token that is good for less time is renewed first. */
  private static final long MARGIN_SECONDS = 30;

  /** Where the provider does not say how long a token is good. */
  private static final long USUAL_SECONDS = 300;

  /** Logins of one person; the oldest ends for a new one. */
  static final int MOST = 100;

  private static final String RECEIVED = "received";
  private static final String REFRESH = "refresh_token";
  private static final String LOGINS = "logins";

  /** The provider has taken the person's login back. */
  private static final String REFUSED = "refused";

  private final TokenStore store;
  private final ProviderLogin provider;
  private final InternalContext context;
  private final InstantSource clock;
  private final Duration lifetime;

  /**
   * @param provider is used on this context alone
   * @param lifetime of a login
   */
  ProviderTokens(
      TokenStore store,
      ProviderLogin provider,
      InternalContext context,
      InstantSource clock,
      Duration lifetime) {
    this.store = store;
    this.provider = provider;
    this.context = context;
    this.clock = clock;
    this.lifetime = lifetime;
  }

  static String key(String principal) {
    return TokenStore.keyOf(principal, "signin");
  }

  /** A login of a principal has begun, with these tokens of the provider. */
  Future<Void> begin(String principal, String login, JsonObject tokens) {
    return change(
        principal,
        kept -> {
          JsonArray logins = kept.getJsonArray(LOGINS, new JsonArray()).copy().add(login);
          while (logins.size() > MOST) {
            logins.remove(0);
          }
          return tokens.copy().put(RECEIVED, clock.instant().getEpochSecond()).put(LOGINS, logins);
        });
  }

  /** A login has ended; with the last one everything goes. */
  Future<Void> ended(String principal, String login) {
    return change(
        principal,
        kept -> {
          JsonArray logins = kept.getJsonArray(LOGINS, new JsonArray()).copy();
          logins.remove(login);
          return logins.isEmpty() ? new JsonObject() : kept.copy().put(LOGINS, logins);
        });
  }

  private Future<Void> change(String principal, UnaryOperator<JsonObject> change) {
    String key = key(principal);
    return store.alone(
        key,
        () ->
            store
                .load(key)
                .compose(
                    kept -> {
                      JsonObject next = change.apply(kept == null ? new JsonObject() : kept);
                      return next.isEmpty() ? store.remove(key) : store.save(key, next, lifetime);
                    }));
  }

  /** Whether a login of a principal lasts, as far as the person's record says. */
  Future<Boolean> has(String principal, String login) {
    return store
        .load(key(principal))
        .map(
            kept ->
                kept != null
                    && !kept.containsKey(REFUSED)
                    && kept.getJsonArray(LOGINS, new JsonArray()).contains(login));
  }

  /** The same, and asks the provider where its token has to be renewed. */
  Future<Boolean> hasStill(String principal, String login) {
    return of(principal).transform(asked -> has(principal, login));
  }

  /**
   * The access token of a principal at the provider, renewed where it has to be; null where the
   * principal has not signed in, or the token cannot be renewed. Fails where the provider cannot
   * answer now.
   */
  Future<@Nullable Sensitive> of(String principal) {
    return store
        .load(key(principal))
        .compose(
            kept ->
                kept == null
                    ? Future.succeededFuture()
                    : isGood(kept)
                        ? Future.succeededFuture(token(kept))
                        : store.alone(key(principal), () -> renewed(principal)));
  }

  private boolean isGood(JsonObject kept) {
    long received = kept.getLong(RECEIVED, 0L);
    long lasts =
        kept.getValue("expires_in") instanceof Number seconds ? seconds.longValue() : USUAL_SECONDS;
    return clock.instant().getEpochSecond() + MARGIN_SECONDS < received + lasts;
  }

  private static @Nullable Sensitive token(JsonObject kept) {
    return Sensitive.ofNullable(kept.getString("access_token"));
  }

  /** Another node may have renewed it while this one waited. */
  private Future<@Nullable Sensitive> renewed(String principal) {
    return store
        .load(key(principal))
        .compose(
            kept -> {
              if (kept == null || isGood(kept)) {
                return Future.succeededFuture(kept == null ? null : token(kept));
              }
              if (!(kept.getValue(REFRESH) instanceof String refresh)) {
                return Future.succeededFuture();
              }
              return context
                  .call(() -> provider.renew(refresh))
                  .map(
                      fresh ->
                          kept.copy()
                              .mergeIn(fresh)
                              .put(RECEIVED, clock.instant().getEpochSecond()))
                  .recover(
                      why ->
                          why instanceof SignInRefusal refusal
                                  && refusal.code().equals("invalid_grant")
                              ? Future.succeededFuture(new JsonObject().put(REFUSED, true))
                              : Future.failedFuture(why))
                  .compose(
                      next -> store.save(key(principal), next, lifetime).map(saved -> token(next)));
            });
  }
}
