package dev.mcpbus.replicas;

import dev.mcpbus.bus.CallActivity;
import dev.mcpbus.bus.Gathered;
import dev.mcpbus.bus.JsonReplies;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What operators ask about a server of several replicas. Where entries of all can stand in one
 * list, the speaker collects them and each says of which replica it is; it adds up the activity of
 * the last hour; where numbers are those of one replica, the caller names that replica. Used on the
 * connection's context.
 */
final class ReplicaDiagnostics {

  private static final String MEMBER = "replica";

  private ReplicaDiagnostics() {}

  /**
   * Replies with the lists of all replicas, one after the other. A replica that does not reply is
   * in {@code missing}.
   *
   * @param ask sends the request to one replica
   * @param lists the members of a reply whose entries are collected
   */
  static void collect(
      Message<Object> message,
      List<ReplicaOwner> replicas,
      Function<ReplicaOwner, Future<Message<Object>>> ask,
      List<String> lists) {
    JsonObject merged = new JsonObject();
    lists.forEach(list -> merged.put(list, new JsonArray()));
    reply(
        message,
        replicas,
        ask,
        answers -> {
          answers.forEach(
              (one, reply) -> {
                for (String list : lists) {
                  for (Object entry : reply.getJsonArray(list, new JsonArray())) {
                    merged
                        .getJsonArray(list)
                        .add(((JsonObject) entry).put(MEMBER, one.replica().number()));
                  }
                }
              });
          return merged;
        });
  }

  /**
   * Replies with the activity of all replicas: the sums of their numbers for each minute, and the
   * longest call of any. A replica that does not reply is in {@code missing}.
   *
   * @param ask sends the request to one replica
   */
  static void add(
      Message<Object> message,
      List<ReplicaOwner> replicas,
      Function<ReplicaOwner, Future<Message<Object>>> ask) {
    reply(
        message,
        replicas,
        ask,
        answers -> answers.values().stream().reduce(new JsonObject(), CallActivity::sum));
  }

  private static void reply(
      Message<Object> message,
      List<ReplicaOwner> replicas,
      Function<ReplicaOwner, Future<Message<Object>>> ask,
      Function<Map<ReplicaOwner, JsonObject>, JsonObject> together) {
    JsonReplies.reply(
        message,
        Gathered.ask(replicas, one -> ask.apply(one).map(reply -> json(reply.body())))
            .map(
                told ->
                    told.note(
                        together.apply(told.answers()),
                        "missing",
                        silent -> silent.replica().number())));
  }

  /**
   * The replica that the body names in its member {@code "replica"}; null if it names none.
   *
   * @throws McpFailure {@code BAD_REQUEST} if there is no such replica
   */
  static @Nullable ReplicaOwner named(@Nullable Object body, List<ReplicaOwner> replicas) {
    Object wanted = body == null ? null : json(body).getValue(MEMBER);
    if (wanted == null) {
      return null;
    }
    List<Integer> numbers = new ArrayList<>();
    for (ReplicaOwner one : replicas) {
      if (wanted.equals(one.replica().number())) {
        return one;
      }
      numbers.add(one.replica().number());
    }
    throw McpFailure.badRequest("\"replica\" must be the number of a replica: " + numbers);
  }

  /** Whether the body of a request wants the answer when what it asks for is done. */
  static boolean waits(@Nullable Object body) {
    try {
      return body != null && Boolean.TRUE.equals(json(body).getValue("wait"));
    } catch (McpFailure malformed) {
      return false; // each replica refuses it
    }
  }

  private static JsonObject json(Object body) {
    try {
      return body instanceof Buffer buffer
          ? new JsonObject(buffer)
          : body instanceof JsonObject json ? json : new JsonObject();
    } catch (DecodeException e) {
      throw McpFailure.badRequest("the body is not one JSON object");
    }
  }
}
