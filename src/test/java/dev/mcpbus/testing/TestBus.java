package dev.mcpbus.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.McpBus;
import dev.mcpbus.Reload;
import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerResult;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.PinStore;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.hosting.credentials.OAuthAuthenticators;
import dev.mcpbus.input.InputOptions;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.oauth.OwnTokenStore;
import dev.mcpbus.security.oauth.TokenStore;
import dev.mcpbus.supervisor.SupervisorOptions;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.Transport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A whole mcpbus with real servers, for tests that run outside an event loop. Closing it asserts
 * that no event loop was blocked.
 */
public final class TestBus implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final long BLOCKED_MILLIS = 2_000;

  private final Vertx vertx;
  private final McpBus bus;
  private final List<JsonObject> events = new CopyOnWriteArrayList<>();
  private final LoopWatch watch = LoopWatch.begin(BLOCKED_MILLIS);

  /** What a test may put in place of what the service has. */
  private record Seams(
      @Nullable BridgeOptions bridge,
      GatewayOptions gateway,
      SupervisorOptions supervisor,
      InputOptions input,
      VertxOptions vertx,
      Consumer<Vertx> before,
      Function<Vertx, AuthenticatorFactory> authenticators,
      Function<Vertx, PinStore> pins) {

    static final Seams NONE =
        new Seams(
            null,
            GatewayOptions.DEFAULT,
            SupervisorOptions.DEFAULT,
            InputOptions.DEFAULT,
            new VertxOptions(),
            vertx -> {},
            vertx -> OAuthAuthenticators.ofVariables(vertx, System.getenv()),
            vertx -> PinStore.inMemory());

    Seams with(@Nullable BridgeOptions other) {
      return with(other, gateway);
    }

    Seams with(@Nullable BridgeOptions other, GatewayOptions views) {
      return new Seams(other, views, supervisor, input, vertx, before, authenticators, pins);
    }
  }

  private TestBus(Vertx vertx, TestOptions options, Seams seams) {
    this.vertx = vertx;
    OwnTokenStore.use(vertx, TokenStore.inMemory()); // each bus begins as that of a new user does
    vertx.eventBus().<JsonObject>consumer(Addresses.ALL_EVENTS, event -> events.add(event.body()));
    try {
      this.bus =
          await(
              options
                  .withAuthenticators(seams.authenticators.apply(vertx))
                  .withPins(seams.pins.apply(vertx))
                  .start(vertx));
    } catch (RuntimeException | Error failed) {
      watch.close();
      throw failed;
    }
  }

  /** Starts servers as a file's {@code mcpServers} object has them; no bridge. */
  public static TestBus start(JsonObject mcpServers) {
    return start(mcpServers, Seams.NONE);
  }

  /** The same, with a bridge on a free port. */
  public static TestBus startWithBridge(JsonObject mcpServers) {
    return start(
        mcpServers, Seams.NONE.with(BridgeOptions.DEFAULT.withPort(0), GatewayOptions.DEFAULT));
  }

  /** With a bridge on a free port, and a gateway of those options. */
  public static TestBus startWithGateway(JsonObject mcpServers, GatewayOptions gateway) {
    return start(mcpServers, Seams.NONE.with(BridgeOptions.DEFAULT.withPort(0), gateway));
  }

  /** Servers whose questions wait so long for an answer. */
  public static TestBus start(JsonObject mcpServers, InputOptions input) {
    Seams none = Seams.NONE;
    return start(
        mcpServers,
        new Seams(
            null,
            none.gateway,
            none.supervisor,
            input,
            none.vertx,
            none.before,
            none.authenticators,
            none.pins));
  }

  /** With a memory for pins; no bridge. */
  public static TestBus startPinned(JsonObject mcpServers, Function<Vertx, PinStore> pins) {
    Seams none = Seams.NONE;
    return start(
        mcpServers,
        new Seams(
            null,
            none.gateway,
            none.supervisor,
            none.input,
            none.vertx,
            none.before,
            none.authenticators,
            pins));
  }

  /**
   * @param before runs before the servers are started
   */
  public static TestBus start(
      JsonObject mcpServers,
      @Nullable BridgeOptions bridge,
      SupervisorOptions supervisor,
      Consumer<Vertx> before) {
    Seams none = Seams.NONE;
    return start(
        mcpServers,
        new Seams(
            bridge,
            none.gateway,
            supervisor,
            none.input,
            none.vertx,
            before,
            none.authenticators,
            none.pins));
  }

  /**
   * @param options of Vert.x; the check for blocked event loops is added
   * @param authenticators credentials for servers over HTTP
   */
  public static TestBus start(
      JsonObject mcpServers,
      VertxOptions options,
      Function<Vertx, AuthenticatorFactory> authenticators) {
    Seams none = Seams.NONE;
    return start(
        mcpServers,
        new Seams(
            null,
            none.gateway,
            none.supervisor,
            none.input,
            options,
            none.before,
            authenticators,
            none.pins));
  }

  /** With a bridge of those options, whose callers have to log in. */
  public static TestBus startWithAuth(
      JsonObject mcpServers, BridgeOptions bridge, AuthOptions auth) {
    return start(mcpServers, Seams.NONE.with(bridge), auth);
  }

  /** The same, with what a bus before has stored. */
  public static TestBus startWithAuth(
      JsonObject mcpServers, BridgeOptions bridge, AuthOptions auth, TokenStore stored) {
    Seams none = Seams.NONE;
    Seams seams =
        new Seams(
            bridge,
            none.gateway,
            none.supervisor,
            none.input,
            none.vertx,
            none.before,
            vertx -> {
              OwnTokenStore.use(vertx, stored);
              return none.authenticators.apply(vertx);
            },
            none.pins);
    return start(mcpServers, seams, auth);
  }

  /** The same, with a gateway of those options. */
  public static TestBus startWithAuth(
      JsonObject mcpServers, BridgeOptions bridge, GatewayOptions gateway, AuthOptions auth) {
    return start(mcpServers, Seams.NONE.with(bridge, gateway), auth);
  }

  private static TestBus start(JsonObject mcpServers, Seams seams) {
    return start(mcpServers, seams, AuthOptions.NONE);
  }

  /** Servers that were read already, and a bridge on a free port. */
  public static TestBus startDefined(List<ServerDefinition> servers) {
    return start(servers, Seams.NONE.with(BridgeOptions.DEFAULT.withPort(0)), AuthOptions.NONE);
  }

  private static TestBus start(JsonObject mcpServers, Seams seams, AuthOptions auth) {
    return start(read(mcpServers), seams, auth);
  }

  private static List<ServerDefinition> read(JsonObject mcpServers) {
    List<ServerDefinition> servers = new ArrayList<>();
    mcpServers.forEach(entry -> servers.add(read(entry.getKey(), (JsonObject) entry.getValue())));
    return servers;
  }

  /** With a state directory; no bridge. */
  public static TestBus startIn(Path state, JsonObject mcpServers) {
    return start(read(mcpServers), Seams.NONE, AuthOptions.NONE, state);
  }

  private static TestBus start(List<ServerDefinition> servers, Seams seams, AuthOptions auth) {
    return start(servers, seams, auth, null);
  }

  private static TestBus start(
      List<ServerDefinition> servers, Seams seams, AuthOptions auth, @Nullable Path state) {
    Vertx vertx =
        Vertx.vertx(
            new VertxOptions(seams.vertx)
                .setBlockedThreadCheckInterval(200)
                .setMaxEventLoopExecuteTimeUnit(TimeUnit.MILLISECONDS)
                .setMaxEventLoopExecuteTime(BLOCKED_MILLIS)
                // Then the log has the stack, too.
                .setWarningExceptionTimeUnit(TimeUnit.MILLISECONDS)
                .setWarningExceptionTime(BLOCKED_MILLIS));
    seams.before.accept(vertx);
    return new TestBus(
        vertx,
        TestOptions.of(
                servers,
                seams.supervisor,
                null,
                ServerEntryReader.in(
                    Path.of("."), ConfigEnvironment.system(), ServerSettings.DEFAULT))
            .withAuth(auth)
            .withStateDir(state)
            .withBridge(seams.bridge)
            .withGateway(seams.gateway)
            .withInput(seams.input),
        seams);
  }

  /** One server. */
  public static JsonObject server(String name, JsonObject entry) {
    return new JsonObject().put(name, entry);
  }

  private static ServerDefinition read(String name, JsonObject entry) {
    ServerResult result =
        ConfigReader.readServer(
            name, entry, ConfigEnvironment.system(), Path.of("."), ServerSettings.DEFAULT);
    if (!result.problems().isEmpty()) {
      throw McpFailure.notSent(FailureCode.BAD_REQUEST, String.valueOf(result.problems()));
    }
    return result.usable().orElseThrow();
  }

  public Vertx vertx() {
    return vertx;
  }

  public McpBus bus() {
    return bus;
  }

  public int port() {
    return bus.port();
  }

  /**
   * Adds a server of the test's own.
   *
   * @param drain how long its calls in flight have when it is taken down
   */
  public void add(String id, Transport transport, ConnectionOptions options, Duration drain) {
    ServerDefinition server =
        TestOptions.definition(new ConnectionId(id), transport, options, drain);
    await(
        Reload.of(
            bus,
            new ConfigDiff(List.of(server), List.of(), List.of(), List.of(), null, List.of())));
  }

  /** All events so far. */
  public List<JsonObject> events() {
    return events;
  }

  public List<JsonObject> events(String type) {
    return events.stream().filter(event -> type.equals(event.getString("type"))).toList();
  }

  public static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new AssertionError(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("no ending within 60 s", e);
    }
  }

  /** Sends and waits for the reply's body. */
  @SuppressWarnings("TypeParameterUnusedInFormals") // the caller knows what it asked for
  public <T> T request(String address, Object body) {
    return request(address, body, new DeliveryOptions());
  }

  @SuppressWarnings("TypeParameterUnusedInFormals") // the caller knows what it asked for
  public <T> T request(String address, Object body, DeliveryOptions options) {
    return await(this.<T>send(address, body, options));
  }

  /** Sends and does not wait. */
  public <T> Future<T> send(String address, Object body, DeliveryOptions options) {
    return vertx.eventBus().<T>request(address, body, options).map(Message::body);
  }

  /** Sends, and gives the failure that must come back. */
  public McpFailure failure(String address, Object body, DeliveryOptions options) {
    Future<Object> sent = this.<Object>send(address, body, options);
    try {
      Object reply = await(sent);
      throw new AssertionError("expected a failure but got " + reply);
    } catch (RuntimeException e) {
      return McpFailure.of(e);
    }
  }

  public McpFailure failure(String address, Object body) {
    return failure(address, body, new DeliveryOptions());
  }

  public static String address(String id, String suffix) {
    return Addresses.of(new ConnectionId(id), suffix);
  }

  public static JsonObject toolCall(String tool, JsonObject arguments) {
    return new JsonObject().put("name", tool).put("arguments", arguments);
  }

  public JsonObject callTool(String id, String tool, JsonObject arguments) {
    return request(address(id, Addresses.TOOLS_CALL), toolCall(tool, arguments));
  }

  public JsonObject status(String id) {
    return request(address(id, Addresses.STATUS), new JsonObject());
  }

  /** Waits until the connection is in one of {@code states}; gives its status. */
  public JsonObject awaitState(String id, String... states) {
    List<String> wanted = List.of(states);
    return Awaitility.await(id + " to be " + wanted)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> status(id), status -> wanted.contains(status.getString("state")));
  }

  /** Waits for an event of that type of that connection. */
  public void awaitEvent(String id, String type) {
    Awaitility.await(type + " of " + id)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> events(type).stream().anyMatch(event -> id.equals(event.getString("id"))));
  }

  @Override
  public void close() {
    ScriptedPeer.hangUpAll(vertx);
    await(bus.close());
    await(vertx.close());
    watch.close();
    assertThat(watch.found()).as("an event loop was blocked").isEmpty();
  }
}
