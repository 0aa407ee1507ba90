package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * Creates a {@link TokenStore}. Found with {@link java.util.ServiceLoader} and chosen by {@code
 * "oauth": {"tokenStore": ...}} of a server; all servers that name it share one store.
 */
@PublicApi
public interface TokenStoreProvider {

  /** The environment variable with the key of the token file, 32 bytes in Base64. */
  String KEY_VARIABLE = "MCPBUS_TOKEN_KEY";

  /** The environment variable with the path of the token file, default {@code ~/.mcpbus/tokens}. */
  String FILE_VARIABLE = "MCPBUS_TOKEN_FILE";

  /** An encrypted file, {@code EncryptedFileTokenStore}. */
  TokenStoreProvider FILE =
      new BuiltIn(
          "file",
          (vertx, variables) -> {
            String file = variables.getOrDefault(FILE_VARIABLE, "");
            return EncryptedFileTokenStore.of(
                vertx,
                file.isBlank()
                    ? Path.of(System.getProperty("user.home"), ".mcpbus", "tokens")
                    : Path.of(file),
                key(variables));
          });

  /** A store shared by all nodes, {@code ClusterTokenStore}. */
  TokenStoreProvider CLUSTER =
      new BuiltIn("cluster", (vertx, variables) -> ClusterTokenStore.of(vertx, key(variables)));

  /** A store that loses everything when the process ends. */
  TokenStoreProvider MEMORY = new BuiltIn("memory", (vertx, variables) -> TokenStore.inMemory());

  private static String key(Map<String, String> variables) {
    String key = variables.getOrDefault(KEY_VARIABLE, "");
    if (key.isBlank()) {
      throw new IllegalArgumentException(
          KEY_VARIABLE + " is not set; make a key with \"openssl rand -base64 32\"");
    }
    return key;
  }

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
