package dev.mcpbus.gateway.http;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last messages of a stream whose client has lost the right to it, in the words of the texts
 * that define them: the draft "Authorization Lifetime for Subscription Streams" for {@code
 * subscriptions/listen}, and SEP-3415 for {@code events/stream}. Pure functions.
 */
final class AuthorizationEnd {

  /** SEP-3415, Push-Based Delivery: a request that is answered when its stream ends. */
  private static final String EVENTS_STREAM = "events/stream";

  /** By which a client states that it knows the draft, until a revision of MCP has it. */
  private static final String DRAFT = "io.modelcontextprotocol/subscription-lifetime";

  private AuthorizationEnd() {}

  /** Whether the client of a {@code subscriptions/listen} knows the draft. */
  static boolean isKnownBy(Envelope request) {
    RawJson at = request.params();
    for (String member : List.of("_meta", MetaKeys.CLIENT_CAPABILITIES, "experimental", DRAFT)) {
      at = at == null || !at.isObject() ? null : at.member(member);
    }
    return at != null && at.isObject();
  }

  /**
   * The messages for a request of {@code method}.
   *
   * @param known whether the client knows the draft; any other sees a stream that is cut, after
   *     which it listens again and is asked to log in
   * @param reason a word of the draft
   * @return null for a request that no text speaks of
   */
  static @Nullable List<byte[]> messages(String method, RawJson id, boolean known, String reason) {
    return switch (method) {
      case Methods.LISTEN ->
          known
              ? List.of(
                  MessageWriter.error(
                      id,
                      JsonRpcError.AUTHORIZATION_ENDED,
                      "Authorization ended",
                      new JsonObject().put("reason", reason)))
              : List.of();
      case EVENTS_STREAM -> {
        RawJson meta = RawJson.EMPTY_OBJECT.with(MetaKeys.SUBSCRIPTION_ID, id);
        JsonObject error =
            new JsonObject()
                .put("code", JsonRpcError.FORBIDDEN)
                .put("message", "Forbidden")
                .put("data", new JsonObject().put("reason", reason));
        yield List.of(
            MessageWriter.notification(
                "notifications/events/terminated",
                RawJson.of(new JsonObject().put("error", error)).with("_meta", meta)),
            MessageWriter.result(id, ResultType.EMPTY.with("_meta", meta)));
      }
      default -> null;
    };
  }
}
