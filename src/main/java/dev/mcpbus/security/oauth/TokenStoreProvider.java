package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * Creates a {@link TokenStore}. Found with {@link java.util.ServiceLoader} and chosen by {@code
 * "oauth": {"tokenStore": ...}} of a server; all servers that name it share one store.
 */
@PublicApi
public interface TokenStoreProvider {

  /**
   * The environment variable with the key of the tokens, 32 bytes in Base64; without it mcpbus
   * makes and keeps one.
   */
  String KEY_VARIABLE = "MCPBUS_TOKEN_KEY";

  /**
   * The environment variable with the path of the token file, default {@code ~/.mcpbus/tokens}. The
   * key that mcpbus makes is beside it, in a file whose name ends with {@code .key}.
   */
  String FILE_VARIABLE = "MCPBUS_TOKEN_FILE";

  /** An encrypted file, {@code EncryptedFileTokenStore}. */
  TokenStoreProvider FILE =
      new BuiltIn(
          "file",
          (vertx, variables) ->
              LateTokenStore.keyed(
                  vertx,
                  variables,
                  key -> new EncryptedFileTokenStore(vertx, KeptKey.file(variables), key)));

  /** A store shared by all nodes, {@code ClusterTokenStore}. */
  TokenStoreProvider CLUSTER =
      new BuiltIn(
          "cluster",
          (vertx, variables) ->
              LateTokenStore.keyed(vertx, variables, key -> ClusterTokenStore.of(vertx, key)));

  /** A store that loses everything when the process ends. */
  TokenStoreProvider MEMORY = new BuiltIn("memory", (vertx, variables) -> TokenStore.inMemory());

  /** A store of mcpbus itself. */
  record BuiltIn(String name, BiFunction<Vertx, Map<String, String>, TokenStore> opening)
      implements TokenStoreProvider {

    @Override
    public TokenStore open(Vertx vertx, Map<String, String> variables) {
      return opening.apply(vertx, variables);
    }
  }

  /** The name in the configuration. */
  String name();

  /**
   * Opens the store: once per mcpbus, when the first server needs it. May be called on an event
   * loop, so slow work belongs into the store's own methods.
   *
   * @param variables of the environment
   * @throws IllegalArgumentException if the store cannot be used; the servers that name it fail
   *     with this message, which must name the remedy and show no secret
   */
  TokenStore open(Vertx vertx, Map<String, String> variables);
}
