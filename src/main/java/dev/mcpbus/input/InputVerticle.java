package dev.mcpbus.input;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.JsonReplies;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.Requester;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes each question of a server to a component that answers it: the handler of that server
 * ({@code mcp.<id>.input}), else the common handler ({@code mcp.input}), else it parks the question
 * until a caller answers it or its time ends. Checks every answer before the server gets it. In a
 * cluster each node serves these addresses for all nodes. State is confined to the verticle's
 * context.
 *
 * <p>A question belongs to the principal whose call caused it; only this principal and admins may
 * see and answer it. An offer belongs to the requester that made it. A message without a principal
 * comes from the embedding program, which sees everything.
 *
 * <table>
 * <caption>Addresses</caption>
 * <tr><td>{@code mcp.input.offer}<td>{@code {capabilities, id?, offer?, ttl?}} -> {@code {offer}}:
 * the sender answers such questions, of one server or of all, for {@code ttl} ms or until it
 * withdraws the offer; the same {@code offer} again renews it
 * <tr><td>{@code mcp.input.withdraw}<td>{@code {offer}}
 * <tr><td>{@code mcp.input.pending}<td>{@code {id?}} -> {@code {questions: [...]}}
 * <tr><td>{@code mcp.input.respond}<td>{@code {question, result}}, or {@code {question, decline: true}}
 * </table>
 */
public final class InputVerticle extends VerticleBase {

  private static final Logger LOG = LoggerFactory.getLogger(InputVerticle.class);

  /** How long after a node has joined its bus addresses may still be unknown here. */
  private static final long SETTLE_MILLIS = 1_000;

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  private final InputOptions options;
  private final InputPeers.PeersFactory peers;
  private final InputOffers offers;

  /** Questions sent to one address only, by their keys. */
  private final Map<String, String> directed = new HashMap<>();

  private JsonObject published = new JsonObject();
  private long sweeper = -1;

  // Set once in start().
  @SuppressWarnings("NullAway.Init")
  private ParkedQuestions parked;

  @SuppressWarnings("NullAway.Init")
  private InputPeers shared;

  /** For one node without a cluster. */
  public InputVerticle(InputOptions options) {
    this(options, LocalInputs::new);
  }

  /**
   * @param peers creates the seam to other nodes
   */
  public InputVerticle(InputOptions options, InputPeers.PeersFactory peers) {
    this.options = options;
    this.peers = peers;
    this.offers = new InputOffers(options.maxOffers(), InputOptions.share(options.maxOffers()));
  }

  @Override
  public Future<?> start() {
    parked =
        new ParkedQuestions(vertx, options.maxParked(), InputOptions.share(options.maxParked()));
    shared = peers.create(new Own());
    published = offers.toJson();
    vertx
        .eventBus()
        .<JsonObject>localConsumer(
            Addresses.INPUT_ASK, message -> JsonReplies.serve(message, () -> ask(message.body())));
    vertx
        .eventBus()
        .<JsonObject>localConsumer(
            Addresses.INPUT_DROP, message -> drop(text(message.body(), "question")));
    vertx
        .eventBus()
        .<JsonObject>localConsumer(
            Addresses.INPUT_OFFERS, message -> message.reply(published.copy()));
    return Future.join(
            consume(Addresses.INPUT_OFFER, this::offer),
            consume(Addresses.INPUT_WITHDRAW, this::withdraw),
            consume(
                Addresses.INPUT_PENDING,
                (requester, body) ->
                    shared
                        .pending(requester, body.getString("id"))
                        .map(questions -> new JsonObject().put("questions", questions))),
            consume(
                Addresses.INPUT_RESPOND,
                (requester, body) -> shared.respond(requester, text(body, "question"), body)))
        .compose(ready -> shared.open())
        .onSuccess(
            ready -> {
              vertx.eventBus().publish(Addresses.INPUT_RENEW, new JsonObject(), LOCAL);
              RequestSender.of(vertx).membership().onChange(this::membership);
            });
  }

  /** Runs on a thread of the cluster's engine. */
  private void membership(String node, boolean joined) {
    if (joined) {
      context.runOnContext(now -> vertx.setTimer(SETTLE_MILLIS, settled -> shared.learn()));
    }
  }

