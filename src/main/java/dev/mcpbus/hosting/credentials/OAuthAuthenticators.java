package dev.mcpbus.hosting.credentials;

import dev.mcpbus.config.Plugins;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.HeadersHelper;
import dev.mcpbus.security.oauth.OAuthClient;
import dev.mcpbus.security.oauth.OAuthSettings;
import dev.mcpbus.security.oauth.TokenStore;
import dev.mcpbus.security.oauth.TokenStoreProvider;
import dev.mcpbus.transport.Authenticator;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.OAuthOptions;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins the transports' seam for credentials with the OAuth client. One client per server and
 * settings, so that a session that is restarted goes on with the same tokens. From any thread.
 */
public final class OAuthAuthenticators implements AuthenticatorFactory {

  private static final Logger LOG = LoggerFactory.getLogger(OAuthAuthenticators.class);

  /** The key of the token file, 32 bytes in Base64. */
  public static final String KEY_VARIABLE = TokenStoreProvider.KEY_VARIABLE;

  /** The token file, default {@code ~/.mcpbus/tokens}. */
  public static final String FILE_VARIABLE = TokenStoreProvider.FILE_VARIABLE;

  private static final Duration HELPER_TIMEOUT = Duration.ofSeconds(10);

  /** A client belongs to one server, its settings and the store of its tokens. */
  private record Key(OAuthSettings settings, String store) {}

  private static final String OWN_STORE = "";

  private final Vertx vertx;
  private final Function<String, OAuthClient.Environment> environments;
  private final Map<Key, OAuthClient> clients = new ConcurrentHashMap<>();
  private final Map<String, OAuthClient.Environment> made = new ConcurrentHashMap<>();

  private OAuthAuthenticators(Vertx vertx, Function<String, OAuthClient.Environment> environments) {
    this.vertx = vertx;
    this.environments = environments;
  }

  /**
   * With an environment of the program's own: its token store where a server names no other, its
   * way to prompt a person.
   */
  public static OAuthAuthenticators of(OAuthClient.Environment environment) {
    return new OAuthAuthenticators(
        environment.vertx(),
        store ->
            store.equals(OWN_STORE)
                ? environment
                : new OAuthClient.Environment(
                    environment.vertx(),
                    named(environment.vertx(), System.getenv(), store),
                    environment.prompt(),
                    environment.resolver(),
                    environment.clock(),
                    environment.requestTimeout(),
                    environment.loginTimeout()));
  }

  /**
   * As the service has it: tokens where the server says, else in an encrypted file, in memory alone
   * where no key is set; a login is asked for in the log. Touches nothing before the first server
   * that wants OAuth.
   */
  public static OAuthAuthenticators ofVariables(Vertx vertx, Map<String, String> variables) {
    return new OAuthAuthenticators(
        vertx,
        store ->
            OAuthClient.Environment.of(
                vertx,
                store.equals(OWN_STORE) ? usual(vertx, variables) : named(vertx, variables, store),
                (server, page, within) ->
                    LOG.warn(
                        "{} wants a login: open this page within {} s: {}",
                        server,
                        within.toSeconds(),
                        page)));
  }

  private static TokenStore usual(Vertx vertx, Map<String, String> variables) {
    if (variables.getOrDefault(KEY_VARIABLE, "").isBlank()) {
      LOG.warn(
          "{} is not set: tokens are kept in memory and forgotten when mcpbus ends", KEY_VARIABLE);
      return TokenStore.inMemory();
    }
    try {
      return (vertx.isClustered() ? TokenStoreProvider.CLUSTER : TokenStoreProvider.FILE)
          .open(vertx, variables);
    } catch (IllegalArgumentException e) {
      LOG.error("{}: {}; tokens are kept in memory", KEY_VARIABLE, e.getMessage());
      return TokenStore.inMemory();
    }
  }

  private static TokenStore named(Vertx vertx, Map<String, String> variables, String name) {
    TokenStoreProvider provider =
        Plugins.tokenStores()
            .find(name)
            .orElseThrow(
                () -> new IllegalArgumentException("there is no token store \"" + name + "\""));
    try {
      return provider.open(vertx, variables);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("token store \"" + name + "\": " + e.getMessage(), e);
    } catch (RuntimeException | LinkageError e) {
      LOG.error("token store \"{}\" cannot be opened", name, e);
      throw new IllegalArgumentException(
          "token store \"" + name + "\" is broken: " + e.getClass().getSimpleName(), e);
    }
  }

  @Override
  public @Nullable Authenticator create(HttpOptions options) {
    OAuthOptions oauth = options.oauth();
    Sensitive helper = options.headersHelper();
    if (oauth != null && helper != null) {
      throw new IllegalArgumentException("keep one of oauth and headersHelper");
    }
    if (oauth != null) {
      String store = oauth.tokenStore();
      return new OAuthTokenAuthenticator(
          clients.computeIfAbsent(
              new Key(
                  settings(URI.create(options.url().reveal()), oauth),
                  store == null ? OWN_STORE : store),
              this::client));
    }
    return helper == null
        ? null
        : new HeadersHelperAuthenticator(
            new HeadersHelper(vertx, helper, options.url(), HELPER_TIMEOUT));
  }

  private OAuthClient client(Key key) {
    return new OAuthClient(key.settings, made.computeIfAbsent(key.store, environments));
  }

  private static OAuthSettings settings(URI server, OAuthOptions options) {
    OAuthOptions.AuthMethod method = options.authMethod();
    return new OAuthSettings(
        server,
        "mcpbus",
        OAuthSettings.Grant.valueOf(options.grant().name()),
        options.clientId(),
        options.clientSecret(),
        method == null ? null : OAuthSettings.AuthMethod.valueOf(method.name()),
        new LinkedHashSet<>(options.scopes()),
        text(options.issuer()),
        text(options.clientMetadataUrl()),
        options.redirectUri(),
        options.privateKey(),
        options.keyId(),
        idJag(options.idJag()));
  }

  private static @Nullable String text(@Nullable URI uri) {
    return uri == null ? null : uri.toString();
  }

  private static OAuthSettings.@Nullable IdJag idJag(OAuthOptions.@Nullable IdJag options) {
    if (options == null) {
      return null;
    }
    String type = options.subjectTokenType();
    return new OAuthSettings.IdJag(
        options.tokenEndpoint().toString(),
        options.clientId(),
        options.clientSecret(),
        options.subjectToken(),
        options.subjectTokenFile(),
        type.startsWith("urn:")
            ? type
            : "urn:ietf:params:oauth:token-type:" + type.toLowerCase(Locale.ROOT));
  }
}
