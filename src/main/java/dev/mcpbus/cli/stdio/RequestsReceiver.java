package dev.mcpbus.cli.stdio;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;

/** Passes on what a channel to mcpbus reports of requests. Used on the bridge's context. */
abstract class RequestsReceiver implements Channel.Receiver {

  private final ServiceRequests requests;

  RequestsReceiver(ServiceRequests requests) {
    this.requests = requests;
  }

  @Override
  public final void onMessage(Envelope message) {
    requests.received(message);
  }

  @Override
  public final void onRequestFailed(long id, TransportException reason) {
    requests.failed(id, reason);
  }

  @Override
  public final void onDelivered(OutboundMessage message) {
    requests.delivered(message);
  }
}
