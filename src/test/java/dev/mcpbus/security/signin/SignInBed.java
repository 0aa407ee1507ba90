package dev.mcpbus.security.signin;

import dev.mcpbus.bridge.BridgeVerticle;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.Sha256;
import dev.mcpbus.security.AccessControl;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.SignInOptions;
import dev.mcpbus.security.SignInOptions.OpenIdProvider;
import dev.mcpbus.security.oauth.GuardedHttp;
import dev.mcpbus.security.oauth.GuardedHttp.Reply;
import dev.mcpbus.security.oauth.HostResolver;
import dev.mcpbus.security.oauth.TokenStore;
import dev.mcpbus.testing.LoginBrowser;
import dev.mcpbus.testing.LoginProvider;
import dev.mcpbus.testing.OpenAccess;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Doors with an authorization server: one provider, a clock that a test moves, one store. */
public final class SignInBed extends SignInProgram implements AutoCloseable {

  final LoginProvider provider;
  public final TokenStore store = TokenStore.inMemory();
  private final Vertx vertx;
  volatile HostResolver resolver;
  private final Set<String> used = ConcurrentHashMap.newKeySet();
  private final SignInOptions options;
  private volatile Duration later = Duration.ZERO;
  private volatile LongSupplier nanos = System::nanoTime;
  private SignIn signIn;

  public SignInBed(Vertx vertx) {
    this(vertx, same -> same);
  }

  public SignInBed(Vertx vertx, UnaryOperator<SignInOptions> change) {
    super(new LoginBrowser());
    this.vertx = vertx;
    this.resolver = HostResolver.system(vertx);
    Codecs.register(vertx);
    this.provider = new LoginProvider(vertx);
    this.options =
        change.apply(
            SignInOptions.of(
                null,
                new OpenIdProvider(
                    provider.url(),
                    LoginProvider.CLIENT,
                    Sensitive.of(LoginProvider.SECRET),
                    List.of("email"))));
    this.signIn = node();
    leadsTo("http://127.0.0.1:" + serve(signIn));
  }

  /** A further node: of the same secret and store, with a memory of its own. */
  SignIn node() {
    return node(same -> same);
  }

  /** The same, with another configuration. */
  SignIn node(UnaryOperator<SignInOptions> change) {
    return new SignIn(
        change.apply(options),
        new SignIn.SignInWorld(
            vertx,
            purpose -> Sha256.of(("secret " + purpose).getBytes(StandardCharsets.UTF_8)),
            store,
            (what, within) -> Future.succeededFuture(used.add(what)),
            host -> resolver.resolve(host),
            () -> Instant.now().plus(later),
            () -> nanos.getAsLong() + later.toNanos()));
  }

  int serve(SignIn node) {
    return serve(vertx, options, node, node::handler, () -> Instant.now().plus(later));
  }

  /** A further door, which reads client id metadata documents in this way; its port. */
  int serve(SignIn node, Function<String, Future<Reply>> documents) {
    return serve(
        vertx,
        options,
        node,
        () -> node.handler(new GuardedHttp(vertx, GuardedHttp.TIMEOUT, null), documents),
        () -> Instant.now().plus(later));
  }

  /** A door of a node, without its servers; its port. */
  static int serve(
      Vertx vertx,
      SignInOptions options,
      SignIn node,
      Supplier<@Nullable SignInHandler> handlers,
      InstantSource clock) {
    AccessControl control =
        new AccessControl(
            RecordCopy.with(AuthOptions.NONE, "signIn", options),
            clock,
            System::nanoTime,
            new SecureRandom(),
            () -> 0);
    control.ownTokens(node.tokens());
    BridgeVerticle bridge =
        BridgeVerticle.several(
                1,
                BridgeOptions.DEFAULT.withPort(0),
                () -> "call",
                () -> null,
                handlers,
                control::admissionControl,
                new Readiness(),
                OpenAccess.CALLERS)
            .get(0);
    TestBus.await(vertx.deployVerticle(bridge));
    return bridge.port();
  }

  SignIn signIn() {
    return signIn;
  }

  /** What begins so may be used again: a test does not wait for the time of a poll. */
  public void forget(String prefix) {
    used.removeIf(what -> what.startsWith(prefix));
  }

  /** From now on its monotonic time goes on by {@link #wait} alone. */
  void stopTime() {
    long now = System.nanoTime();
    nanos = () -> now;
  }

  /** What time it is from now on. */
  public void wait(Duration more) {
    later = later.plus(more);
  }

  /** As a caller with a token of this sign-in. */
  HttpResponse<String> call(String path, String token) {
    return browser.get(base() + path, "Authorization", "Bearer " + token);
  }

  @Override
  public void close() {
    provider.close();
  }
}
