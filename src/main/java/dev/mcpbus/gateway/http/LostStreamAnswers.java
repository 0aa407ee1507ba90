package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The answers to requests whose own answers are lost with a node. The name of the response to a
 * request contains the id that the client gave the request, and so do the ids of its events: when a
 * client comes back with {@code Last-Event-ID}, every node knows which request to answer, also when
 * the nodes that had the stream and the session are gone. Stateless.
 */
final class LostStreamAnswers {

  /** Ends the id of the event that says so: nothing comes after it. */
  private static final String TOLD = "_lost";

  /** Of a request's id, bytes; a longer one is not part of the name. */
  private static final int MAX_ID = 100;

  private LostStreamAnswers() {}

  /**
   * The name of a response.
   *
   * @param door the HTTP verticle
   * @param id of the request; null for a response to another message
   */
  static String exchange(String door, long sequence, @Nullable RawJson id) {
    String own = door + '-' + sequence;
    if (id == null || id.length() > MAX_ID) {
      return own;
    }
    ByteBuffer bytes = ByteBuffer.wrap(id.array(), id.offset(), id.length());
    ByteBuffer text = Base64.getUrlEncoder().withoutPadding().encode(bytes);
    return own + '.' + StandardCharsets.US_ASCII.decode(text);
  }

  /** The id of the request that a {@code Last-Event-ID} belongs to; null where it names none. */
  static @Nullable RawJson requestId(@Nullable String lastEventId) {
    if (lastEventId == null) {
      return null;
    }
    int begin = lastEventId.indexOf('.');
    int end = lastEventId.lastIndexOf('_');
    if (begin < 0 || end < begin || end - begin > 2 * MAX_ID) {
      return null;
    }
    try {
      byte[] text = Base64.getUrlDecoder().decode(lastEventId.substring(begin + 1, end));
      String json = new String(text, StandardCharsets.UTF_8);
      Object value = Json.decodeValue(json);
      return value instanceof String || value instanceof Number ? RawJson.of(json) : null;
    } catch (IllegalArgumentException | DecodeException e) {
      return null; // no id of ours
    }
  }

  /** The id of the event with the answer: a client that comes back after it has everything. */
  static String eventId(String exchange) {
    return exchange + TOLD;
  }

  /** Whether the client has the answer already. */
  static boolean isTold(@Nullable String lastEventId) {
    return lastEventId != null && lastEventId.endsWith(TOLD);
  }

  /** The node of the client's response ends. */
  static McpFailure doorEnds() {
    return McpFailure.maybeSent(
        FailureCode.OWNER_LOST,
        "this node has ended before the answer; the request may have been carried out");
  }

  /** The session has ended, and the request has not been made. */
  static McpFailure ended() {
    return McpFailure.notSent(
        FailureCode.OWNER_LOST, "the session has ended; open the stream anew and initialize again");
  }

  /** The node that was to answer is gone, and a client comes back for the answer. */
  static McpFailure gone() {
    return McpFailure.maybeSent(
        FailureCode.OWNER_LOST,
        "the node that was to answer has ended; the request may have been carried out");
  }
}
