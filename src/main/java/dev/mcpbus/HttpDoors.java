package dev.mcpbus;

import dev.mcpbus.bridge.BridgeVerticle;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.gateway.Gateway;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.security.AccessControl;
import dev.mcpbus.security.OnceOnly;
import dev.mcpbus.security.SignInOptions;
import dev.mcpbus.security.oauth.CallerTokens;
import dev.mcpbus.security.oauth.HostResolver;
import dev.mcpbus.security.oauth.KeptKey;
import dev.mcpbus.security.oauth.OAuthDigests;
import dev.mcpbus.security.oauth.OwnTokenStore;
import dev.mcpbus.security.signin.SignIn;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP side of a node: the gateway's actors and the bridge's HTTP servers. A class of its own,
 * so that a program without HTTP needs no vertx-web. Thread: the one that starts the {@link
 * McpBus}.
 */
final class HttpDoors {

  private static final Logger LOG = LoggerFactory.getLogger(HttpDoors.class);

  private final Vertx vertx;
  private final AtomicReference<@Nullable Function<String, byte[]>> secret =
      new AtomicReference<>();
  private final @Nullable SignIn signIn;
  private final Gateway gateway;
  private final List<BridgeVerticle> bridges;

  HttpDoors(
      Vertx vertx,
      BusSettings options,
      BridgeOptions http,
      Implementation own,
      Directory directory,
      AccessControl access,
      Readiness readiness) {
    int hosts = Runtime.getRuntime().availableProcessors();
    Gateway newGateway = new Gateway(vertx, options.gateway(), own, hosts, directory);
    this.gateway = newGateway;
    this.vertx = vertx;
    SignInOptions signInOptions = options.auth().signIn();
    SignIn newSignIn = signInOptions == null ? null : signIn(signInOptions);
    this.signIn = newSignIn;
    if (newSignIn != null) {
      access.ownTokens(newSignIn.tokens());
      CallerTokens.of(vertx).signedIn(newSignIn.prefix(), newSignIn::providerToken);
    }
    this.bridges =
        BridgeVerticle.several(
            hosts,
            http,
            () -> UUID.randomUUID().toString(),
            newGateway::endpoint,
            () -> newSignIn == null ? null : newSignIn.handler(),
            access::admissionControl,
            readiness,
            (principal, request) -> directory.caller(vertx, principal, request));
  }

  private SignIn signIn(SignInOptions options) {
    return new SignIn(
        options,
        new SignIn.SignInWorld(
            vertx,
            purpose -> Objects.requireNonNull(secret.get(), "before prepare()").apply(purpose),
            OwnTokenStore.of(vertx, System.getenv()),
            OnceOnly.of(vertx)::first,
            HostResolver.system(vertx),
            InstantSource.system(),
            System::nanoTime));
  }

  /** What must be there before the doors open: the key of the sign-in. */
  Future<Void> prepare() {
    if (signIn == null) {
      return Future.succeededFuture();
    }
    return KeptKey.of(vertx, System.getenv())
        .<Function<String, byte[]>>map(key -> key::derived)
        .recover(
            failure -> {
              if (!(failure instanceof FileSystemException)) {
                return Future.failedFuture(failure);
              }
              LOG.warn("auth.signIn: all logins end with this process: {}", failure.getMessage());
              byte[] random = OAuthDigests.random(32);
              return Future.succeededFuture(
                  purpose ->
                      ClusterSecret.hmac(random).doFinal(purpose.getBytes(StandardCharsets.UTF_8)));
            })
        .onSuccess(secret::set)
        .mapEmpty();
  }

  /** What to deploy, in this order. */
  List<Deployable> verticles() {
    List<Deployable> all = new ArrayList<>(gateway.actors());
    all.addAll(bridges);
    return all;
  }

  /** The number of open connections of HTTP clients. */
  int sockets() {
    return bridges.get(0).connections();
  }

  int port() {
    return bridges.get(0).port();
  }
}
