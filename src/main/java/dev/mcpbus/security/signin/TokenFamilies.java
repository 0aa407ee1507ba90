package dev.mcpbus.security.signin;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.oauth.OAuthDigests;
import dev.mcpbus.security.oauth.TokenStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
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
  private final ProviderTokens people;
  private final String rules;
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

  /**
   * @param people knows whose logins last
   * @param rules what makes principals now
   */
  TokenFamilies(
      Vertx vertx, TokenStore store, InstantSource clock, ProviderTokens people, String rules) {
    this(vertx, store, clock, people, rules, MOST);
  }

  TokenFamilies(
      Vertx vertx,
      TokenStore store,
      InstantSource clock,
      ProviderTokens people,
      String rules,
      int most) {
    this.vertx = vertx;
    this.store = store;
    this.clock = clock;
    this.people = people;
    this.rules = rules;
    this.shared = vertx.isClustered();
    this.most = most;
    vertx
        .eventBus()
        .<JsonObject>consumer(
            Addresses.CREDENTIALS_CHANGED, change -> changed(change.body().getString("server")));
  }

  /** What was removed for all servers may be a person's logins: the store is asked again. */
  private void changed(@Nullable String server) {
    if (server == null) {
      synchronized (seen) {
        seen.values().removeIf(SeenFamily::alive);
      }
    }
  }

  /** One at a time: on this node by a lock, among nodes by the store. */
  private <T> Future<T> alone(String key, Supplier<Future<T>> work) {
    return vertx.sharedData().withLocalLock("mcpbus." + key, () -> store.alone(key, work));
  }

  private long now() {
    return clock.instant().getEpochSecond();
  }

  private @Nullable TokenFamily family(@Nullable JsonObject stored) {
    return TokenFamily.of(stored, rules, now());
  }

  private static String key(String id) {
    return "signin family " + id;
  }

  /**
   * Stores a new family; removes those that have ended.
   *
   * @param tokens of the provider
   */
  Future<TokenFamily> begin(
      LoginRequest login, Principal principal, long until, JsonObject tokens) {
    TokenFamily family =
        TokenFamily.of(OAuthDigests.secret(), login, principal, rules, now(), until);
    return store
        .save(key(family.id()), family.json())
        .compose(saved -> people.begin(principal.name(), family.id(), tokens))
        .compose(known -> alone(INDEX, () -> list(family.id(), until)))
        .map(family);
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
              for (String one : List.copyOf(index.fieldNames())) {
                long end = index.getLong(one);
                if (end <= now()) {
                  index.remove(one);
                  done = done.compose(next -> remove(one));
                } else if (!one.equals(id)) {
                  ends.put(end, one);
                }
              }
              if (index.size() > most && !ends.isEmpty()) {
                String first = ends.firstEntry().getValue();
                index.remove(first);
                done = done.compose(next -> remove(first));
              }
              return done.compose(next -> store.save(INDEX, index));
            });
  }

  /**
   * Makes the next generation of a family: with {@code generation} 0 for its code, else for the
   * refresh token of this generation. Null if the family has ended, or does so because of this
   * call: it is that of another client, or the token was used before.
   *
   * @param lifetime of a family, from the login on
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
                      TokenFamily family = family(stored);
                      if (family == null || !family.binding().equals(binding)) {
                        return Future.succeededFuture(null);
                      }
                      long millis = clock.millis();
                      if (generation == family.generation()) {
                        return people
                            .hasStill(family.principal().name(), id)
                            .compose(
                                lasts ->
                                    lasts
                                        ? next(family, millis, lifetime.apply(family))
                                        : ended(id).map((TokenFamily) null));
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
                      return ended(id).map((TokenFamily) null);
                    }));
  }

  private Future<TokenFamily> next(TokenFamily family, long millis, Duration lifetime) {
    TokenFamily next = family.next(millis, family.began() + lifetime.toSeconds());
    Future<Void> saved = store.save(key(family.id()), next.json());
    return (next.until() == family.until()
            ? saved
            : saved.compose(done -> alone(INDEX, () -> list(family.id(), next.until()))))
        .map(next);
  }

  /** Ends a family, while nobody else changes it: none of its tokens is good any more. */
  private Future<Void> ended(String id) {
    return remove(id)
        .compose(
            removed ->
                alone(
                    INDEX,
                    () ->
                        store
                            .load(INDEX)
                            .compose(
                                known -> {
                                  JsonObject index = known == null ? null : known.copy();
                                  return index == null || index.remove(id) == null
                                      ? Future.succeededFuture()
                                      : store.save(INDEX, index);
                                })));
  }

  private Future<Void> remove(String id) {
    see(id, false);
    return store
        .load(key(id))
        .compose(
            stored -> {
              String text = stored == null ? null : stored.getString("principal");
              return store
                  .remove(key(id))
                  .compose(
                      removed ->
                          text == null
                              ? Future.succeededFuture()
                              : people.ended(Principal.nameIn(text), id));
            });
  }

  /**
   * Ends the family if it is that of this client.
   *
   * @param binding stands for the id of the client
   */
  Future<Void> end(String id, String binding) {
    return alone(
        key(id),
        () ->
            store
                .load(key(id))
                .compose(
                    stored -> {
                      TokenFamily family = family(stored);
                      return family != null && family.binding().equals(binding)
                          ? ended(id)
                          : Future.succeededFuture();
                    }));
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
    return lasts(id).onSuccess(alive -> see(id, alive));
  }

  private Future<Boolean> lasts(String id) {
    return store
        .load(key(id))
        .compose(
            stored -> {
              TokenFamily family = family(stored);
              return family == null
                  ? Future.succeededFuture(false)
                  : people.has(family.principal().name(), id);
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
      lasts(id).onSuccess(alive -> see(id, alive));
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
}
