package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.RpcLogMode;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.ConnectionVerticle;
import dev.mcpbus.connection.options.ConnectionSpec;
import dev.mcpbus.connection.options.Ownership;
import dev.mcpbus.connection.options.PinStore;
import dev.mcpbus.connection.options.PrivateConnection;
import dev.mcpbus.connection.options.RpcLogTaps;
import dev.mcpbus.observability.RpcLog;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.MessageTap;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.supervisor.ChildSpec;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.RedactedTransport;
import dev.mcpbus.transport.Transport;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns a definition into the child specification of a connection, which a supervisor can start.
 * Immutable; used on the context of {@link ServersVerticle}.
 *
 * @param pins keeps pinned tool definitions
 * @param eras keeps which servers are not to be probed
 */
public record ConnectionFactory(
    Vertx vertx,
    Implementation clientInfo,
    AuthenticatorFactory authenticators,
    PinStore pins,
    PinStore eras) {

  ChildSpec childSpec(ServerDefinition definition) {
    return childSpec(definition, null, 0);
  }

  /**
   * @param ownership the claim under which the connection runs, null on a node without a cluster
   * @param epochBase the epochs of its sessions are higher
   */
  ChildSpec childSpec(ServerDefinition definition, @Nullable Ownership ownership, long epochBase) {
    return new ChildSpec(
        definition.id().value(),
        () -> new ConnectionVerticle(connectionSpec(definition, ownership)),
        definition.restart(),
        definition.connection().lazy(),
        definition.drain(),
        Duration.ofSeconds(10),
        epochBase);
  }

  /**
   * The child specification of a private connection: the same server once more, for one client.
   *
   * @param shown where an operator wants to see the messages of the server's private connections
   *     now; null for the mode of the configuration
   */
  ChildSpec privateChildSpec(
      ServerDefinition definition,
      ConnectionId name,
      PrivateConnection privateConnection,
      Supplier<RpcLogTaps.@Nullable TemporaryMode> shown) {
    return new ChildSpec(
        name.value(),
        definition.id().value(),
        () ->
            new ConnectionVerticle(
                new ConnectionSpec(
                    name,
                    transport(definition),
                    definition.connection(),
                    clientInfo,
                    definition.connection().capabilities(),
                    new DefinedTaps(vertx, definition, Map.of("lease", name.value()), shown),
                    pins,
                    eras,
                    privateConnection,
                    null)),
        definition.restart(),
        false,
        true,
        definition.drain(),
        Duration.ofSeconds(10),
        0);
  }

  private ConnectionSpec connectionSpec(
      ServerDefinition definition, @Nullable Ownership ownership) {
    return new ConnectionSpec(
        definition.id(),
        transport(definition),
        definition.connection(),
        clientInfo,
        definition.connection().capabilities(),
        new DefinedTaps(
            vertx,
            definition,
            ownership == null ? Map.of() : Map.of("node", ownership.node()),
            () -> null),
        pins,
        eras,
        null,
        ownership);
  }

  /** Removes the definition's secrets from all that the transport says about itself. */
  private Transport transport(ServerDefinition definition) {
    Transport transport =
        BuiltInTransports.create(
            vertx,
            definition.transport(),
            options -> authenticators.create(definition.id().value(), options));
    Redactor redactor = definition.redactor();
    return redactor == Redactor.NONE ? transport : new RedactedTransport(transport, redactor);
  }

  /**
   * The taps of a server's definition, which mask its secrets.
   *
   * @param which of the server's connections it is: members of the messages on the bus
   */
  private record DefinedTaps(
      Vertx vertx,
      ServerDefinition definition,
      Map<String, String> which,
      Supplier<RpcLogTaps.@Nullable TemporaryMode> shown)
      implements RpcLogTaps {

    private static final List<String> MODES =
        Arrays.stream(RpcLogMode.values()).map(RpcLogMode::word).toList();

    @Override
    public String configured() {
      return definition.rpcLog().word();
    }

    @Override
    public @Nullable TemporaryMode temporary() {
      return shown.get();
    }

    @Override
    public List<String> modes() {
      return MODES;
    }

    @Override
    public @Nullable MessageTap tap(String mode) {
      Redactor secrets = definition.redactor();
      return switch (RpcLogMode.valueOf(mode.toUpperCase(Locale.ROOT))) {
        case OFF -> null;
        case ON -> RpcLog.toLog(definition.id(), secrets);
        case BUS -> RpcLog.toBus(vertx, definition.id(), which, secrets, InstantSource.system());
      };
    }
  }
}
