package dev.mcpbus.config;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.ConnectionOptions;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.supervisor.RestartPolicy;
import dev.mcpbus.transport.TransportOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One server as a file or {@code mcp.servers.add} defines it, read and checked.
 *
 * @param id derived from {@code name}
 * @param name the key as it was written
 * @param transport how to reach it
 * @param connection how the connection behaves
 * @param restart how it is supervised
 * @param rpcLog what happens to its JSON-RPC messages
 * @param drain how long calls in flight may take when its session is stopped; for its child
 *     specification
 * @param source where it was defined, {@code file:line}, for messages
 * @param view what may be shown of it: secrets are replaced by {@code "***"}
 * @param redactor takes its secrets out of every text about it
 * @param origin what another node can read it from; null for one that only this process can make
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
    @Nullable ServerOrigin origin) {

  /** Of this process alone. */
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
    this(id, name, transport, connection, restart, rpcLog, drain, source, view, redactor, null);
  }

  ServerDefinition withOrigin(ServerOrigin value) {
    return new ServerDefinition(
        id, name, transport, connection, restart, rpcLog, drain, source, view, redactor, value);
  }

  /** True where both would make the same connection, so that a reload can leave it alone. */
  public boolean sameAs(ServerDefinition other) {
    return id.equals(other.id)
        && transport.equals(other.transport)
        && connection.equals(other.connection)
        && restart.equals(other.restart)
        && rpcLog == other.rpcLog
        && drain.equals(other.drain)
        && labels().equals(other.labels())
        && replicas() == other.replicas();
  }

  /** How many connections it has in a cluster, on one node each. */
  public int replicas() {
    return origin == null ? 1 : origin.replicas();
  }

  /** What a node must have to run it. */
  public Set<String> labels() {
    return origin == null ? Set.of() : origin.labels();
  }

  /** Says nothing of transport and view but their kind: the first may hold secrets. */
  @Override
  public String toString() {
    return "server " + id + " (" + transport.type() + ", " + source + ")";
  }
}
