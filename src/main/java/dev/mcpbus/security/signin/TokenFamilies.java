package dev.mcpbus.security.signin;

import dev.mcpbus.security.oauth.TokenStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The logins that last, in the token store: all that the sign-in stores, because it can be revoked.
 * A refresh token is good once. Its second use ends the family, as a thief may have had the first;
 * but for {@link #GRACE} after the first use the same token gives the same generation again, for a
 * client that lost the answer: whoever goes on with an older generation afterwards ends the family
 * all the same. Any thread may call.
 */
final class TokenFamilies {

  /** How long a refresh token may be used again, by the client that used it. */
  static final Duration GRACE = Duration.ofSeconds(10);

  /** How long a family lasts whose code is not redeemed. */
  static final Duration UNREDEEMED = Duration.ofMinutes(2);

  /** How many families there may be; the one that ends first makes room. */
  private static final int MOST = 20_000;

  private static final int MAX_SEEN = 20_000;

  /** Where another node may end a family: how long what this node knows counts. */
  private static final long SEEN_NANOS = Duration.ofSeconds(2).toNanos();

  private static final String INDEX = "signin families";
  private static final Logger LOG = LoggerFactory.getLogger(TokenFamilies.class);

  /**
   * @param at by the clock of nanoseconds
   */
  private record SeenFamily(boolean alive, long at) {}

  private final Vertx vertx;
  private final TokenStore store;
  private final InstantSource clock;
  private final boolean shared;
  private final int most;

  private final Map<String, SeenFamily> seen =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, SeenFamily> eldest) {
          return size() > MAX_SEEN;
        }
      };

  TokenFamilies(Vertx vertx, TokenStore store, InstantSource clock) {
    this(vertx, store, clock, MOST);
  }

  TokenFamilies(Vertx vertx, TokenStore store, InstantSource clock, int most) {
    this.vertx = vertx;
    this.store = store;
    this.clock = clock;
    this.shared = vertx.isClustered();
    this.most = most;
  }

  /** One at a time: on this node by a lock, among nodes by the store. */
  private <T> Future<T> alone(String key, Supplier<Future<T>> work) {
    return vertx.sharedData().withLocalLock("mcpbus." + key, () -> store.alone(key, work));
  }

  private long now() {
    return clock.instant().getEpochSecond();
  }

  private static String key(String id) {
    return "signin family " + id;
  }

  /** Stores a new family; removes those that have ended. */
  Future<Void> begin(TokenFamily family) {
    return store
        .save(key(family.id()), family.json())
        .compose(saved -> alone(INDEX, () -> list(family.id(), family.until())));
  }

  /** Notes a family in the index, and takes what has ended out of the store. */
  private Future<Void> list(String id, long until) {
    return store
        .load(INDEX)
        .compose(
            known -> {
              JsonObject index = known == null ? new JsonObject() : known.copy();
              index.put(id, until);
              TreeMap<Long, String> ends = new TreeMap<>();
              Future<Void> done = Future.succeededFuture();
              for (String one : Map.copyOf(index.getMap()).keySet()) {
                long end = index.getLong(one);
                if (end <= now()) {
                  index.remove(one);
                  done = done.compose(next -> store.remove(key(one)));
                } else if (!one.equals(id)) {
                  ends.put(end, one);
                }
              }
              if (index.size() > most && !ends.isEmpty()) {
                String first = ends.firstEntry().getValue();
                index.remove(first);
                done = done.compose(next -> end(first));
              }
              return done.compose(next -> store.save(INDEX, index));
            });
  }

  /**
   * Makes the next generation of a family: with {@code generation} 0 for its code, else for the
   * refresh token of this generation. Null if the family has ended, or does so because of this
   * call: it is that of another client, or the token was used before.
   *
   * @param lifetime of the next generation, from now on
   */
  Future<@Nullable TokenFamily> rotate(
      String id, long generation, String binding, Function<TokenFamily, Duration> lifetime) {
    return alone(
        key(id),
        () ->
            store
                .load(key(id))
                .compose(
                    stored -> {
                      TokenFamily family = TokenFamily.of(stored, now());
                      if (family == null || !family.binding().equals(binding)) {
                        return Future.succeededFuture(null);
                      }
                      long millis = clock.millis();
                      if (generation == family.generation()) {
                        TokenFamily next =
                            family.next(millis, now() + lifetime.apply(family).toSeconds());
                        return store
                            .save(key(id), next.json())
                            .compose(saved -> alone(INDEX, () -> list(id, next.until())))
                            .map(next);
                      }
                      if (generation > 0
                          && generation == family.generation() - 1
                          && millis - family.rotated() <= GRACE.toMillis()) {
                        return Future.succeededFuture(family);
                      }
                      LOG.warn(
                          "sign-in: a refresh token of {} with {} was used twice: the login ends",
                          family.principal().name(),
                          family.client());
                      return end(id).map((TokenFamily) null);
                    }));
  }

  /** Ends a family: none of its tokens is good any more. Idempotent. */
  Future<Void> end(String id) {
    see(id, false);
    return store.remove(key(id));
  }

  /**
   * Ends the family if it is that of this client.
   *
   * @param binding stands for the id of the client
   */
  Future<Void> end(String id, String binding) {
    return store
        .load(key(id))
        .compose(
            stored -> {
              TokenFamily family = TokenFamily.of(stored, now());
              return family != null && family.binding().equals(binding)
                  ? end(id)
                  : Future.succeededFuture();
            });
  }

  /** Whether a family lasts; asks the store where this node does not know. */
  Future<Boolean> isAlive(String id) {
    SeenFamily known;
    synchronized (seen) {
      known = seen.get(id);
    }
    if (known != null && (!known.alive() || !isOld(known))) {
      return Future.succeededFuture(known.alive());
    }
    return store
        .load(key(id))
        .map(
            stored -> {
              boolean alive = TokenFamily.of(stored, now()) != null;
              see(id, alive);
              return alive;
            });
  }

  /**
   * Whether this node knows that a family has ended; asks the store beside it where that is old.
   */
  boolean isEnded(String id) {
    SeenFamily known;
    synchronized (seen) {
      known = seen.get(id);
      if (known != null && known.alive() && isOld(known)) {
        seen.put(id, new SeenFamily(true, System.nanoTime())); // one question at a time
      }
    }
    if (known != null && known.alive() && isOld(known)) {
      store.load(key(id)).onSuccess(stored -> see(id, TokenFamily.of(stored, now()) != null));
    }
    return known != null && !known.alive();
  }

  private boolean isOld(SeenFamily known) {
    return shared && System.nanoTime() - known.at() > SEEN_NANOS;
  }

  /** What has ended never lasts again. */
  private void see(String id, boolean alive) {
    synchronized (seen) {
      SeenFamily known = seen.get(id);
      boolean ended = known != null && !known.alive();
      seen.put(id, new SeenFamily(alive && !ended, System.nanoTime()));
    }
  }

  /** Keeps the provider's tokens of a principal, for a later exchange. */
  Future<Void> keep(String principal, JsonObject tokens) {
    return ProviderTokens.keep(store, principal, tokens, clock.instant().getEpochSecond());
  }
}
