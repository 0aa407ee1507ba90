package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.Sha256;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.util.HexFormat;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store of a mcpbus where its configuration names none: the map of the cluster, or the
 * encrypted file. Where the key can be neither read nor made, as on a file system that cannot be
 * written, one warning says so, and tokens stay in memory.
 */
public final class OwnTokenStore {

  private static final Logger LOG = LoggerFactory.getLogger(OwnTokenStore.class);
  private static final String GIVEN = "";
  private static final String STORES = "dev.mcpbus.own-token-store";

  private record SharedTokenStore(TokenStore store) implements Shareable {}

  private OwnTokenStore() {}

  /**
   * The store, one for each Vert.x and its variables. Opens it where it is not open yet; any thread
   * may call.
   *
   * @param variables as of {@link KeptKey#of}
   */
  public static TokenStore of(Vertx vertx, Map<String, String> variables) {
    LocalMap<String, SharedTokenStore> stores = vertx.sharedData().getLocalMap(STORES);
    SharedTokenStore given = stores.get(GIVEN);
    if (given != null) {
      return given.store();
    }
    return stores
        .computeIfAbsent(place(variables), absent -> new SharedTokenStore(open(vertx, variables)))
        .store();
  }

  /** Makes a store that of this Vert.x, whatever the variables say; before the first use. */
  public static void use(Vertx vertx, TokenStore store) {
    vertx
        .sharedData()
        .<String, SharedTokenStore>getLocalMap(STORES)
        .put(GIVEN, new SharedTokenStore(store));
  }

  /** Without the key itself. */
  private static String place(Map<String, String> variables) {
    String key = variables.getOrDefault(TokenStoreProvider.KEY_VARIABLE, "");
    return KeptKey.file(variables)
        + " "
        + HexFormat.of().formatHex(Sha256.of(key.getBytes(StandardCharsets.UTF_8)));
  }

  private static TokenStore open(Vertx vertx, Map<String, String> variables) {
    TokenStoreProvider provider =
        vertx.isClustered() ? TokenStoreProvider.CLUSTER : TokenStoreProvider.FILE;
    try {
      return new LateTokenStore(
          () ->
              KeptKey.of(vertx, variables)
                  .map(key -> provider.open(vertx, variables))
                  .recover(OwnTokenStore::inMemory));
    } catch (IllegalArgumentException e) {
      LOG.error(
          "{}: {}; mcpbus keeps tokens in memory only",
          TokenStoreProvider.KEY_VARIABLE,
          e.getMessage());
      return TokenStore.inMemory();
    }
  }

  private static Future<TokenStore> inMemory(Throwable why) {
    if (!(why instanceof FileSystemException)) {
      return Future.failedFuture(why);
    }
    LOG.warn(
        "mcpbus keeps tokens in memory only and loses them when it ends: {}", why.getMessage());
    return Future.succeededFuture(TokenStore.inMemory());
  }
}
