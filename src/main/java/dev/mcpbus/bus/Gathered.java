package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * What many were asked and answered. Immutable.
 *
 * @param answers in the order of asking
 * @param silent those whose answer failed, in the order of asking
 */
public record Gathered<K, V>(Map<K, V> answers, List<K> silent) {

  /**
   * Asks all at once.
   *
   * @return completes when each has answered or failed; never fails
   */
  public static <K, V> Future<Gathered<K, V>> ask(
      Collection<K> many, Function<K, Future<V>> question) {
    List<K> asked = List.copyOf(many);
    List<Future<V>> replies = asked.stream().map(question).toList();
    return Future.join(replies)
        .transform(
            done -> {
              Map<K, V> answers = new LinkedHashMap<>();
              List<K> silent = new ArrayList<>();
              for (int i = 0; i < asked.size(); i++) {
                if (replies.get(i).succeeded()) {
                  answers.put(asked.get(i), replies.get(i).result());
                } else {
                  silent.add(asked.get(i));
                }
              }
              return Future.succeededFuture(new Gathered<>(answers, silent));
            });
  }

  /** Adds the list of those who were silent to {@code reply}; nothing if all have answered. */
  public JsonObject note(JsonObject reply, String member, Function<K, ?> name) {
    return silent.isEmpty()
        ? reply
        : reply.put(member, new JsonArray(silent.stream().map(name).toList()));
  }
}