  /** What an address does for a requester; null stands for a program on the bus. */
  @FunctionalInterface
  private interface InputOperation {
    Future<JsonObject> run(@Nullable Requester requester, JsonObject body);
  }

  private Future<Void> consume(String address, InputOperation operation) {
    return vertx
        .eventBus()
        .<Object>consumer(
            address, message -> JsonReplies.serve(message, () -> run(operation, message)))
        .completion();
  }

  private static Future<JsonObject> run(InputOperation operation, Message<Object> message) {
    if (!(message.body() instanceof JsonObject body)) {
      throw McpFailure.badRequest("the body must be a JsonObject");
    }
    try {
      return operation.run(Requester.of(message.headers()), body);
    } catch (ClassCastException e) {
      throw McpFailure.badRequest("a member of the body has the wrong type");
    }
  }

  private static String text(JsonObject body, String name) {
    if (body.getValue(name) instanceof String text && !text.isEmpty() && text.length() <= 200) {
      return text;
    }
    throw McpFailure.badRequest("\"" + name + "\" must be a string");
  }

  // ---- questions

  private Future<JsonObject> ask(JsonObject body) {
    InputQuestion question = InputQuestion.of(body);
    if (body.getValue("to") instanceof String to) {
      directed.put(question.key(), to);
      JsonObject more = new JsonObject().put("question", question.key());
      String call = body.getString("call");
      return handler(to, question, call == null ? more : more.put("call", call))
          .onComplete(ended -> directed.remove(question.key()));
    }
    long from = System.nanoTime();
    return handler(Addresses.of(question.server(), Addresses.INPUT), question, new JsonObject())
        .recover(
            failure ->
                next(failure, () -> handler(Addresses.ALL_INPUT, question, new JsonObject())))
        .recover(failure -> next(failure, () -> park(question, from)));
  }

  /** Withdraws a question: removes it if it is parked, else tells the address that got it. */
  private void drop(String question) {
    String to = directed.remove(question);
    if (to == null) {
      parked.withdraw(question);
    } else {
      vertx.eventBus().send(to, new JsonObject().put("question", question).put("withdrawn", true));
    }
  }

  /**
   * @param more members for a question to one address: the call that needs the answer, the
   *     question's key
   */
  private Future<JsonObject> handler(String address, InputQuestion question, JsonObject more) {
    JsonObject body =
        new JsonObject()
            .put("id", question.server().value())
            .put("method", question.method())
            .put("params", question.params())
            .mergeIn(more);
    return RequestSender.of(vertx)
        .<JsonObject>request(
            null,
            address,
            body,
            new DeliveryOptions().setSendTimeout(options.patience().toMillis()))
        .map(Message::body)
        .map(answer -> accepted(question, answer, !more.isEmpty()));
  }

  /** Tells the program whose handler has answered what does not fit: its server hears nothing. */
  private static JsonObject accepted(InputQuestion question, JsonObject answer, boolean ofClient) {
    try {
      return question.accept(answer);
    } catch (McpFailure unfit) {
      if (!ofClient) {
        LOG.warn(
            "the handler for {} of server '{}' has given an answer that does not fit: {}",
            question.method(),
            question.server().value(),
            unfit.getMessage());
      }
      throw unfit;
    }
  }

  /** Tries {@code other} if no handler is there or the handler does not support the method. */
  private static Future<JsonObject> next(Throwable failure, Supplier<Future<JsonObject>> other) {
    FailureCode code = McpFailure.of(failure).code();
    return code == FailureCode.UNKNOWN_CONNECTION
            || code == FailureCode.METHOD_NOT_FOUND
            || code == FailureCode.OWNER_LOST
        ? other.get()
        : Future.failedFuture(failure);
  }

