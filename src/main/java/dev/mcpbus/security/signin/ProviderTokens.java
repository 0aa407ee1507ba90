package dev.mcpbus.security.signin;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.TokenStore;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that the provider has given for the people who have signed in: what a server of
 * callers exchanges for them. Renewed before they expire, once for all nodes. Any thread may call.
 */
final class ProviderTokens {

  /** A token that is good for less time is renewed first. */
  private static final long MARGIN_SECONDS = 30;

  /** Where the provider does not say how long a token is good. */
  private static final long USUAL_SECONDS = 300;

  private static final String RECEIVED = "received";
  private static final String REFRESH = "refresh_token";

  private final TokenStore store;
  private final ProviderLogin provider;
  private final InternalContext context;
  private final InstantSource clock;

  /**
   * @param provider is used on this context alone
   */
  ProviderTokens(
      TokenStore store, ProviderLogin provider, InternalContext context, InstantSource clock) {
    this.store = store;
    this.provider = provider;
    this.context = context;
    this.clock = clock;
  }

  static String key(String principal) {
    return TokenStore.keyOf(principal, "signin");
  }

  /** Keeps what a login of a principal has given. */
  static Future<Void> keep(TokenStore store, String principal, JsonObject tokens, long now) {
    return store.save(key(principal), tokens.copy().put(RECEIVED, now));
  }

  /**
   * The access token of a principal at the provider, renewed where it has to be; null where the
   * principal has not signed in, or the token cannot be renewed.
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
                  .compose(
                      fresh -> {
                        JsonObject next = kept.copy().mergeIn(fresh);
                        return keep(store, principal, next, clock.instant().getEpochSecond())
                            .map(saved -> token(next));
                      });
            });
  }
}
