package dev.mcpbus.bench.gateway;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Callers of mcp-hub, whose MCP endpoint has the transport of 2024-11-05 alone: a stream of events
 * per client, on which the answers to its POSTs come. All callers on one event loop.
 */
final class HubLoad {

  private static final long EXTRA_MILLIS = 60_000;

  private static final class Caller {
    private final StringBuilder text = new StringBuilder();
    private String messages = "";
    private long sent;
    private @Nullable Promise<Void> open;
  }

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient client =
      vertx.createHttpClient(new PoolOptions().setHttp1MaxSize(512).setMaxWaitQueueSize(-1));
  private final int port;
  private final List<Long> nanos = new ArrayList<>();
  private final int callers;
  private final Promise<JsonObject> done = Promise.promise();
  private boolean measuring;
  private long began;
  private boolean timeOver;
  private long wrong;

  private HubLoad(int port, int callers) {
    this.port = port;
    this.callers = callers;
  }

  /**
   * As {@code load_http}, from the start to the end: the measured time goes on until there are as
   * many answers as callers, at most a minute.
   */
  static JsonObject run(Endpoint endpoint, int callers, long warmup, long measure)
      throws Exception {
    HubLoad load = new HubLoad(endpoint.port(), callers);
    try {
      load.vertx.runOnContext(start -> load.begin(warmup, measure));
      return load.done.future().await(warmup + measure + EXTRA_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new IOException(endpoint.label() + ": fewer answers than " + callers + " callers", e);
    } finally {
      load.vertx.close().await();
    }
  }

  private void begin(long warmup, long measure) {
    List<Future<Void>> opening = new ArrayList<>();
    for (int i = 0; i < callers; i++) {
      opening.add(open(new Caller()));
    }
    Future.all(opening)
        .onFailure(done::fail)
        .onSuccess(
            open ->
                vertx.setTimer(
                    warmup,
                    warm -> {
                      measuring = true;
                      began = System.nanoTime();
                      vertx.setTimer(
                          measure,
                          end -> {
                            timeOver = true;
                            endIfAnswered();
                          });
                    }));
  }

  private void endIfAnswered() {
    if (timeOver && nanos.size() >= callers) {
      done.tryComplete(result());
    }
  }

  private JsonObject result() {
    double seconds = (System.nanoTime() - began) / 1e9;
    List<Long> sorted = nanos.stream().sorted().toList();
    return new JsonObject()
        .put("answers", sorted.size())
        .put("wrong", wrong)
        .put("perSecond", (double) Math.round(sorted.size() / seconds))
        .put("p50", quantile(sorted, 0.5))
        .put("p99", quantile(sorted, 0.99))
        .put("p999", quantile(sorted, 0.999));
  }

  private static double quantile(List<Long> sorted, double q) {
    return sorted.get((int) (q * (sorted.size() - 1))) / 1_000.0;
  }

  private Future<Void> open(Caller caller) {
    Promise<Void> open = Promise.promise();
    caller.open = open;
    client
        .request(HttpMethod.GET, port, "127.0.0.1", "/mcp")
        .compose(request -> request.putHeader("Accept", "text/event-stream").send())
        .onSuccess(stream -> stream.handler(chunk -> read(caller, chunk)))
        .onFailure(open::tryFail);
    return open.future();
  }

  private void read(Caller caller, Buffer chunk) {
    caller.text.append(chunk);
    for (int end = caller.text.indexOf("\n\n"); end >= 0; end = caller.text.indexOf("\n\n")) {
      String event = caller.text.substring(0, end);
      caller.text.delete(0, end + 2);
      int data = event.indexOf("data: ");
      if (data >= 0) {
        heard(caller, event.substring(data + "data: ".length()));
      }
    }
  }

  private void heard(Caller caller, String data) {
    if (caller.messages.isEmpty()) {
      caller.messages = data;
      post(
          caller,
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
              + "\"protocolVersion\":\"2024-11-05\",\"capabilities\":{},"
              + "\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}");
      return;
    }
    if (!data.contains("\"id\"") || done.future().isComplete()) {
      return; // a notification
    }
    Promise<Void> open = caller.open;
    if (open != null) {
      caller.open = null;
      post(caller, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
      open.complete();
    } else {
      wrong += data.contains("hello, world") ? 0 : 1;
      if (measuring) {
        nanos.add(System.nanoTime() - caller.sent);
        endIfAnswered();
      }
    }
    caller.sent = System.nanoTime();
    post(
        caller,
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{"
            + "\"name\":\"echo__echo\",\"arguments\":{\"text\":\"hello, world\"}}}");
  }

  private void post(Caller caller, String message) {
    client
        .request(HttpMethod.POST, port, "127.0.0.1", caller.messages)
        .compose(
            request ->
                request.putHeader("Content-Type", "application/json").send(Buffer.buffer(message)))
        .compose(answer -> answer.end());
  }
}
