package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.DpopMode;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.testing.OAuthWorld;
import dev.mcpbus.transport.OAuthOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An authorization server, an MCP server and a fixed clock for each test. */
abstract class OAuthFixture {

  Vertx vertx;
  OAuthWorld world;
  TokenStore store;
  volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");
  final List<URI> prompts = new CopyOnWriteArrayList<>();
  final List<URI> ended = new CopyOnWriteArrayList<>();
  final Map<String, String> hosts = new ConcurrentHashMap<>();
  volatile boolean personIsPresent = true;
  Duration patience = Duration.ofSeconds(2);
  volatile Consumer<URI> onPrompt = page -> {};

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    world = new OAuthWorld(vertx);
    store = TokenStore.inMemory();
  }

  @AfterEach
  void stop() {
    world.close();
    vertx.close().await();
  }

  OAuthSettings settings() {
    return settings(OAuthGrant.AUTHORIZATION_CODE);
  }

  OAuthSettings settings(OAuthGrant grant) {
    return new OAuthSettings(
        world.url(),
        new OAuthOptions(
            grant,
            grant == OAuthGrant.AUTHORIZATION_CODE || grant == OAuthGrant.WORKLOAD_IDENTITY
                ? null
                : "machine",
            grant == OAuthGrant.CLIENT_CREDENTIALS ? Sensitive.of("s3cret/+") : null,
            null,
            List.of(),
            null,
            null,
            URI.create("http://127.0.0.1:0/callback"),
            null,
            null,
            null,
            null,
            DpopMode.AUTO,
            null,
            null));
  }

  /** The token that a request would carry, null for none. */
  Future<@Nullable String> token(OAuthClient client) {
    return client
        .headers("POST", () -> world.url().toString())
        .map(headers -> headers.get("Authorization"))
        .map(header -> header == null ? null : header.reveal().replaceFirst("^\\S+ ", ""));
  }

  OAuthClient client() {
    return client(settings());
  }

  OAuthClient client(OAuthSettings settings) {
    return client(settings, Duration.ofSeconds(10));
  }

  OAuthClient client(OAuthSettings settings, Duration loginTimeout) {
    return new OAuthClient(settings, environment(loginTimeout), null);
  }

  OAuthClient.Environment environment(Duration loginTimeout) {
    return new OAuthClient.Environment(
        vertx,
        store,
        new LoginPrompt() {
          @Override
          public void login(String server, URI page, Duration within) {
            prompts.add(page);
            onPrompt.accept(page);
            if (personIsPresent) {
              world.browse(page);
            }
          }

          @Override
          public void ended(URI page) {
            ended.add(page);
          }
        },
        this::resolve,
        () -> now,
        patience,
        loginTimeout);
  }

  /** Resolves the names of the test; any other host must be an address. Uses no DNS. */
  private Future<List<InetAddress>> resolve(String host) {
    try {
      String address = hosts.getOrDefault(host, host);
      return address.matches("[0-9.]+|[0-9a-f:]+")
          ? Future.succeededFuture(List.of(InetAddress.getByName(address)))
          : Future.failedFuture("unknown");
    } catch (UnknownHostException e) {
      return Future.failedFuture(e);
    }
  }

  boolean challenged(OAuthClient client) throws Exception {
    return get(client.challenged(401, world.challenge, null));
  }

  /** The reason why a challenge gives no token. */
  OAuthException refused(OAuthClient client) throws Exception {
    Future<Boolean> outcome = client.challenged(401, world.challenge, null);
    outcome.otherwiseEmpty().await(60, TimeUnit.SECONDS);
    assertThat(outcome.cause()).isInstanceOf(OAuthException.class);
    return (OAuthException) outcome.cause();
  }

  static <T> T get(Future<T> future) throws Exception {
    return future.await(60, TimeUnit.SECONDS);
  }

  static JsonObject json(String name, @Nullable Object value) {
    return new JsonObject().put(name, value);
  }

  static JsonArray list(String... items) {
    return new JsonArray(List.of((Object[]) items));
  }

  static Map<String, String> query(URI page) {
    return OAuthWorld.fields(page.getRawQuery());
  }
}
