package dev.mcpbus.hosting.credentials;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.read.Plugins;
import dev.mcpbus.hosting.credentials.CallerCredentials.CredentialKind;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.CallerTokens;
import dev.mcpbus.security.oauth.LoginPrompt;
import dev.mcpbus.security.oauth.OAuthClient;
import dev.mcpbus.security.oauth.OAuthSettings;
import dev.mcpbus.security.oauth.OwnTokenStore;
import dev.mcpbus.security.oauth.PrincipalLogins;
import dev.mcpbus.security.oauth.TokenStore;
import dev.mcpbus.security.oauth.TokenStoreProvider;
import dev.mcpbus.transport.Authenticator;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.OAuthOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects the transports' seam for credentials with the OAuth client. There is one client for each
 * server and its settings, so a restarted session goes on with the same tokens. Any thread may
 * call.
 */
public final class OAuthAuthenticators implements AuthenticatorFactory {

  private static final Logger LOG = LoggerFactory.getLogger(OAuthAuthenticators.class);

  private static final Duration HELPER_TIMEOUT = Duration.ofSeconds(10);

  /**
   * A client belongs to one server with its settings and proxy, and to one token store.
   *
   * @param urls those of the options as they are written: URIs are equal whatever case a host has
   */
  private record ClientKey(
      OAuthSettings settings, String urls, String store, @Nullable Sensitive proxy) {}

  private static final String OWN_STORE = "";

  private final Vertx vertx;
  private final Function<String, OAuthClient.Environment> environments;
  private final Map<ClientKey, OAuthClient> clients = new ConcurrentHashMap<>();

  /** Those of principals, as long as a connection or a login uses them. */
  private final WeakValues<ClientKey, OAuthClient> callers = new WeakValues<>();

  /** The client that each server uses now, by the server's id. */
  private final Map<String, ClientKey> keys = new ConcurrentHashMap<>();

  private final Map<String, OAuthClient.Environment> openEnvironments = new ConcurrentHashMap<>();

  private OAuthAuthenticators(Vertx vertx, Function<String, OAuthClient.Environment> environments) {
    this.vertx = vertx;
    this.environments = environments;
  }

  /**
   * Uses the program's own environment: its token store where a server names no other, and its way
   * to prompt a person.
   */
  public static OAuthAuthenticators of(OAuthClient.Environment environment) {
    return new OAuthAuthenticators(
        environment.vertx(),
        store ->
            store.equals(OWN_STORE)
                ? environment
                : environment.with(
                    namedStore(environment.vertx(), System.getenv(), store), environment.prompt()));
  }

  /**
   * Uses environment variables, as the service does. Tokens go to the store that the server names,
   * else to that of mcpbus. The log and {@link PendingLogins} show the page for a login. Opens
   * nothing before the first server that uses OAuth.
   */
  public static OAuthAuthenticators ofVariables(Vertx vertx, Map<String, String> variables) {
    return new OAuthAuthenticators(
        vertx,
        store ->
            OAuthClient.Environment.of(
                vertx,
                store.equals(OWN_STORE)
                    ? OwnTokenStore.of(vertx, variables)
                    : namedStore(vertx, variables, store),
                (server, page, within) ->
                    LOG.warn(
                        "{} requires a login: open this page within {} s: {}",
                        server,
                        within.toSeconds(),
                        page)));
  }

  private static TokenStore namedStore(Vertx vertx, Map<String, String> variables, String name) {
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
    return create(options.url().toString(), options);
  }

  @Override
  public @Nullable Authenticator create(
      String server, @Nullable String principal, HttpOptions options) {
    OAuthOptions oauth = options.oauth();
    if (principal == null || oauth == null) {
      return create(server, options);
    }
    return new OAuthTokenAuthenticator(
        ofCaller(new ConnectionId(server), principal, options, oauth));
  }

  @Override
  public Future<Runnable> stored(String server, String principal, HttpOptions options) {
    OAuthOptions oauth = options.oauth();
    if (oauth == null) {
      return Future.succeededFuture(() -> {});
    }
    OAuthClient client = ofCaller(new ConnectionId(server), principal, options, oauth);
    return client.loaded().map(read -> client::forgetRemoved);
  }

  private OAuthClient ofCaller(
      ConnectionId server, String principal, HttpOptions options, OAuthOptions oauth) {
    ClientKey key =
        key(options, oauth, CallerCredentials.key(principal, CredentialKind.TOKENS, server));
    OAuthClient.Environment environment = openEnvironments.computeIfAbsent(key.store, environments);
    return callers.get(
        key,
        () ->
            new OAuthClient(
                key.settings,
                environment.ofCaller(
                    new PrincipalLogins(vertx, server, principal),
                    () -> CallerTokens.of(vertx).token(principal)),
                key.proxy));
  }

  @Override
  public void changed(String principal, @Nullable String server) {
    String all = TokenStore.keyOf(principal, "");
    String one =
        server == null
            ? null
            : CallerCredentials.key(principal, CredentialKind.TOKENS, new ConnectionId(server));
    callers
        .take(
            key -> {
              String owner = String.valueOf(key.settings.owner());
              return one == null ? owner.startsWith(all) : owner.equals(one);
            })
        .forEach(OAuthClient::forgetRemoved);
  }

  private static ClientKey key(HttpOptions options, OAuthOptions oauth, @Nullable String owner) {
    String store = oauth.tokenStore();
    return new ClientKey(
        new OAuthSettings(URI.create(options.url().reveal()), oauth, owner),
        oauth.issuer() + " " + oauth.clientMetadataUrl(),
        store == null ? OWN_STORE : store,
        options.proxy());
  }

  @Override
  public @Nullable Authenticator create(String server, HttpOptions options) {
    OAuthOptions oauth = options.oauth();
    Sensitive helper = options.headersHelper();
    if (oauth != null && helper != null) {
      throw new IllegalArgumentException("keep one of oauth and headersHelper");
    }
    if (oauth != null) {
      ClientKey key = key(options, oauth, null);
      keys.put(server, key);
      return new OAuthTokenAuthenticator(clients.computeIfAbsent(key, this::client));
    }
    keys.remove(server);
    return helper == null
        ? null
        : new HeadersHelperAuthenticator(
            new HeadersHelper(vertx, helper, options.url(), HELPER_TIMEOUT));
  }

  private OAuthClient client(ClientKey key) {
    OAuthClient.Environment environment = openEnvironments.computeIfAbsent(key.store, environments);
    return new OAuthClient(
        key.settings,
        environment.with(environment.store(), new ListedPrompt(key, environment)),
        key.proxy);
  }

  /** The ids of the servers that use this client now, and so its tokens and its login page. */
  private Set<String> servers(ClientKey key) {
    Set<String> servers = new TreeSet<>();
    keys.forEach(
        (server, used) -> {
          if (used.equals(key)) {
            servers.add(server);
          }
        });
    return servers;
  }

  /** Lists a page while it waits, and shows it by the prompt of the environment. */
  private final class ListedPrompt implements LoginPrompt {

    private final ClientKey key;
    private final LoginPrompt shown;

    private ListedPrompt(ClientKey key, OAuthClient.Environment environment) {
      this.key = key;
      this.shown = environment.prompt();
    }

    @Override
    public void login(String server, URI page, Duration within) {
      PendingLogins.of(vertx).add(() -> servers(key), page, within, Instant.now());
      shown.login(String.join(", ", servers(key)) + " (" + server + ")", page, within);
    }

    @Override
    public void ended(URI page) {
      PendingLogins.of(vertx).remove(page);
      shown.ended(page);
    }
  }
}
