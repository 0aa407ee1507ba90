package dev.mcpbus.clusterfaults;

import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Calls the tool of a server through the bridge of a node, and notes both ends of each call. */
final class Caller {

  /** What a caller waits beyond the time that it gave the call. */
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final Journal journal;
  private final AtomicInteger ids = new AtomicInteger();
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();

  Caller(Journal journal) {
    this.journal = journal;
  }

  String nextId() {
    return "c" + ids.incrementAndGet();
  }

  CompletableFuture<Ending> call(Node via, String server, Duration budget, Duration delay) {
    return call(nextId(), via, server, budget, delay);
  }

  /**
   * @param budget until its deadline
   * @param delay that the server takes after it has written the call down
   * @return never fails
   */
  CompletableFuture<Ending> call(
      String id, Node via, String server, Duration budget, Duration delay) {
    long deadline = System.nanoTime() + budget.toNanos();
    journal.note("invoke", id + " " + server + " " + via.name() + " " + deadline);
    return unnoted(id, via, server, budget, delay).thenApply(ending -> noted(id, ending));
  }

  /** Writes down how a call has ended. */
  Ending noted(String id, Ending ending) {
    journal.note(
        ending.isOk() ? "ok" : "fail",
        id + " " + (ending.isOk() ? ending.text() : ending.code() + " " + ending.sent()));
    return ending;
  }

  /** A call that only the server writes down. */
  CompletableFuture<Ending> unnoted(
      String id, Node via, String server, Duration budget, Duration delay) {
    JsonObject arguments = new JsonObject().put("call", id).put("delay", delay.toMillis());
    HttpRequest request =
        to(via, "/api/servers/" + server + "/tools/record?timeout=" + budget.toMillis())
            .header("Content-Type", "application/json")
            .header("Journal", id) // for the relay, which notes when it arrives
            .timeout(budget.plus(GRACE))
            .POST(HttpRequest.BodyPublishers.ofString(arguments.encode()))
            .build();
    return client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).handle(Ending::of);
  }

  /** A JSON document of a node's bridge; empty where it does not answer. */
  JsonObject get(Node node, String path) {
    try {
      HttpResponse<String> answer =
          client.send(
              to(node, path).timeout(Duration.ofSeconds(3)).GET().build(),
              HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() == 200 ? new JsonObject(answer.body()) : new JsonObject();
    } catch (java.io.IOException | RuntimeException e) {
      return new JsonObject();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static HttpRequest.Builder to(Node node, String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(node.http() + path));
    return node.http().endsWith(node.hostHeader())
        ? request
        : request.header("Host", node.hostHeader());
  }
}
