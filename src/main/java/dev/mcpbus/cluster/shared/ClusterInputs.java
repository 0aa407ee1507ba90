package dev.mcpbus.cluster.shared;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.PeerRequests;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.input.InputPeers;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Questions and offers of all nodes of a cluster: a question stays where its server is and is
 * answered from anywhere; an offer is known everywhere. Owner: the context of the {@code *
 * InputVerticle}.
 */
public final class ClusterInputs implements InputPeers {

  private static final Duration PATIENCE = Duration.ofMillis(1_500);
  private static final Duration ANSWER = Duration.ofSeconds(5);
  private static final String OP = "op";

  /** Who asks, answers or offers, a {@link Requester#text}; a program on the bus without it. */
  private static final String WHO = "principal";

  private final Vertx vertx;
  private final PeerRequests nodes;
  private final InputPeers.Here here;

  public ClusterInputs(Vertx vertx, InputPeers.Here here) {
    this.vertx = vertx;
    this.nodes = new PeerRequests(vertx, Addresses.INPUT_NODES);
    this.here = here;
  }

  @Override
  public Future<Void> open() {
    return vertx
        .eventBus()
        .<JsonObject>consumer(Addresses.INPUT_SHARED, fact -> heard(fact.body()))
        .completion()
        .compose(listening -> nodes.answer(this::answer))
        .onSuccess(listening -> learn());
  }

  @Override
  public void learn() {
    nodes
        .ask(new JsonObject().put(OP, "offers"), PATIENCE)
        .onSuccess(
            answers ->
                answers.forEach(
                    one -> here.offered(one.body().getJsonArray("offers", new JsonArray()))));
  }

  private JsonObject answer(JsonObject asked) {
    String question = asked.getString("question", "");
    Requester who = Requester.parse(asked.getString(WHO));
    return switch (asked.getString(OP, "")) {
      case "pending" -> new JsonObject().put("questions", here.pending(who, asked.getString("id")));
      case "holds" -> new JsonObject().put("holds", here.holds(who, question));
      case "respond" -> here.respond(who, asked);
      case "offers" -> new JsonObject().put("offers", here.offers());
      default -> new JsonObject();
    };
  }

  private void heard(JsonObject fact) {
    if (nodes.own().equals(fact.getString("from"))) {
      return;
    }
    String withdrawn = fact.getString("withdrawn");
    if (withdrawn != null) {
      here.withdrawn(Requester.parse(fact.getString(WHO)), withdrawn);
    }
    here.offered(fact.getJsonArray("offers", new JsonArray()));
  }

  @Override
  public Future<JsonArray> pending(@Nullable Requester who, @Nullable String server) {
    JsonArray own = here.pending(who, server);
    return nodes
        .ask(signed(who, new JsonObject().put(OP, "pending").put("id", server)), PATIENCE)
        .map(
            answers -> {
              List<Object> all = own.stream().collect(Collectors.toCollection(ArrayList::new));
              answers.forEach(
                  one -> one.body().getJsonArray("questions", new JsonArray()).forEach(all::add));
              all.sort(Comparator.comparing(ClusterInputs::since));
              return new JsonArray(all);
            });
  }

  private static String since(Object question) {
    return question instanceof JsonObject json ? json.getString("since", "") : "";
  }

  private static JsonObject signed(@Nullable Requester who, JsonObject body) {
    body.remove(WHO); // what a caller wrote there himself
    return who == null ? body : body.put(WHO, who.text());
  }

  @Override
  public Future<JsonObject> respond(@Nullable Requester who, String question, JsonObject body) {
    if (here.holds(who, question)) {
      return Future.succeededFuture(here.respond(who, body));
    }
    return nodes
        .ask(signed(who, new JsonObject().put(OP, "holds").put("question", question)), PATIENCE)
        .compose(
            answers -> {
              for (PeerRequests.Answer one : answers) {
                if (one.body().getBoolean("holds", false)) {
                  return nodes.ask(one.node(), signed(who, body.copy().put(OP, "respond")), ANSWER);
                }
              }
              return Future.succeededFuture(here.respond(who, body)); // says that there is none
            });
  }

  @Override
  public void tell(@Nullable Requester who, JsonObject offer) {
    publish(new JsonObject().put("offers", new JsonArray().add(signed(who, offer))));
  }

  @Override
  public void tellWithdrawn(@Nullable Requester who, String offer) {
    publish(signed(who, new JsonObject().put("withdrawn", offer)));
  }

  private void publish(JsonObject fact) {
    vertx.eventBus().publish(Addresses.INPUT_SHARED, fact.put("from", nodes.own()));
  }
}