  /**
   * Parks a question only if the session declared to the server that such questions are answered
   * and a requester that may see it offers to answer; otherwise no requester could ever answer it.
   */
  private Future<JsonObject> park(InputQuestion question, long from) {
    boolean answered = question.configured() || offers.answers(question);
    if (!question.offered() || !answered) {
      return Future.failedFuture(
          McpFailure.notSent(
              FailureCode.METHOD_NOT_FOUND,
              "no handler for "
                  + question.method()
                  + " is registered on "
                  + Addresses.of(question.server(), Addresses.INPUT)
                  + " or "
                  + Addresses.ALL_INPUT
                  + ", and no caller offers to answer it"));
    }
    long spent = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - from);
    return parked.add(question, options.patience().minus(Duration.ofMillis(spent)));
  }

  private JsonObject respond(@Nullable Requester requester, JsonObject body) {
    String key = text(body, "question");
    if (Boolean.TRUE.equals(body.getValue("decline"))) {
      parked.decline(requester, key);
      return new JsonObject().put("declined", key);
    }
    if (!(body.getValue("result") instanceof JsonObject result)) {
      throw McpFailure.badRequest(
          "\"result\" must be the MCP result, an object; or \"decline\" must be true");
    }
    parked.respond(requester, key, result);
    return new JsonObject().put("answered", key);
  }

  // ---- offers

  private Future<JsonObject> offer(@Nullable Requester requester, JsonObject body) {
    String name = body.containsKey("offer") ? text(body, "offer") : UUID.randomUUID().toString();
    if (!(body.getValue("capabilities") instanceof JsonObject capabilities)) {
      throw McpFailure.badRequest(
          "\"capabilities\" must be an object such as {\"elicitation\": {}}");
    }
    String server = body.containsKey("id") ? server(text(body, "id")) : null;
    long ttl = body.getLong("ttl", -1L);
    JsonObject known = requester == null ? capabilities : InputCapabilities.known(capabilities);
    if (!put(requester, name, server, known, ttl)) {
      throw McpFailure.notSent(FailureCode.OVERLOADED, "there are too many offers");
    }
    changed();
    shared.tell(requester, body.copy().put("offer", name).put("capabilities", known));
    return Future.succeededFuture(new JsonObject().put("offer", name));
  }

  private boolean put(
      @Nullable Requester requester,
      String name,
      @Nullable String server,
      JsonObject capabilities,
      long ttlMillis) {
    long until = ttlMillis <= 0 ? Long.MAX_VALUE : now() + ttlMillis;
    return offers.put(requester, name, server, capabilities, until);
  }

  private static String server(String id) {
    return ConnectionId.parse(id)
        .map(ConnectionId::value)
        .orElseThrow(() -> McpFailure.badRequest("'" + id + "' is no id of a server"));
  }

  private Future<JsonObject> withdraw(@Nullable Requester requester, JsonObject body) {
    String name = text(body, "offer");
    offers.remove(requester, name);
    changed();
    shared.tellWithdrawn(requester, name);
    return Future.succeededFuture(new JsonObject().put("withdrawn", name));
  }

  private void changed() {
    long next = offers.sweep(now());
    if (sweeper >= 0) {
      vertx.cancelTimer(sweeper);
    }
    sweeper =
        next == Long.MAX_VALUE ? -1 : vertx.setTimer(Math.max(1, next - now()), ended -> changed());
    JsonObject all = offers.toJson();
    if (!all.equals(published)) {
      published = all;
      vertx.eventBus().publish(Addresses.INPUT_OFFERED, all.copy(), LOCAL);
    }
  }

  /** The questions and offers of this node, for other nodes. */
  private final class Own implements InputPeers.NodeInputs {

    @Override
    public JsonArray pending(@Nullable Requester requester, @Nullable String server) {
      return parked.list(requester, server);
    }

    @Override
    public boolean holds(@Nullable Requester requester, String question) {
      return parked.holds(requester, question);
    }

    @Override
    public JsonObject respond(@Nullable Requester requester, JsonObject body) {
      return InputVerticle.this.respond(requester, body);
    }

    @Override
    public JsonArray offers() {
      return offers.list(now());
    }

    @Override
    public void offered(JsonArray all) {
      for (Object one : all) {
        JsonObject offer = (JsonObject) one;
        put(
            Requester.parse(offer.getString("principal")),
            offer.getString("offer", ""),
            offer.getString("id"),
            offer.getJsonObject("capabilities", new JsonObject()),
            offer.getLong("ttl", -1L));
      }
      changed();
    }

    @Override
    public void withdrawn(@Nullable Requester requester, String offer) {
      offers.remove(requester, offer);
      changed();
    }
  }

  private static long now() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }
}
