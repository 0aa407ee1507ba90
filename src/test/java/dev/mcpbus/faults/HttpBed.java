package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.RawHttpServer.Peer;
import dev.mcpbus.testing.RawHttpServer.Request;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A {@link FaultBed} whose victim is behind HTTP on loopback. The server behaves well but where the
 * test says otherwise. At the end nothing is pending and no connection is open.
 */
final class HttpBed implements AutoCloseable {

  /** True where the request was answered, or is never to be. */
  @FunctionalInterface
  interface Odd {
    boolean answers(Request request, Peer peer) throws IOException;
  }

  /** The tool that the tests' calls go to. */
  static final String TOOL = "odd";

  private static final String TOOLS =
      "{\"tools\":[{\"name\":\"odd\",\"inputSchema\":{\"type\":\"object\"}},"
          + "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}]}";

  private static final String HELLO =
      "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{\"listChanged\":true}},"
          + "\"serverInfo\":{\"name\":\"http\",\"version\":\"1\"}}";

  private static final String DISCOVERED =
      "{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":"
          + "{\"tools\":{}},\"ttlMs\":0,\"cacheScope\":\"private\"}";

  private final RawHttpServer server;
  private final FaultBed bed;

  private HttpBed(RawHttpServer server, FaultBed bed) {
    this.server = server;
    this.bed = bed;
  }

  /** What a server of {@code era} does, but for what {@code odd} answers. */
  static RawHttpServer serve(Era era, Odd odd) {
    return serve("127.0.0.1", 0, era, odd);
  }

  static RawHttpServer serve(String host, int port, Era era, Odd odd) {
    AtomicInteger sessions = new AtomicInteger();
    return RawHttpServer.answering(
        host,
        port,
        (request, peer) -> {
          if (!odd.answers(request, peer)) {
            behave(era, sessions, request, peer);
          }
        });
  }

  /** Ready; {@code odd} is asked first about every request. */
  static HttpBed ready(Era era, Odd odd) {
    return ready(era, odd, new JsonObject());
  }

  static HttpBed ready(Era era, Odd odd, JsonObject more) {
    HttpBed bed = start(era, odd, more);
    bed.bed.awaitReady(1);
    return bed;
  }

  /** Ready; only the calls of {@link #TOOL} are answered by {@code calls}. */
  static HttpBed calls(Era era, RawHttpServer.Answer calls) {
    return ready(era, callsOnly(calls));
  }

  static HttpBed calls(Era era, RawHttpServer.Answer calls, JsonObject more) {
    return ready(era, callsOnly(calls), more);
  }

  static Odd callsOnly(RawHttpServer.Answer calls) {
    return (request, peer) -> {
      boolean mine = isCall(request);
      if (mine) {
        calls.to(request, peer);
      }
      return mine;
    };
  }

  /**
   * Nothing is waited for.
   *
   * @param more members of the entry
   */
  static HttpBed start(Era era, Odd odd, JsonObject more) {
    return start(serve(era, odd), more);
  }

  static HttpBed start(RawHttpServer server, JsonObject more) {
    return of(server, FaultBed.start(entry(server.url().toString()).mergeIn(more)));
  }

  static HttpBed of(RawHttpServer server, FaultBed bed) {
    return new HttpBed(server, bed);
  }

  /** An entry without health checks, restarted fast. */
  static JsonObject entry(String url) {
    return new JsonObject()
        .put("url", url)
        .put("ping", new JsonObject().put("interval", 0))
        .put(
            "restart",
            new JsonObject().put("backoff", new JsonObject().put("initial", 20).put("max", 200)));
  }

  private static void behave(Era era, AtomicInteger sessions, Request request, Peer peer)
      throws IOException {
    if (request.method().equals("GET")) {
      peer.reply("405 Method Not Allowed", "");
    } else if (request.method().equals("DELETE")) {
      peer.reply("200 OK", "");
    } else if (request.id() < 0) {
      peer.reply("202 Accepted", "");
    } else if (request.calls("server/discover") && era == Era.DISCOVER) {
      result(request, peer, DISCOVERED);
    } else if (request.calls("server/discover")
        || (request.calls("initialize") && era == Era.DISCOVER)) {
      peer.reply(
          "404 Not Found",
          RawHttpServer.errorOf(request.id(), -32601, "no such method"),
          "Content-Type: application/json");
    } else if (request.calls("initialize")) {
      peer.json(resultOf(request, HELLO), "Mcp-Session-Id: s" + sessions.incrementAndGet());
    } else if (request.calls("tools/list")) {
      result(request, peer, TOOLS);
    } else if (request.calls("tools/call")) {
      text(request, peer, "fine");
    } else {
      result(request, peer, "{}");
    }
  }

  static boolean isCall(Request request) {
    return request.calls("tools/call") && request.body().contains("\"name\":\"" + TOOL + "\"");
  }

  static String resultOf(Request request, String result) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + request.id() + ",\"result\":" + result + "}";
  }

  static String textOf(Request request, String text) {
    return resultOf(request, "{\"content\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}");
  }

  static void result(Request request, Peer peer, String result) throws IOException {
    peer.json(resultOf(request, result));
  }

  /** A tool's result. */
  static void text(Request request, Peer peer, String text) throws IOException {
    peer.json(textOf(request, text));
  }

  static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  RawHttpServer server() {
    return server;
  }

  FaultBed bed() {
    return bed;
  }

  /** Calls of {@link #TOOL} that the server has read. */
  List<Request> executed() {
    return server.requests().stream().filter(HttpBed::isCall).toList();
  }

  /**
   * After this each event loop has read its sockets. A task that is due in 1 ms never runs in the
   * round of an event loop in which it was given, and a round begins with the sockets.
   */
  void readSockets() throws InterruptedException {
    for (EventExecutor loop : ((VertxInternal) bed.bus().vertx()).nettyEventLoopGroup()) {
      assertThat(loop.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).await(60, TimeUnit.SECONDS))
          .isTrue();
    }
  }

  /** Calls {@link #TOOL}; the failure must be this one. */
  McpFailure failure(FailureCode code, Sent sent) {
    return bed.failure(TOOL, code, sent);
  }

  Ending call() {
    return bed.call(TOOL);
  }

  Ending callWithin(long millis) {
    return bed.call(TOOL, new JsonObject(), FaultBed.within(millis));
  }

  /** The first session still serves; nothing that failed was the session's matter. */
  void assertUndisturbed() {
    assertThat(bed.text("echo")).isEqualTo("fine");
    bed.assertUndisturbed();
  }

  /** How often the server has been asked for a handshake of this kind. */
  long handshakes(String method) {
    return server.requests().stream().filter(request -> request.calls(method)).count();
  }

  @Override
  public void close() {
    try (server) {
      FaultBed.until("nothing to be pending")
          .untilAsserted(
              () -> {
                JsonObject transport = bed.status().getJsonObject("transport", new JsonObject());
                assertThat(transport.getInteger("pending", 0)).as("%s", transport).isZero();
                assertThat(transport.getInteger("inFlight", 0)).as("%s", transport).isZero();
              });
      bed.close();
      FaultBed.until("every connection to be closed").until(() -> server.open() == 0);
    }
  }
}
