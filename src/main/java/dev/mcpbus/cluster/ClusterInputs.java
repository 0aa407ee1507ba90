package dev.mcpbus.cluster;

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
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Shares questions and offers between the nodes of a cluster. A question stays on its server's node
 * and can be answered from any node; every node has every offer. Implements the seam {@link
 * InputPeers}; owner thread: the context of the {@code InputVerticle}.
 */
public final class ClusterInputs implements InputPeers {

  private static final Duration COLLECT_TIMEOUT = Duration.ofMillis(1_500);
  private static final Duration RESPOND_TIMEOUT = Duration.ofSeconds(5);
  private static final String OP = "op";

  /**
   * The requester that asks, answers or offers ({@link Requester#text}); absent for a program on
   * the bus.
   */
  private static final String PRINCIPAL = "principal";

  private final Vertx vertx;
  private final PeerRequests nodes;
  private final InputPeers.NodeInputs ownInputs;

  public ClusterInputs(Vertx vertx, InputPeers.NodeInputs ownInputs) {
    this.vertx = vertx;
    this.nodes = new PeerRequests(vertx, Addresses.INPUT_NODES);
    this.ownInputs = ownInputs;
  }

  @Override
  public Future<Void> open() {
    return vertx
        .eventBus()
        .<JsonObject>consumer(Addresses.INPUT_SHARED, message -> received(message.body()))
        .completion()
        .compose(listening -> nodes.answer(this::answer))
        .onSuccess(listening -> learn());
  }

  @Override
  public void learn() {
    nodes
        .ask(new JsonObject().put(OP, "offers"), COLLECT_TIMEOUT)
        .onSuccess(
            answers ->
                answers.forEach(
                    (node, one) -> ownInputs.offered(one.getJsonArray("offers", new JsonArray()))));
  }

  private JsonObject answer(JsonObject request) {
    String question = request.getString("question", "");
    Requester requester = Requester.parse(request.getString(PRINCIPAL));
    return switch (request.getString(OP, "")) {
      case "pending" ->
          new JsonObject().put("questions", ownInputs.pending(requester, request.getString("id")));
      case "holds" -> new JsonObject().put("holds", ownInputs.holds(requester, question));
      case "respond" -> ownInputs.respond(requester, request);
      case "offers" -> new JsonObject().put("offers", ownInputs.offers());
      default -> new JsonObject();
    };
  }

  private void received(JsonObject message) {
    if (nodes.own().equals(message.getString("from"))) {
      return;
    }
    String withdrawn = message.getString("withdrawn");
    if (withdrawn != null) {
      ownInputs.withdrawn(Requester.parse(message.getString(PRINCIPAL)), withdrawn);
    }
    ownInputs.offered(message.getJsonArray("offers", new JsonArray()));
  }

  @Override
  public Future<JsonArray> pending(@Nullable Requester requester, @Nullable String server) {
    JsonArray own = ownInputs.pending(requester, server);
    return nodes
        .ask(
            withRequester(requester, new JsonObject().put(OP, "pending").put("id", server)),
            COLLECT_TIMEOUT)
        .map(
            answers -> {
              List<Object> all = own.stream().collect(Collectors.toCollection(ArrayList::new));
              answers
                  .values()
                  .forEach(one -> one.getJsonArray("questions", new JsonArray()).forEach(all::add));
              all.sort(Comparator.comparing(ClusterInputs::since));
              return new JsonArray(all);
            });
  }

  private static String since(Object question) {
    return question instanceof JsonObject json ? json.getString("since", "") : "";
  }

  private static JsonObject withRequester(@Nullable Requester requester, JsonObject body) {
    body.remove(PRINCIPAL); // removes a value that the caller wrote into the body
    return requester == null ? body : body.put(PRINCIPAL, requester.text());
  }

  @Override
  public Future<JsonObject> respond(
      @Nullable Requester requester, String question, JsonObject body) {
    if (ownInputs.holds(requester, question)) {
      return Future.succeededFuture(ownInputs.respond(requester, body));
    }
    return nodes
        .ask(
            withRequester(requester, new JsonObject().put(OP, "holds").put("question", question)),
            COLLECT_TIMEOUT)
        .compose(
            answers -> {
              for (Map.Entry<String, JsonObject> one : answers.entrySet()) {
                if (one.getValue().getBoolean("holds", false)) {
                  return nodes.ask(
                      one.getKey(),
                      withRequester(requester, body.copy().put(OP, "respond")),
                      RESPOND_TIMEOUT);
                }
              }
              return Future.succeededFuture(
                  ownInputs.respond(requester, body)); // reports that no such question is parked
            });
  }

  @Override
  public void tell(@Nullable Requester requester, JsonObject offer) {
    publish(new JsonObject().put("offers", new JsonArray().add(withRequester(requester, offer))));
  }

  @Override
  public void tellWithdrawn(@Nullable Requester requester, String offer) {
    publish(withRequester(requester, new JsonObject().put("withdrawn", offer)));
  }

  private void publish(JsonObject message) {
    vertx.eventBus().publish(Addresses.INPUT_SHARED, message.put("from", nodes.own()));
  }
}
