package dev.mcpbus.security.signin;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.Sha256;
import dev.mcpbus.security.AddressLimit;
import dev.mcpbus.security.OwnTokens;
import dev.mcpbus.security.SignInOptions;
import dev.mcpbus.security.oauth.GuardedHttp;
import dev.mcpbus.security.oauth.GuardedHttp.Reply;
import dev.mcpbus.security.oauth.HostResolver;
import dev.mcpbus.security.oauth.IssuerKeys;
import dev.mcpbus.security.oauth.OAuthDigests;
import dev.mcpbus.security.oauth.TokenStore;
import dev.mcpbus.security.oauth.UrlGuard;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * mcpbus as an authorization server: what all HTTP verticles of a node share. The {@link
 * SignInHandler} of each answers the requests. Thread-safe.
 */
public final class SignIn {

  private static final Duration TIMEOUT = Duration.ofSeconds(8);

  /**
   * What it needs of its surroundings.
   *
   * @param secret a key of 32 bytes for each purpose, the same on all nodes and after a restart
   * @param store for what can be revoked
   * @param first whether a text is used for the first time within a time, in the whole cluster
   * @param resolver finds the addresses of hosts that clients name
   * @param nanos monotonic time in nanoseconds
   */
  public record SignInWorld(
      Vertx vertx,
      Function<String, byte[]> secret,
      TokenStore store,
      BiFunction<String, Duration, Future<Boolean>> first,
      HostResolver resolver,
      InstantSource clock,
      LongSupplier nanos) {}

  private final SignInOptions options;
  private final SignInWorld world;
  private final SealedTexts texts;
  private final TokenKeys keys;
  private final TokenFamilies families;
  private final AccessTokens tokens;
  private final ProviderTokens provided;
  private final AddressLimit limit;
  private final AddressLimit guesses;
  private final AddressLimit warnings;
  private final FairLimit<String> waiting = new FairLimit<>(DeviceCodes.MOST);

  public SignIn(SignInOptions options, SignInWorld world) {
    this.options = options;
    this.world = world;
    this.texts = new SealedTexts(world.secret(), world.clock());
    this.keys = new TokenKeys(world.secret(), world.clock());
    this.provided =
        new ProviderTokens(
            world.store(),
            provider(new GuardedHttp(world.vertx(), TIMEOUT, null)),
            InternalContext.create(world.vertx()),
            world.clock(),
            options.refreshToken());
    String rules = Sha256.hex(options.name() + options.claims());
    this.families = new TokenFamilies(world.vertx(), world.store(), world.clock(), provided, rules);
    this.tokens = new AccessTokens(options, keys, families, world.clock(), world.nanos());
    this.limit = new AddressLimit(20, 200, world.nanos());
    this.guesses = new AddressLimit(0.2, 10, world.nanos());
    this.warnings = new AddressLimit(1.0 / 60, 10, world.nanos());
  }

  /** Verifies what this sign-in has issued. */
  public OwnTokens tokens() {
    return tokens;
  }

  /** A client of the provider, for one context. */
  private ProviderLogin provider(GuardedHttp http) {
    String issuer = options.provider().issuer();
    return new ProviderLogin(
        options,
        http,
        new UrlGuard(List.of(URI.create(issuer)), world.resolver()),
        set -> new IssuerKeys(world.vertx(), issuer, URI.create(set), world.resolver()),
        world.clock(),
        world.nanos());
  }

  /** Begins the names of those who sign in; no key and no issuer has it. */
  public String prefix() {
    return options.name() + ":";
  }

  /**
   * What the provider has given for a principal that has signed in, renewed where it has to be;
   * completes with null where there is nothing.
   */
  public Future<@Nullable Sensitive> providerToken(String principal) {
    return provided.of(principal);
  }

  /** The part that answers the requests of one HTTP verticle, on its context. */
  public SignInHandler handler() {
    GuardedHttp http = new GuardedHttp(world.vertx(), TIMEOUT, null);
    UrlGuard strangers = new UrlGuard(List.of(), world.resolver());
    return handler(http, id -> http.once(strangers, id, "the metadata document of the program"));
  }

  /**
   * The same.
   *
   * @param documents fetches client id metadata documents
   */
  SignInHandler handler(GuardedHttp http, Function<String, Future<Reply>> documents) {
    ProviderLogin provider = provider(http);
    ClientDirectory clients =
        new ClientDirectory(
            options,
            texts,
            new ClientDocuments(documents, options.clientIds(), world.nanos()),
            world.clock());
    DeviceCodes devices = new DeviceCodes(world.vertx(), texts, world.first(), waiting);
    LoginRoutes logins = new LoginRoutes(options, this, clients, provider, devices);
    return new SignInHandler(
        options,
        limit,
        keys,
        logins,
        new TokenRoutes(options, this, clients, devices, tokens),
        new DeviceRoutes(clients, devices, logins, guesses),
        clients);
  }

  SealedTexts texts() {
    return texts;
  }

  TokenFamilies families() {
    return families;
  }

  InstantSource clock() {
    return world.clock();
  }

  /** Whether a warning may be logged: ten at once, then one a minute. */
  boolean mayWarn() {
    return warnings.admits("");
  }

  /** As of {@link SignInWorld#first}. */
  Future<Boolean> first(String what, Duration within) {
    return world.first().apply(what, within);
  }

  /** A value that only mcpbus can make of a random one, on every node. */
  String derived(String purpose, String random) {
    return OAuthDigests.base64Url(
        ClusterSecret.hmac(world.secret().apply("signin " + purpose))
            .doFinal(random.getBytes(StandardCharsets.UTF_8)));
  }
}
