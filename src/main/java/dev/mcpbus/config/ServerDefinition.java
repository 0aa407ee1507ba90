package dev.mcpbus.config;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.supervisor.RestartPolicy;
import dev.mcpbus.transport.TransportOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The checked definition of one server, from a file or from {@code mcp.servers.add}. Immutable.
 *
 * @param id derived from {@code name}
 * @param name the key as written
 * @param transport how to reach the server
 * @param connection how the connection behaves
 * @param restart how the supervisor restarts it
 * @param rpcLog where its JSON-RPC messages are logged
 * @param drain how long calls in flight may take when its session is stopped
 * @param source where it was defined, {@code file:line}, for messages
 * @param view what may be shown of it, with {@code "***"} in place of secrets
 * @param redactor removes its secrets from texts
 * @param origin from which another node can read the definition; null if only this process has it
 * @param others how to reach the further instances of {@code urls}; {@code transport} is the first
 */
public record ServerDefinition(
    ConnectionId id,
    String name,
    TransportOptions transport,
    ConnectionOptions connection,
    RestartPolicy restart,
    RpcLogMode rpcLog,
    Duration drain,
    String source,
    JsonObject view,
    Redactor redactor,
    @Nullable ServerOrigin origin,
    List<TransportOptions> others) {

  public ServerDefinition {
    others = List.copyOf(others);
    view = view.copy();
  }

  /** A copy. */
  @Override
  public JsonObject view() {
    return view.copy();
  }

  /** A definition that only this process has. */
  public ServerDefinition(
      ConnectionId id,
      String name,
      TransportOptions transport,
      ConnectionOptions connection,
      RestartPolicy restart,
      RpcLogMode rpcLog,
      Duration drain,
      String source,
      JsonObject view,
      Redactor redactor) {
    this(
        id,
        name,
        transport,
        connection,
        restart,
        rpcLog,
        drain,
        source,
        view,
        redactor,
        null,
        List.of());
  }

  /** From the open channel to a ready session. */
  public Duration handshakeTimeout() {
    return connection.handshakeTimeout();
  }

  /** How long a command such as {@code npx} may install before that. */
  public Duration installTimeout() {
    return connection.installTimeout();
  }

  /**
   * A copy that connects when a caller wants it to, whatever the entry says.
   *
   * @param handshakeTimeout in place of that of the entry
   * @param installTimeout the same
   */
  public ServerDefinition onDemand(Duration handshakeTimeout, Duration installTimeout) {
    return RecordCopy.with(
        this,
        "connection",
        RecordCopy.with(
            connection,
            Map.of(
                "lazy",
                true,
                "handshakeTimeout",
                handshakeTimeout,
                "installTimeout",
                installTimeout)));
  }

  /** Whether both make the same connection, so that a reload need not restart it. */
  public boolean sameAs(ServerDefinition other) {
    return id.equals(other.id)
        && transport.equals(other.transport)
        && others.equals(other.others)
        && connection.equals(other.connection)
        && restart.equals(other.restart)
        && rpcLog == other.rpcLog
        && drain.equals(other.drain)
        && labels().equals(other.labels())
        && replicas() == other.replicas();
  }

  /** How many connections the server has: on one node, or in a cluster each on its own. */
  public int replicas() {
    return others.isEmpty() ? origin == null ? 1 : origin.replicas() : others.size() + 1;
  }

  /** How to reach the instance of the connection with that number, from 0. */
  public TransportOptions transport(int number) {
    return number == 0 || others.isEmpty() ? transport : others.get((number - 1) % others.size());
  }

  /** Names what the entry says, to tell whether a connection runs the same. */
  public String version() {
    return origin == null ? "" : Integer.toHexString(origin.text().hashCode());
  }

  /** The labels that a node must have to own it. */
  public Set<String> labels() {
    return origin == null ? Set.of() : origin.labels();
  }

  /** Shows no transport and no view: the transport may hold secrets. */
  @Override
  public String toString() {
    return "server " + id + " (" + transport.type() + ", " + source + ")";
  }
}
