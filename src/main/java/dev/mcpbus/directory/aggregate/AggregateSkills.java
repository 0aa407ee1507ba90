package dev.mcpbus.directory.aggregate;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@code mcp.skills.read}: sends the request to the server that its body names, and adds the
 * server to the answer, because a skill is named by its URI and its server together. Confined to
 * the context of the aggregate's verticle.
 */
final class AggregateSkills {

  private final RequestSender sender;

  AggregateSkills(Vertx vertx) {
    this.sender = RequestSender.of(vertx);
  }

  void read(Message<Object> message) {
    boolean raw = message.body() instanceof Buffer;
    try {
      RawJson body = body(message.body());
      RawJson server = body.member("server");
      if (server == null || !server.isString()) {
        throw refused();
      }
      ConnectionId id = ConnectionId.parse(server.asString()).orElseThrow(AggregateSkills::refused);
      sender
          .<Buffer>request(
              id,
              Addresses.of(id, Addresses.SKILLS_READ),
              body.without("server").toBuffer(),
              CallHeaders.passedOn(message.headers(), Layer.SERVICE))
          .onFailure(failure -> McpFailure.of(failure).replyTo(message))
          .onSuccess(
              reply -> {
                RawJson answer = marked(RawJson.of(reply.body()), id);
                message.reply(
                    raw ? answer.toBuffer() : answer.toJsonObject(),
                    new DeliveryOptions().setHeaders(reply.headers()));
              });
    } catch (McpFailure refused) {
      refused.replyTo(message);
    } catch (ProtocolException e) {
      refused().replyTo(message);
    }
  }

  private static RawJson body(@Nullable Object body) throws ProtocolException {
    if (body instanceof JsonObject json) {
      return RawJson.of(json);
    }
    if (body instanceof Buffer bytes) {
      return RawJson.checkedObject(bytes, ParseLimits.DEFAULT);
    }
    throw refused();
  }

  private static RawJson marked(RawJson answer, ConnectionId server) {
    RawJson meta = answer.member("_meta");
    RawJson base = meta == null || !meta.isObject() ? RawJson.EMPTY_OBJECT : meta;
    return answer.with("_meta", base.with(MetaKeys.SERVER, RawJson.string(server.value())));
  }

  private static McpFailure refused() {
    return McpFailure.badRequest(
        "send {\"server\": id, \"uri\": the URI of a SKILL.md, \"path\": of a file of it, or absent}");
  }
}
