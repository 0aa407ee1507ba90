package dev.mcpbus.cli.stdio;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.TransportException;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A call that was refused because it lacks a header, or has a wrong one: the tools are listed, to
 * learn which headers it needs, and it is sent again, once (MCP 2026-07-28, Streamable HTTP).
 * Confined to the bridge's context.
 */
final class HeaderLearning {

  private static final int MAX_PAGES = 100;

  private final ServiceRequests requests;
  private final RequestMetadata metadata;
  private final BridgeRequest call;
  private int pages;

  HeaderLearning(ServiceRequests requests, RequestMetadata metadata, BridgeRequest call) {
    this.requests = requests;
    this.metadata = metadata;
    this.call = call;
  }

  void list() {
    list(null);
  }

  private void list(@Nullable RawJson cursor) {
    Channel channel = call.channel;
    if (channel == null || call.meta == null) {
      return;
    }
    pages++;
    RawJson params = RawJson.EMPTY_OBJECT.withNew("_meta", describing(call.meta));
    RawJson asked = cursor == null ? params : params.with("cursor", cursor);
    requests.sendOwn(
        channel,
        Methods.TOOLS_LIST,
        id -> {
          byte[] bytes = MessageWriter.request(id, Methods.TOOLS_LIST, asked);
          return RawJson.slice(bytes, 0, bytes.length);
        },
        (answer, failure) -> listed(channel, answer, failure));
  }

  /** The list is for the client, but all else in {@code _meta} is about its call. */
  private static RawJson describing(RawJson meta) {
    Set<String> others = new HashSet<>(meta.members().keySet());
    others.removeAll(MetaKeys.DESCRIBING);
    return meta.without(others);
  }

  private void listed(
      Channel channel, @Nullable Envelope answer, @Nullable TransportException failure) {
    if (!requests.isInFlight(call)) {
      return;
    }
    if (failure != null) {
      requests.refuse(call, failure);
      return;
    }
    boolean good =
        answer != null
            && answer.kind() == Envelope.Kind.RESULT
            && answer.ambiguity() == null
            && answer.payload().isObject();
    RawJson result = good && answer != null ? answer.payload() : RawJson.EMPTY_OBJECT;
    metadata.learn(result);
    RawJson next = result.member("nextCursor");
    if (next != null && next.isString() && pages < MAX_PAGES) {
      list(BridgeRequest.copy(next));
    } else {
      requests.send(channel, call);
    }
  }
}
