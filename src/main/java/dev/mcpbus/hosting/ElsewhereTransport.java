package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.RpcLogMode;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.supervisor.RestartPolicy;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.EmbeddedTransportOptions;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;

/**
 * Stands for a transport that only the program on another node has. Opens nothing: this node passes
 * what needs a connection on to the other one. Immutable.
 *
 * @param target where the server is
 */
public record ElsewhereTransport(String target) implements Transport {

  /** The definition of such a server on all other nodes. */
  public static ServerDefinition definition(
      ConnectionId id, String name, ConnectionOptions options, String source, JsonObject view) {
    return new ServerDefinition(
        id,
        name,
        new EmbeddedTransportOptions(new ElsewhereTransport(source)),
        options,
        RestartPolicy.DEFAULT,
        RpcLogMode.OFF,
        Duration.ZERO,
        source,
        view,
        Redactor.NONE,
        null,
        List.of());
  }

  @Override
  public String type() {
    return EmbeddedTransportOptions.TYPE;
  }

  @Override
  public Future<Channel> open(Context owner, Channel.Receiver receiver) {
    return Future.failedFuture(
        new TransportException(
            TransportException.Reason.START_FAILED,
            TransportException.Reached.NO,
            "the server belongs to " + target));
  }
}
