package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.DisconnectedServers;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.config.RpcLogMode;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.ConnectionVerticle;
import dev.mcpbus.connection.options.ConnectionSpec;
import dev.mcpbus.connection.options.LocalReplica;
import dev.mcpbus.connection.options.Ownership;
import dev.mcpbus.connection.options.PinStore;
import dev.mcpbus.connection.options.PrivateConnection;
import dev.mcpbus.connection.options.RpcLogTaps;
import dev.mcpbus.observability.RpcLog;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.MessageTap;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.replicas.CallerConnections;
import dev.mcpbus.replicas.LocalReplicas;
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

  /** One of the connections of a server on a node without a cluster. */
  ChildSpec childSpec(ServerDefinition definition, int number) {
    ReplicaId id = new ReplicaId(definition.id(), number);
    LocalReplica local =
        definition.replicas() == 1
            ? null
            : LocalReplicas.of(vertx).replica(id, definition.connection(), definition.version());
    return childSpec(definition, id.key(), number, null, local, 0);
  }

  /**
   * @param replica which of the connections of the server
   * @param ownership the claim under which the connection runs
   * @param epochBase the epochs of its sessions are higher
   */
  ChildSpec childSpec(
      ServerDefinition definition, ReplicaId replica, Ownership ownership, long epochBase) {
    String id = definition.id().value(); // a node has one of them
    return childSpec(definition, id, replica.number(), ownership, null, epochBase);
  }

  private ChildSpec childSpec(
      ServerDefinition definition,
      String id,
      int number,
      @Nullable Ownership ownership,
      @Nullable LocalReplica local,
      long epochBase) {
    return new ChildSpec(
        id,
        definition.id().value(),
        () -> new ConnectionVerticle(connectionSpec(definition, number, ownership, local)),
        definition.restart(),
        definition.connection().lazy() || DisconnectedServers.of(vertx).contains(id),
        false,
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
                    transport(
                        definition, instance(definition, name), privateConnection.principal()),
                    definition.connection(),
                    clientInfo,
                    definition.connection().capabilities(),
                    new DefinedTaps(vertx, definition, Map.of("lease", name.value()), shown),
                    pins,
                    eras,
                    privateConnection,
                    null,
                    null,
                    null)),
        definition.restart(),
        false,
        true,
        definition.drain(),
        Duration.ofSeconds(10),
        0);
  }

  /** The instance that a private connection goes to. */
  private int instance(ServerDefinition definition, ConnectionId name) {
    return definition.others().isEmpty()
        ? 0
        : LocalReplicas.of(vertx).instance(definition.id(), name.value(), definition.replicas());
  }

  private ConnectionSpec connectionSpec(
      ServerDefinition definition,
      int number,
      @Nullable Ownership ownership,
      @Nullable LocalReplica local) {
    Map<String, String> which =
        ownership != null
            ? Map.of("node", ownership.node())
            : local != null ? Map.of("replica", Integer.toString(number)) : Map.of();
    return new ConnectionSpec(
        definition.id(),
        transport(definition, number, null),
        definition.connection(),
        clientInfo,
        definition.connection().capabilities(),
        new DefinedTaps(vertx, definition, which, () -> null),
        pins,
        eras,
        null,
        ownership,
        local,
        definition.connection().isOfCallers()
            ? (of, self) ->
                new CallerConnections(of, definition.id(), definition.connection(), self)
            : null);
  }

  /** Removes the definition's secrets from all that the transport says about itself. */
  private Transport transport(ServerDefinition definition, int number, @Nullable String principal) {
    Transport transport =
        BuiltInTransports.create(
            vertx,
            definition.transport(number),
            options -> authenticators.create(definition.id().value(), principal, options));
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
