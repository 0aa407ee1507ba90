package dev.mcpbus.security.oauth;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.AsyncMap;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tokens that all nodes of a cluster share, sealed with a key that each of them has. They live as
 * long as any node does. Works on the caller's context.
 */
public final class ClusterTokenStore implements TokenStore {

  private static final String TOKENS = "mcpbus.tokens";
  private static final String FLIGHTS = "mcpbus.token-flights";

  /** Longer than a renewal with all its time-outs takes. */
  private static final long FLIGHT_MILLIS = 60_000;

  private static final long LOOK_MILLIS = 50;

  private final Vertx vertx;
  private final AesGcmSeal seal;
  private final String node = UUID.randomUUID().toString();

  private final long flightMillis;

  /**
   * @param flightMillis how long a node that died in flight blocks the others
   */
  ClusterTokenStore(Vertx vertx, AesGcmSeal seal, long flightMillis) {
    this.vertx = vertx;
    this.seal = seal;
    this.flightMillis = flightMillis;
  }

  /**
   * @param key 32 bytes in Base64, the same on all nodes
   * @throws IllegalArgumentException where the key is none; does not show it
   */
  public static ClusterTokenStore of(Vertx vertx, String key) {
    return new ClusterTokenStore(vertx, AesGcmSeal.of(key), FLIGHT_MILLIS);
  }

  @Override
  public Future<@Nullable JsonObject> load(String key) {
    return tokens()
        .compose(tokens -> tokens.get(key))
        .map(hidden -> hidden == null ? null : opened(key, hidden));
  }

  private JsonObject opened(String key, Buffer hidden) {
    try {
      return new JsonObject(Buffer.buffer(seal.open(hidden.getBytes(), place(key))));
    } catch (GeneralSecurityException | DecodeException e) {
      throw new IllegalStateException(
          "the cluster's tokens were sealed with another key: give all nodes the same "
              + TokenStoreProvider.KEY_VARIABLE);
    }
  }

  @Override
  public Future<Void> save(String key, JsonObject state) {
    try {
      Buffer hidden = Buffer.buffer(seal.seal(state.toBuffer().getBytes(), place(key)));
      return tokens().compose(tokens -> tokens.put(key, hidden));
    } catch (GeneralSecurityException e) {
      return Future.failedFuture(e);
    }
  }

  @Override
  public <T> Future<T> alone(String key, Supplier<Future<T>> work) {
    return flights()
        .compose(
            flights ->
                taken(flights, key)
                    .compose(
                        mine -> work.get().eventually(() -> flights.removeIfPresent(key, node))));
  }

  /** Looks again until the place is free: at the latest when its time is over. */
  private Future<Void> taken(AsyncMap<String, String> flights, String key) {
    return flights
        .putIfAbsent(key, node, flightMillis)
        .compose(
            other ->
                other == null
                    ? Future.succeededFuture()
                    : vertx.timer(LOOK_MILLIS).compose(later -> taken(flights, key)));
  }

  private Future<AsyncMap<String, Buffer>> tokens() {
    return vertx.sharedData().getAsyncMap(TOKENS);
  }

  private Future<AsyncMap<String, String>> flights() {
    return vertx.sharedData().getAsyncMap(FLIGHTS);
  }

  private static byte[] place(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }
}
