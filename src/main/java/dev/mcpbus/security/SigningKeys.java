package dev.mcpbus.security;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The public keys of the token issuer. An unknown key id makes it fetch the set again, but at most
 * every {@value #PAUSE_SECONDS} s, whatever callers send; every second while fetches fail. A key
 * that the issuer removed stays valid for {@link #RETIRED}, as tokens that it signed are still in
 * use. Confined to one context.
 */
public final class SigningKeys {

  public static final int PAUSE_SECONDS = 30;

  private static final Duration PAUSE = Duration.ofSeconds(PAUSE_SECONDS);

  /** After a fetch that failed: its source has asked several times already. */
  private static final Duration SHORT_PAUSE = Duration.ofSeconds(1);

  /** Even without unknown key ids the set is fetched again, to notice removed keys. */
  private static final Duration REFRESH = Duration.ofMinutes(10);

  /** Access tokens seldom live longer. */
  private static final Duration RETIRED = Duration.ofHours(1);

  private static final int MAX_KEYS = 100;
  private static final Logger LOG = LoggerFactory.getLogger(SigningKeys.class);

  private record CachedKey(VerificationKey key, long seen) {}

  private final Supplier<Future<List<JsonObject>>> source;
  private final LongSupplier nanos;
  private final Map<String, CachedKey> keys = new HashMap<>();
  private @Nullable Future<Void> fetching;
  private Duration pause = PAUSE;
  private boolean fetched;
  private long fetchedAt;

  /**
   * @param source fetches the present set
   */
  public SigningKeys(Supplier<Future<List<JsonObject>>> source, LongSupplier nanos) {
    this.source = source;
    this.nanos = nanos;
  }

  /**
   * The key with this id; completes with null if there is no such key or the set cannot be fetched.
   * Never fails.
   */
  public Future<@Nullable VerificationKey> find(String id) {
    long now = nanos.getAsLong();
    CachedKey held = keys.get(id);
    boolean old = held != null && now - held.seen() > REFRESH.toNanos();
    if (held != null && !old) {
      return Future.succeededFuture(held.key());
    }
    Future<Void> fetch = fetching;
    if (fetch == null) {
      if (fetched && now - fetchedAt < pause.toNanos()) {
        return Future.succeededFuture(current(id, now));
      }
      fetch = fetch(now);
    }
    return held != null && current(id, now) != null
        ? Future.succeededFuture(held.key())
        : fetch.map(done -> current(id, nanos.getAsLong()));
  }

  private @Nullable VerificationKey current(String id, long now) {
    CachedKey held = keys.get(id);
    return held == null || now - held.seen() > RETIRED.toNanos() ? null : held.key();
  }

  private Future<Void> fetch(long now) {
    fetched = true;
    fetchedAt = now;
    pause = PAUSE;
    Future<Void> fetch =
        source
            .get()
            .onSuccess(this::take)
            .onFailure(
                failure -> {
                  pause = SHORT_PAUSE;
                  LOG.warn(
                      "auth: cannot fetch the keys of the token issuer: {}", failure.getMessage());
                })
            .<Void>mapEmpty()
            .otherwiseEmpty();
    if (!fetch.isComplete()) {
      fetching = fetch;
      fetch.onComplete(done -> fetching = null);
    }
    return fetch;
  }

  private void take(List<JsonObject> set) {
    long now = nanos.getAsLong();
    keys.values().removeIf(held -> now - held.seen() > RETIRED.toNanos());
    for (JsonObject jwk : set) {
      if (keys.size() < MAX_KEYS
          && jwk.getValue("kid") instanceof String id
          && jwk.getValue("use", "sig").equals("sig")) {
        VerificationKey key = VerificationKey.of(jwk);
        if (key != null) {
          keys.put(id, new CachedKey(key, now));
        } else {
          LOG.debug("auth: a key of the token issuer cannot be used for access tokens");
        }
      }
    }
  }
}
