package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.directory.DirectorySnapshot;
import dev.mcpbus.directory.DirectoryView;
import dev.mcpbus.gateway.request.GatewayCall;
import dev.mcpbus.gateway.request.GatewayRequest;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.RandomNames;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;

/**
 * The request of a {@code discover} client for a page of a list, which its session host answers
 * with the client's own lists. Confined to the host's context.
 */
final class ListRequest extends GatewayCall {

  private static final int CALL_ID_BYTES = 16;

  private final GatewayClient client;
  private final ListKind kind;
  private final ClientStatement statement;

  ListRequest(
      HostParts host,
      GatewayClient client,
      ListKind kind,
      DirectoryView view,
      Principal principal,
      RawJson params,
      ClientStatement statement) {
    super(
        host.vertx(),
        host.sender(),
        new GatewayRequest(
            Era.DISCOVER,
            principal,
            view,
            kind.method,
            params,
            RandomNames.create(CALL_ID_BYTES),
            "",
            Headers.PASS,
            false,
            false,
            false,
            null,
            System.nanoTime(),
            CallOrigin.NONE));
    this.client = client;
    this.kind = kind;
    this.statement = statement;
  }

  /**
   * A list of all goes to no server; a refusal goes over the shared connection. A cursor that is
   * none of mcpbus is for the server, which the HTTP verticle asks then.
   */
  @Override
  protected Future<RawJson> send(String server, String suffix, RawJson params) {
    return Future.failedFuture(McpErrors.staleCursor());
  }

  @Override
  protected DirectorySnapshot seen(DirectorySnapshot shared) {
    return client.connections.lists.over(shared);
  }

  @Override
  protected Future<Void> listed(ListKind which) {
    return client.listed(request().view(), kind, statement);
  }
}
