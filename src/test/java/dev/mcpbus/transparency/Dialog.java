package dev.mcpbus.transparency;

import static java.util.Objects.requireNonNull;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.transparency.Heard.Kind;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A client that asks one thing after the other and keeps each byte that the server says. Its ids
 * and tokens are the same in each run, so two dialogs of the same script differ only where servers
 * answer differently. It answers questions as {@link #answer} has it. Messages may come on any
 * thread.
 */
abstract class Dialog implements AutoCloseable {

  static final String INITIALIZE_VERSION = "2025-11-25";

  private static final long PATIENCE_SECONDS = 20;
  private static final int MOST_PAGES = 20;
  private static final String LOG_LEVEL = "io.modelcontextprotocol/logLevel";

  /** What this client offers: all questions that a server may ask. */
  static final JsonObject CAPABILITIES =
      new JsonObject()
          .put("roots", new JsonObject().put("listChanged", true))
          .put("sampling", new JsonObject())
          .put(
              "elicitation",
              new JsonObject().put("form", new JsonObject()).put("url", new JsonObject()));

  private final boolean discover;
  private final List<Heard> heard = new CopyOnWriteArrayList<>();
  private final Map<String, CompletableFuture<String>> pending = new ConcurrentHashMap<>();
  private final AtomicInteger ids = new AtomicInteger();
  private volatile String step = "handshake";
  private @Nullable String level;

  /**
   * @param discover whether it speaks 2026-07-28, else 2025-11-25
   */
  Dialog(boolean discover) {
    this.discover = discover;
  }

  /** Sends a message; what comes back on its account goes to {@link #receive}. */
  protected abstract void transmit(JsonObject message);

  /** The handshake is over. */
  protected void opened() {}

  /** The client does not want the answer to a request any more. */
  protected void cancelled(String id) {
    tell(
        "notifications/cancelled",
        new JsonObject().put("requestId", Integer.valueOf(id)).put("reason", "not needed"));
  }

  final boolean speaksDiscover() {
    return discover;
  }

  final List<Heard> heard() {
    return heard;
  }

  /** The handshake of its era: whole, and in the parts that both eras have. */
  final JsonObject open() {
    JsonObject result =
        discover
            ? ask("handshake", "server/discover", new JsonObject())
            : ask(
                "handshake",
                "initialize",
                new JsonObject()
                    .put("protocolVersion", INITIALIZE_VERSION)
                    .put("capabilities", CAPABILITIES)
                    .put("clientInfo", clientInfo()));
    if (!discover) {
      tell("notifications/initialized", null);
    }
    opened();
    return result;
  }

  private static JsonObject clientInfo() {
    return new JsonObject().put("name", "transparency").put("version", "1");
  }

  /** Asks, answers what is asked on the way, and gives the result; empty where it is an error. */
  final JsonObject ask(String name, String method, JsonObject params) {
    return ask(null, name, method, params);
  }

  /**
   * The same with an id of the caller's choice.
   *
   * @param id null for the next one
   */
  final JsonObject ask(@Nullable Object id, String name, String method, JsonObject params) {
    step = name;
    JsonObject all = described(params);
    while (true) {
      String raw = answerTo(begin(id == null ? ids.incrementAndGet() : id, method, all));
      if (raw.isEmpty()) {
        heard.add(new Heard(name, Kind.NONE, method, ""));
        return new JsonObject();
      }
      RawTree message = RawTree.parse(raw);
      RawTree result = message.get("result");
      if (result == null) {
        RawTree error = message.get("error");
        heard.add(new Heard(name, Kind.ERROR, method, error == null ? raw : error.text()));
        return new JsonObject();
      }
      if (!"input_required".equals(result.string("resultType"))) {
        heard.add(new Heard(name, Kind.RESULT, method, result.text()));
        return new JsonObject(result.text());
      }
      all = all.copy();
      all.put("inputResponses", answers(result.get("inputRequests")));
      JsonObject asks = new JsonObject(result.text());
      if (asks.containsKey("requestState")) {
        all.put("requestState", asks.getValue("requestState"));
      }
    }
  }

  /** Asks for all pages of a list, and makes them one answer: where a page ends is open. */
  final JsonObject list(String name, String method, JsonObject params) {
    JsonObject page = ask(name, method, params);
    for (int pages = 1; page.containsKey("nextCursor") && pages < MOST_PAGES; pages++) {
      page = ask(name, method, params.copy().put("cursor", page.getString("nextCursor")));
      joinPages();
    }
    return latestResult();
  }

  /** The result that came last; empty where an error did. */
  private JsonObject latestResult() {
    Heard last = latestAnswer();
    return last.kind() == Kind.RESULT ? new JsonObject(last.bytes()) : new JsonObject();
  }

  private Heard latestAnswer() {
    return heard.stream().filter(Heard::isAnswer).reduce((former, one) -> one).orElseThrow();
  }

  /** Makes one answer of the last two: the items of the first page, then those of the second. */
  private void joinPages() {
    Heard second = latestAnswer();
    heard.remove(second);
    Heard first = latestAnswer();
    heard.remove(first);
    heard.add(new Heard(first.step(), first.kind(), first.method(), join(first, second)));
  }

  private static String join(Heard first, Heard second) {
    RawTree one = RawTree.parse(first.bytes());
    RawTree two = RawTree.parse(second.bytes());
    List<RawTree> values = new ArrayList<>(one.values());
    for (int i = 0; i < values.size(); i++) {
      RawTree more = two.get(one.names().get(i));
      if (values.get(i).isArray() && more != null) {
        values.set(i, values.get(i).joined(more));
      }
    }
    return RawTree.object(one.names(), values).text();
  }

  private JsonObject answers(@Nullable RawTree requests) {
    JsonObject responses = new JsonObject();
    if (requests != null) {
      for (int i = 0; i < requests.names().size(); i++) {
        RawTree request = requests.values().get(i);
        responses.put(requests.names().get(i), asked(request));
      }
    }
    return responses;
  }

  private JsonObject asked(RawTree question) {
    String method = String.valueOf(question.string("method"));
    RawTree params = question.get("params");
    String bytes = params == null ? "" : params.text();
    heard.add(new Heard(step, Kind.QUESTION, method, bytes));
    return answer(method, bytes.isEmpty() ? new JsonObject() : new JsonObject(bytes));
  }

  /** What this client's person, model and editor say. */
  private static JsonObject answer(String method, JsonObject params) {
    return switch (method) {
      case "elicitation/create" ->
          new JsonObject()
              .put("action", "accept")
              .put("content", Samples.of(params.getJsonObject("requestedSchema")));
      case "sampling/createMessage" ->
          new JsonObject()
              .put("role", "assistant")
              .put("content", new JsonObject().put("type", "text").put("text", "a sample"))
              .put("model", "none")
              .put("stopReason", "endTurn")
              .put("x-unknown", 1);
      case "roots/list" ->
          new JsonObject()
              .put(
                  "roots",
                  new JsonArray()
                      .add(new JsonObject().put("uri", "file:///tmp").put("name", "root")));
      default -> new JsonObject();
    };
  }

  private JsonObject described(JsonObject params) {
    JsonObject all = params.copy();
    if (discover) {
      JsonObject meta = McpHttp.meta(CAPABILITIES);
      meta.put("io.modelcontextprotocol/clientInfo", clientInfo());
      if (level != null) {
        meta.put(LOG_LEVEL, level);
      }
      meta.mergeIn(all.getJsonObject("_meta", new JsonObject()));
      all.put("_meta", meta);
    }
    return all;
  }

  /** Sends a request with the next id, and gives that. */
  private String begin(String method, JsonObject params) {
    return begin(ids.incrementAndGet(), method, params);
  }

  /** Sends a request and gives its id as JSON. */
  private String begin(Object id, String method, JsonObject params) {
    JsonObject message =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", id)
            .put("method", method)
            .put("params", params);
    pending.put(idOf(message), new CompletableFuture<>());
    transmit(message);
    return idOf(message);
  }

  /** The id of a message as JSON. */
  static String idOf(JsonObject message) {
    return Json.encode(message.getValue("id"));
  }

  private String answerTo(String id) {
    CompletableFuture<String> answer = pending.getOrDefault(id, new CompletableFuture<>());
    try {
      return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      return "";
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    } finally {
      pending.remove(id);
    }
  }

  final void tell(String method, @Nullable JsonObject params) {
    JsonObject message = new JsonObject().put("jsonrpc", "2.0").put("method", method);
    transmit(params == null ? message : message.put("params", params));
  }

  /**
   * Begins a call, cancels it after its first progress, and notes whether it was answered. The next
   * answer shows that the server goes on.
   */
  final void cancel(String name, String tool, JsonObject arguments) {
    step = name;
    String id =
        begin(
            "tools/call",
            described(
                new JsonObject()
                    .put("name", tool)
                    .put("arguments", arguments)
                    .put("_meta", new JsonObject().put("progressToken", name))));
    await(
        () ->
            heard.stream()
                .anyMatch(
                    one ->
                        one.method().equals("notifications/progress")
                            && one.bytes().contains('"' + name + '"')));
    cancelled(id);
    ask(name + ", then", "tools/list", new JsonObject());
    CompletableFuture<String> answer = pending.remove(id);
    String raw = answer == null ? "" : answer.getNow("");
    heard.add(new Heard(name, raw.isEmpty() ? Kind.NONE : Kind.ERROR, "tools/call", raw));
  }

  /** Sends two requests at once, and notes which is answered first. */
  final void askBoth(String name, String method, JsonObject one, JsonObject two) {
    step = name;
    String first = begin(method, described(one));
    String second = begin(method, described(two));
    List<String> order = new CopyOnWriteArrayList<>();
    CompletableFuture<String> a = requireNonNull(pending.get(first));
    CompletableFuture<String> b = requireNonNull(pending.get(second));
    CompletableFuture.allOf(
            a.thenRun(() -> order.add("first")), b.thenRun(() -> order.add("second")))
        .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .exceptionally(late -> null)
        .join();
    heard.add(new Heard(name, Kind.RESULT, method, "[\"" + String.join("\",\"", order) + "\"]"));
  }

  /** Begins a request and takes it back at once; whether it is answered is open. */
  final void takeBack(String name, String method, JsonObject params) {
    step = name;
    cancelled(begin(method, described(params)));
  }

  /** Sends a response to no request. */
  final void answerUnasked(int id) {
    transmit(new JsonObject().put("jsonrpc", "2.0").put("id", id).put("result", new JsonObject()));
  }

  final void level(String wanted) {
    if (discover) {
      level = wanted;
    } else {
      ask("logging/setLevel", "logging/setLevel", new JsonObject().put("level", wanted));
    }
  }

  /** Updates of these resources, and changes of all lists, from now on. */
  final void listen(List<String> uris) {
    step = "listen";
    if (discover) {
      begin(
          "subscriptions/listen",
          described(
              new JsonObject()
                  .put(
                      "notifications",
                      new JsonObject()
                          .put("toolsListChanged", true)
                          .put("promptsListChanged", true)
                          .put("resourcesListChanged", true)
                          .put("resourceSubscriptions", new JsonArray(uris)))));
      await(() -> heard("notifications/subscriptions/acknowledged"));
    } else {
      for (String uri : uris) {
        ask("resources/subscribe", "resources/subscribe", new JsonObject().put("uri", uri));
      }
    }
  }

  private boolean heard(String method) {
    return heard.stream().anyMatch(one -> one.method().equals(method));
  }

  /** Waits for what has come in another dialog, a bounded time: the comparison says what lacks. */
  final void awaitAll(List<Heard> others) {
    await(() -> notifications(heard) >= notifications(others));
  }

  private static long notifications(List<Heard> all) {
    return all.stream().filter(one -> one.kind() == Kind.NOTIFICATION).count();
  }

  final void await(Callable<Boolean> condition) {
    try {
      Awaitility.await()
          .atMost(Duration.ofSeconds(4))
          .pollInterval(Duration.ofMillis(10))
          .until(condition);
    } catch (ConditionTimeoutException late) {
      // what is missing is missing in the comparison
    }
  }

  /** One message of the server. */
  protected final void receive(String raw) {
    RawTree message = RawTree.parse(raw);
    RawTree id = message.get("id");
    String method = message.string("method");
    if (method == null) {
      answered(id == null ? "" : id.text(), raw);
    } else if (id == null) {
      RawTree params = message.get("params");
      heard.add(new Heard(step, Kind.NOTIFICATION, method, params == null ? "" : params.text()));
    } else {
      JsonObject answer = asked(message);
      transmit(
          new JsonObject()
              .put("jsonrpc", "2.0")
              .put("id", new JsonObject(raw).getValue("id"))
              .put("result", answer));
    }
  }

  /** The whole answer to a request of this client; empty where none will come. */
  protected final void answered(String id, String raw) {
    CompletableFuture<String> waiting = pending.get(id);
    if (waiting != null) {
      waiting.complete(raw);
    }
  }

  @Override
  public abstract void close();
}
