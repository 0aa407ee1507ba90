package dev.mcpbus.hosting.credentials;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Printable;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.OwnTokenStore;
import dev.mcpbus.security.oauth.TokenStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a principal has stored at mcpbus for a server: a personal secret, by principal and server,
 * sealed in the {@link TokenStore} of mcpbus. All nodes of a cluster, and all processes with one
 * file, see the same. Any thread may call; futures fail with {@link McpFailure}, or with the
 * failure of the store.
 */
public final class CallerCredentials {

  private static final Logger LOG = LoggerFactory.getLogger(CallerCredentials.class);

  /** Characters of a secret. */
  public static final int MAX_SECRET = 16 * 1024;

  /** Secrets of a principal. */
  public static final int MAX_SECRETS = 1_000;

  /** What is stored under the key that {@link #key} makes. */
  public enum CredentialKind {
    /** A text that the principal has set. */
    SECRET("secret"),
    /** Tokens of a login of the principal. */
    TOKENS("tokens");

    private final String word;

    CredentialKind(String word) {
      this.word = word;
    }
  }

  private static final String SERVER = "server";
  private static final String KIND = "kind";
  private static final String SINCE = "since";
  private static final String SECRET = "secret";
  private static final String PRINCIPAL = "principal";

  private final Vertx vertx;
  private final Supplier<TokenStore> stores;
  private final InstantSource clock;

  /**
   * @param stores opens the store, or gives the open one; asked with each use
   * @param clock says since when a secret is there
   */
  CallerCredentials(Vertx vertx, Supplier<TokenStore> stores, InstantSource clock) {
    this.vertx = vertx;
    this.stores = stores;
    this.clock = clock;
  }

  /**
   * Those of a mcpbus. Opens the store with the first use, so that who stores nothing has no key.
   *
   * @param variables of the environment, which name the store's file and key
   */
  public static CallerCredentials of(Vertx vertx, Map<String, String> variables) {
    return new CallerCredentials(
        vertx, () -> OwnTokenStore.of(vertx, variables), InstantSource.system());
  }

  /**
   * The key in the store of what is kept for a principal at a server, or how it begins: a space and
   * more may follow.
   */
  public static String key(String principal, CredentialKind kind, ConnectionId server) {
    return TokenStore.keyOf(principal, kind.word + " " + server);
  }

  /**
   * Stores the secret of a principal for a server, in place of the present one, and tells all
   * nodes, {@link Addresses#CREDENTIALS_CHANGED}.
   *
   * @return {@code {server, kind, since}}; fails with {@code BAD_REQUEST} for a secret that is
   *     empty, and with {@code LIMIT_EXCEEDED} for one that is too long or one too many
   */
  public Future<JsonObject> set(String principal, ConnectionId server, Sensitive secret) {
    String text = secret.reveal();
    if (text.isEmpty()) {
      return Future.failedFuture(McpFailure.badRequest("secret: must not be empty"));
    }
    if (text.length() > MAX_SECRET) {
      return Future.failedFuture(limit("the secret has more than " + MAX_SECRET + " characters"));
    }
    String key = key(principal, CredentialKind.SECRET, server);
    JsonObject state = new JsonObject().put(SECRET, text).put(SINCE, clock.instant().toString());
    String all = TokenStore.keyOf(principal, CredentialKind.SECRET.word + " ");
    TokenStore store = stores.get();
    return store
        .alone(
            all,
            () ->
                store
                    .list(all)
                    .compose(
                        present ->
                            present.size() < MAX_SECRETS || present.containsKey(key)
                                ? store.save(key, state)
                                : Future.failedFuture(
                                    limit(
                                        "there are "
                                            + MAX_SECRETS
                                            + " secrets already; remove one first"))))
        .onSuccess(stored -> changed(principal, server))
        .map(
            stored ->
                new JsonObject()
                    .put(SERVER, server.value())
                    .put(KIND, CredentialKind.SECRET.word)
                    .put(SINCE, state.getString(SINCE)));
  }

  private static McpFailure limit(String why) {
    return McpFailure.notSent(FailureCode.LIMIT_EXCEEDED, why);
  }

  /** The secret of a principal for a server; null if it has set none. */
  public Future<@Nullable Sensitive> secret(String principal, ConnectionId server) {
    return stores
        .get()
        .load(key(principal, CredentialKind.SECRET, server))
        .map(state -> state == null ? null : Sensitive.ofNullable(state.getString(SECRET)));
  }

  /**
   * What is stored for a principal, without the values.
   *
   * @return {@code [{server, kind, since?}]}, by kind and server
   */
  public Future<JsonArray> list(String principal) {
    String prefix = TokenStore.keyOf(principal, "");
    return stores
        .get()
        .list(prefix)
        .map(
            all -> {
              JsonArray shown = new JsonArray();
              all.forEach((key, state) -> add(shown, key.substring(prefix.length()), state));
              return shown;
            });
  }

  /** Adds nothing for what does not belong to a server, such as the sessions of a sign-in. */
  private static void add(JsonArray shown, String what, JsonObject state) {
    String[] words = what.split(" ", -1);
    if (words.length >= 2 && !state.isEmpty() && ConnectionId.parse(words[1]).isPresent()) {
      JsonObject one = new JsonObject().put(SERVER, words[1]).put(KIND, words[0]);
      String since = state.getString(SINCE);
      shown.add(since == null ? one : one.put(SINCE, since));
    }
  }

  /**
   * Removes what is stored for a principal at a server: its secret, and tokens of its logins. Who
   * has read the tokens before has the authorization server take them back.
   *
   * @return whether there was anything
   */
  public Future<Boolean> remove(String principal, ConnectionId server) {
    String secret = key(principal, CredentialKind.SECRET, server);
    TokenStore store = stores.get();
    return store
        .load(secret)
        .compose(
            present ->
                (present == null ? Future.<Void>succeededFuture() : store.remove(secret))
                    .compose(
                        removed ->
                            store.removeAll(key(principal, CredentialKind.TOKENS, server) + " "))
                    .map(tokens -> !tokens.isEmpty() || (present != null && !present.isEmpty())))
        .onSuccess(removed -> changed(principal, server));
  }

  /**
   * Removes everything that is stored for a principal.
   *
   * @return how many entries there were
   */
  public Future<Integer> removeAll(String principal) {
    return stores
        .get()
        .removeAll(TokenStore.keyOf(principal, ""))
        .map(Set::size)
        .onSuccess(removed -> changed(principal, null));
  }

  /** Removes everything of principals that are there no more; the log says where that failed. */
  public void forget(Set<String> principals) {
    principals.forEach(
        principal ->
            vertx
                .eventBus()
                .<JsonObject>request(
                    Addresses.CREDENTIALS_REMOVE, new JsonObject().put(PRINCIPAL, principal))
                .onSuccess(
                    reply -> {
                      int removed = reply.body().getInteger("removed", 0);
                      if (removed > 0) {
                        LOG.info(
                            "removed the {} credentials that {} had stored, whose key is gone",
                            removed,
                            Printable.line(principal));
                      }
                    })
                .onFailure(
                    why ->
                        LOG.warn(
                            "the credentials of {}, whose key is gone, stay: {}",
                            Printable.line(principal),
                            why.getMessage())));
  }

  private void changed(String principal, @Nullable ConnectionId server) {
    JsonObject change = new JsonObject().put(PRINCIPAL, principal);
    vertx
        .eventBus()
        .publish(
            Addresses.CREDENTIALS_CHANGED,
            server == null ? change : change.put(SERVER, server.value()));
  }
}
