package dev.mcpbus.connection.options;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Transport;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Everything that {@code ConnectionVerticle} needs; {@code hosting} makes it of a definition.
 *
 * @param id the id of the server, part of its addresses
 * @param transport opens channels to the server
 * @param options the behaviour of the connection
 * @param clientInfo our name and version for the handshake
 * @param capabilities the capabilities that we offer the server in any case: {@code elicitation},
 *     {@code sampling}, ...
 * @param rpcLog where its JSON-RPC messages are shown
 * @param pins stores pinned definitions beyond the end of the process
 * @param eras stores beyond the end of the process which servers are not to be probed
 * @param privateConnection names the client of a private connection; null where all callers share
 *     it
 * @param ownership the right to serve in a cluster; null on a single node
 * @param local which of several connections on a single node it is; null for the only one
 * @param callers makes the role of the home of a server of callers; null for any other connection
 */
public record ConnectionSpec(
    ConnectionId id,
    Transport transport,
    ConnectionOptions options,
    Implementation clientInfo,
    JsonObject capabilities,
    RpcLogTaps rpcLog,
    PinStore pins,
    PinStore eras,
    @Nullable PrivateConnection privateConnection,
    @Nullable Ownership ownership,
    @Nullable LocalReplica local,
    ReplicaRole.@Nullable RoleFactory callers) {

  /** The capabilities that the connection states to its server, whatever callers offer. */
  public RawJson offered() {
    return privateConnection == null || privateConnection.principal() != null
        ? RawJson.of(capabilities)
        : privateConnection.capabilities();
  }

  /** By what its supervisor knows it. */
  public ReplicaId child() {
    return local == null ? new ReplicaId(id, 0) : local.id();
  }

  /** Makes the role of one of several connections; null for the only one. */
  public ReplicaRole.@Nullable RoleFactory several() {
    return callers != null
        ? callers
        : local != null ? local.role() : ownership == null ? null : ownership.several();
  }

  /** The id of the server, by which people know it: a private connection has another one itself. */
  public ConnectionId server() {
    return privateConnection == null ? id : privateConnection.of();
  }
}
