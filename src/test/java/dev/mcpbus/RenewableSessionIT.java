package dev.mcpbus;

import static dev.mcpbus.testing.ThreeNodes.ASKED;
import static dev.mcpbus.testing.ThreeNodes.call;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.Balancer;
import dev.mcpbus.testing.ClusterBed;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.ThreeNodes;
import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/**
 * Sessions with a private connection whose node is killed, behind a balancer without memory: {@code
 * fixed} keeps its state for a client, {@code again} is the same server, declared renewable.
 */
class RenewableSessionIT {

  private static final List<String> SERVERS = List.of("fixed", "again");
  private static final Pattern GONE = Pattern.compile("Session not found|session .*terminated");
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @TempDir Path folder;

  private final List<Balancer> balancers = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  private static JsonObject servers() {
    JsonObject notes = NpmServers.own("notes-server.mjs");
    return new JsonObject().put("fixed", notes).put("again", notes.copy().put("renewable", true));
  }

  /** Its first request, which begins the session, goes to the first port. */
  private int port(int doomed, int safe) {
    Balancer balancer = new Balancer(List.of(doomed, safe));
    balancers.add(balancer);
    return balancer.port();
  }

  @Tag("release")
  @Test
  void the_session_goes_on_with_a_new_connection_where_the_server_is_renewable() throws Exception {
    NpmServers.script("@modelcontextprotocol/sdk/package.json");
    try (ClusterBed bed = new ClusterBed(folder, 2)) {
      bed.start("n1", servers());
      bed.start("n2", servers());
      bed.met();
      Awaitility.await("both servers")
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  ClusterBed.statuses(bed.node("n2")).values().stream()
                          .filter(status -> "READY".equals(status.getString("state")))
                          .count()
                      == SERVERS.size());
      int doomed = bed.node("n2").port();
      int safe = bed.node("n1").port();

      Map<String, McpHttp.Session> plain = new LinkedHashMap<>();
      Map<String, McpHttp.Stream> asking = new LinkedHashMap<>();
      Map<String, CompletableFuture<JsonObject>> programs = new LinkedHashMap<>();
      List<Path> ready = new ArrayList<>();
      for (String server : SERVERS) {
        McpHttp.Session session =
            new McpHttp(doomed, "/mcp/" + server).initialize("2025-11-25", ASKED);
        session.call("resources/subscribe", new JsonObject().put("uri", "notes://all")).result();
        assertThat(McpHttp.text(add(session))).endsWith(": n");
        plain.put(server, session);
        asking.put(server, asks(session));
        for (String kind : List.of("v1", "v2-legacy", "java", "java asks")) {
          String name = kind + " " + server;
          Path file = folder.resolve(name.replace(' ', '-'));
          String url = "http://127.0.0.1:" + port(doomed, safe);
          ready.add(file);
          programs.put(
              name,
              CompletableFuture.supplyAsync(
                  () ->
                      switch (kind) {
                        case "java" -> javaProgram(url, "/mcp/" + server, file);
                        case "java asks" -> javaAsks(url, "/mcp/" + server, file);
                        default -> nodeProgram(kind, url + "/mcp/" + server, file);
                      },
                  threads));
        }
      }
      Awaitility.await("all programs")
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                programs.values().stream().filter(one -> one.isDone()).forEach(one -> one.join());
                return ready.stream().filter(file -> !Files.exists(file)).toList();
              },
              List::isEmpty);
      bed.node("n2").signal("KILL");
      for (Path file : ready) {
        Files.writeString(Path.of(file + ".lost"), "");
      }

      for (String server : SERVERS) {
        asPython(
            new McpHttp(safe, "/mcp/" + server),
            Objects.requireNonNull(plain.get(server)),
            Objects.requireNonNull(asking.get(server)));
      }
      McpHttp.Session fixed = Objects.requireNonNull(plain.get("fixed"));
      McpHttp other = new McpHttp(safe, "/mcp/fixed");
      Awaitility.await()
          .atMost(PATIENCE)
          .until(
              () -> other.post(other.request("ping", new JsonObject()), fixed.headers()),
              answer ->
                  answer.status() == 404
                      && answer.error().getString("message").contains("initialize again"));
      goesOn(Objects.requireNonNull(plain.get("again")), new McpHttp(safe, "/mcp/again"));
      for (Map.Entry<String, CompletableFuture<JsonObject>> program : programs.entrySet()) {
        check(program.getKey(), program.getValue().get(60, TimeUnit.SECONDS));
      }
    } finally {
      balancers.forEach(Balancer::close);
      threads.shutdownNow();
    }
  }

  /** A call whose server asks the client, which does not answer; its stream is known to it. */
  private static McpHttp.Stream asks(McpHttp.Session session) {
    McpHttp.Stream stream =
        session.streamed(
            new JsonObject()
                .put("jsonrpc", "2.0")
                .put("id", "asks")
                .put("method", "tools/call")
                .put("params", call("ask", new JsonObject())));
    Awaitility.await("the question").until(() -> stream.methods().contains("elicitation/create"));
    return stream;
  }

  /**
   * What the Python SDK sends where the stream of a call has broken: GET with the id of the last
   * event, twice at most; its user gets the answer that comes there. After an error of HTTP the
   * call fails when its own time is over.
   */
  private static void asPython(McpHttp client, McpHttp.Session session, McpHttp.Stream broken) {
    Awaitility.await("the end of the node").atMost(PATIENCE).until(broken::hasEnded);
    List<String> headers = new ArrayList<>(List.of(session.headers()));
    headers.addAll(List.of("Last-Event-ID", ThreeNodes.lastId(broken)));
    try (McpHttp.Stream resumed = client.get(headers.toArray(String[]::new))) {
      assertThat(resumed.status()).isEqualTo(200);
      Awaitility.await("the answer").atMost(PATIENCE).until(resumed::hasEnded);
      JsonObject answer = ThreeNodes.last(resumed);
      assertThat(answer.getString("id")).isEqualTo("asks");
      JsonObject data = answer.getJsonObject("error").getJsonObject("data");
      assertThat(data.getString("code")).isEqualTo("OWNER_LOST");
      assertThat(data.getString("sent")).isEqualTo("maybe");
    }
  }

  private static JsonObject add(McpHttp.Session session) {
    return session.call("tools/call", call("add", new JsonObject().put("note", "n"))).result();
  }

  private static void goesOn(McpHttp.Session session, McpHttp client) throws IOException {
    JsonObject first =
        Awaitility.await("the first call over a new connection")
            .atMost(PATIENCE)
            .until(
                () ->
                    client
                        .post(
                            client.request(
                                "tools/call", call("add", new JsonObject().put("note", "n"))),
                            session.headers())
                        .json(),
                answer -> answer.containsKey("result"));
    assertThat(McpHttp.text(first.getJsonObject("result")))
        .as("the server's session is new")
        .matches("\\d+: n");
    try (McpHttp.Stream standing = client.get(session.headers())) {
      Awaitility.await("what the client hears")
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                client.post(
                    client.request("tools/call", call("add", new JsonObject().put("note", "n"))),
                    session.headers());
                assertThat(standing.methods())
                    .contains(
                        "notifications/tools/list_changed", "notifications/resources/updated");
              });
    }
  }

  /**
   * The official TypeScript SDK begins no session by itself, the Java SDK does. The call that waits
   * for an answer of its client ends with the reason.
   */
  private static void check(String program, JsonObject seen) {
    if (program.startsWith("java asks")) { // it does not come back for a stream that has broken
      assertThat(seen.getString("asked"))
          .as("%s: %s", program, seen)
          .containsAnyOf("OWNER_LOST", "TimeoutException");
      return;
    }
    if (!program.startsWith("java ")) {
      assertThat(seen.getString("asked")).as("%s: %s", program, seen).contains("OWNER_LOST");
    }
    List<String> outcomes =
        seen.getJsonArray("outcomes").stream()
            .map(JsonObject.class::cast)
            .filter(one -> one.getLong("at") >= 0)
            .map(one -> one.getString("outcome"))
            .toList();
    String last = outcomes.get(outcomes.size() - 1);
    boolean isGone = outcomes.stream().anyMatch(GONE.asPredicate());
    assertThat(outcomes)
        .as("%s waits for each call: %s", program, seen)
        .noneMatch(one -> one.contains("had gone before the call"));
    if (program.endsWith("again")) {
      assertThat(last).as("%s: %s", program, seen).matches("\\d+: n(,n)*");
      assertThat(isGone).as("%s: %s", program, seen).isFalse();
    } else {
      assertThat(isGone).as("%s: %s", program, seen).isTrue();
      assertThat(last.startsWith("failed: "))
          .as("%s: %s", program, seen)
          .isEqualTo(!program.startsWith("java"));
    }
  }

  private JsonObject nodeProgram(String kind, String url, Path file) {
    try {
      String script = Path.of("src/test/npm/sdk-lost.mjs").toAbsolutePath().toString();
      return new JsonObject(NpmServers.run(folder, script, kind, url, file.toString()));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** As {@code sdk-lost.mjs}, with the Java SDK. */
  private static JsonObject javaProgram(String url, String endpoint, Path file) {
    List<JsonObject> outcomes = new ArrayList<>();
    List<String> told = new ArrayList<>();
    McpSyncClient client =
        McpClient.sync(HttpClientStreamableHttpTransport.builder(url).endpoint(endpoint).build())
            .requestTimeout(Duration.ofSeconds(5))
            .toolsChangeConsumer(tools -> told.add("notifications/tools/list_changed"))
            .build();
    try {
      client.initialize();
      String before = once(client);
      Files.writeString(file, "");
      long lost = 0;
      while (lost == 0 || System.nanoTime() - lost < TimeUnit.SECONDS.toNanos(8)) {
        if (lost == 0 && Files.exists(Path.of(file + ".lost"))) {
          lost = System.nanoTime();
        }
        long began = System.nanoTime();
        String outcome = once(client);
        if (lost != 0) {
          outcomes.add(
              new JsonObject()
                  .put("at", TimeUnit.NANOSECONDS.toMillis(began - lost))
                  .put("took", TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began))
                  .put("outcome", outcome));
        }
        TimeUnit.MILLISECONDS.sleep(200); // the pace of a program, not a wait
      }
      return new JsonObject().put("before", before).put("outcomes", outcomes).put("methods", told);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } finally {
      client.close();
    }
  }

  /** A call with the Java SDK whose question the program does not answer before the loss. */
  private static JsonObject javaAsks(String url, String endpoint, Path file) {
    CompletableFuture<McpSchema.ElicitResult> never = new CompletableFuture<>();
    McpAsyncClient client =
        McpClient.async(HttpClientStreamableHttpTransport.builder(url).endpoint(endpoint).build())
            .requestTimeout(Duration.ofSeconds(30))
            .capabilities(McpSchema.ClientCapabilities.builder().elicitation().build())
            .elicitation(
                request -> {
                  touch(file);
                  return Mono.fromFuture(never);
                })
            .build();
    try {
      client.initialize().block();
      McpSchema.CallToolRequest add =
          McpSchema.CallToolRequest.builder("add").arguments(Map.of("note", "n")).build();
      client.callTool(add).block();
      McpSchema.CallToolResult result =
          client.callTool(McpSchema.CallToolRequest.builder("ask").build()).block();
      return new JsonObject().put("asked", String.valueOf(result));
    } catch (McpError e) {
      touch(file);
      return new JsonObject().put("asked", "failed: " + e.getJsonRpcError());
    } catch (RuntimeException e) {
      touch(file);
      return new JsonObject().put("asked", "failed: " + e);
    } finally {
      client.close();
    }
  }

  private static void touch(Path file) {
    try {
      Files.writeString(file, "");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String once(McpSyncClient client) {
    try {
      McpSchema.CallToolResult result =
          client.callTool(
              McpSchema.CallToolRequest.builder("add").arguments(Map.of("note", "n")).build());
      return ((McpSchema.TextContent) result.content().get(0)).text();
    } catch (RuntimeException e) {
      String text = String.valueOf(e.getMessage());
      return "failed: " + text.substring(0, Math.min(200, text.length()));
    }
  }
}
