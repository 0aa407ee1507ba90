package dev.mcpbus;

import dev.mcpbus.security.HeadersHelper;
import dev.mcpbus.security.oauth.EncryptedFileTokenStore;
import dev.mcpbus.security.oauth.OAuthClient;
import dev.mcpbus.security.oauth.OAuthSettings;
import dev.mcpbus.security.oauth.TokenStore;
import dev.mcpbus.transport.Authenticator;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.OAuthOptions;
import io.vertx.core.Vertx;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins the transports' seam for credentials with the OAuth client. One client per server and
 * settings, so that a session that is restarted goes on with the same tokens. From any thread.
 */
public final class Authentication implements AuthenticatorFactory {

  private static final Logger LOG = LoggerFactory.getLogger(Authentication.class);

  /** The key of the token file, 32 bytes in Base64. */
  public static final String KEY_VARIABLE = "MCPBUS_TOKEN_KEY";

  /** The token file, default {@code ~/.mcpbus/tokens}. */
  public static final String FILE_VARIABLE = "MCPBUS_TOKEN_FILE";

  private static final Duration HELPER_TIMEOUT = Duration.ofSeconds(10);

  private final Vertx vertx;
  private final Supplier<OAuthClient.Environment> environment;
  private final Map<OAuthSettings, OAuthClient> clients = new ConcurrentHashMap<>();
  private OAuthClient.@Nullable Environment made;

  private Authentication(Vertx vertx, Supplier<OAuthClient.Environment> environment) {
    this.vertx = vertx;
    this.environment = environment;
  }

  /** With an environment of the program's own: its token store, its way to prompt a person. */
  public static Authentication of(OAuthClient.Environment environment) {
    return new Authentication(environment.vertx(), () -> environment);
  }

  /**
   * As the service has it: tokens in an encrypted file, in memory alone where no key is set; a
   * login is asked for in the log. Touches nothing before the first server that wants OAuth.
   */
  public static Authentication ofVariables(Vertx vertx, Map<String, String> variables) {
    return new Authentication(
        vertx,
        () ->
            OAuthClient.Environment.of(
                vertx,
                store(vertx, variables),
                (server, page, within) ->
                    LOG.warn(
                        "{} wants a login: open this page within {} s: {}",
                        server,
                        within.toSeconds(),
                        page)));
  }

  private static TokenStore store(Vertx vertx, Map<String, String> variables) {
    String key = variables.get(KEY_VARIABLE);
    if (key == null || key.isBlank()) {
      LOG.warn(
          "{} is not set: tokens are kept in memory and forgotten when mcpbus ends", KEY_VARIABLE);
      return TokenStore.inMemory();
    }
    String file = variables.get(FILE_VARIABLE);
    try {
      return EncryptedFileTokenStore.of(
          vertx,
          file == null || file.isBlank()
              ? Path.of(System.getProperty("user.home"), ".mcpbus", "tokens")
              : Path.of(file),
          key);
    } catch (IllegalArgumentException e) {
      LOG.error("{}: {}; tokens are kept in memory", KEY_VARIABLE, e.getMessage());
      return TokenStore.inMemory();
    }
  }

  @Override
  public @Nullable Authenticator create(HttpOptions options) {
    OAuthOptions oauth = options.oauth();
    String helper = options.headersHelper();
    if (oauth != null && helper != null) {
      throw new IllegalArgumentException("keep one of oauth and headersHelper");
    }
    if (oauth != null) {
      return new TokenAuthenticator(
          clients.computeIfAbsent(settings(options.url(), oauth), this::client));
    }
    return helper == null
        ? null
        : new HelperAuthenticator(
            new HeadersHelper(vertx, helper, options.url().toString(), HELPER_TIMEOUT));
  }

  private OAuthClient client(OAuthSettings settings) {
    return new OAuthClient(settings, environment());
  }

  private synchronized OAuthClient.Environment environment() {
    if (made == null) {
      made = environment.get();
    }
    return made;
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
