package dev.mcpbus;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.TelemetryOptions;
import dev.mcpbus.cluster.ownership.OwnershipOptions;
import dev.mcpbus.config.RpcLogMode;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.PinStore;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.input.InputOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.supervisor.RestartPolicy;
import dev.mcpbus.supervisor.SupervisorOptions;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.EmbeddedTransportOptions;
import dev.mcpbus.transport.Transport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Starts a bus with the records that a configuration comes to, for tests in other packages and
 * benchmarks: with bounds, and servers, that no document can say.
 */
public final class TestOptions {

  private final BusSettings settings;

  private TestOptions(BusSettings settings) {
    this.settings = settings;
  }

  /** What the options of a program come to. */
  public static TestOptions of(McpBus.Options options) {
    return new TestOptions(options.settings());
  }

  public static TestOptions of(
      List<ServerDefinition> servers,
      SupervisorOptions supervisor,
      @Nullable BridgeOptions bridge,
      ServerEntryReader reader) {
    return of(McpBus.Options.of())
        .set("servers", servers)
        .set("supervisor", supervisor)
        .set("bridge", bridge)
        .set("reader", reader);
  }

  public Future<McpBus> start(Vertx vertx) {
    return McpBus.start(vertx, settings);
  }

  /** Login with these keys alone, with an audit log. */
  public static AuthOptions ofKeys(List<AuthOptions.ApiKey> keys) {
    return new AuthOptions(
        keys,
        List.of(),
        null,
        AuthOptions.Dpop.DEFAULT,
        List.of(),
        AuthOptions.Limits.UNBOUNDED,
        true,
        null);
  }

  /** The issuer of the name {@code jwt} alone, for tokens of the audience {@code mcpbus}. */
  public static List<AuthOptions.Issuer> issuer(
      String url, Set<String> scopes, Set<String> adminScopes, Duration leeway) {
    return List.of(
        RecordCopy.with(
            AuthOptions.Issuer.of(AuthOptions.Issuer.DEFAULT_NAME, url, Set.of("mcpbus")),
            Map.of("requiredScopes", scopes, "adminScopes", adminScopes, "leeway", leeway)));
  }

  /** Adds a server over a transport of the test's own. */
  public static Future<Void> add(
      McpBus bus, ConnectionId id, Transport transport, ConnectionOptions options) {
    return Reload.add(bus, definition(id, transport, options, Duration.ofSeconds(5)));
  }

  /** What {@link #add} adds. */
  public static ServerDefinition definition(
      ConnectionId id, Transport transport, ConnectionOptions options, Duration drain) {
    return new ServerDefinition(
        id,
        id.value(),
        new EmbeddedTransportOptions(transport),
        options,
        RestartPolicy.DEFAULT,
        RpcLogMode.OFF,
        drain,
        "a test",
        new JsonObject().put("type", transport.type()),
        Redactor.NONE,
        null,
        List.of());
  }

  private TestOptions set(String component, @Nullable Object value) {
    return new TestOptions(RecordCopy.with(settings, component, value));
  }

  public TestOptions withBridge(@Nullable BridgeOptions other) {
    return set("bridge", other);
  }

  public TestOptions withGateway(GatewayOptions other) {
    return set("gateway", other);
  }

  public TestOptions withAuth(AuthOptions other) {
    return set("auth", other);
  }

  public TestOptions withInput(InputOptions other) {
    return set("input", other);
  }

  public TestOptions withNames(NamePolicy other) {
    return set("names", other);
  }

  public TestOptions withSearch(boolean other) {
    return set("search", other);
  }

  public TestOptions withPlacement(OwnershipOptions other) {
    return set("placement", other);
  }

  public TestOptions withTelemetry(TelemetryOptions other) {
    return set("telemetry", other);
  }

  public TestOptions withStateDir(@Nullable Path other) {
    return set("stateDir", other);
  }

  public TestOptions withAuthenticators(AuthenticatorFactory other) {
    Function<Vertx, AuthenticatorFactory> always = vertx -> other;
    return set("authenticators", always);
  }

  public TestOptions withPins(PinStore other) {
    return set("pins", other);
  }
}
