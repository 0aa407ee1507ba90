package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Many clients who call everything by the same names. */
class CrossTalkFaultsTest {

  private static final int CLIENTS = 500;
  private static final int ROUNDS = 3;

  /** Has all calls before it answers the first, the last one first. */
  private static final class Choir {
    private final AtomicReference<@Nullable ScriptedPeer> peer = new AtomicReference<>();
    private final List<JsonObject> calls = new CopyOnWriteArrayList<>();
    private final List<String> score = new ArrayList<>();

    @Nullable String answer(String method, JsonObject params, int connection) {
      switch (method) {
        case "tools/list" -> {
          return "\"result\":{\"tools\":[{\"name\":\"sing\",\"inputSchema\":"
              + "{\"type\":\"object\"}}],\"ttlMs\":60000,\"cacheScope\":\"public\"}";
        }
        case "tools/call" -> {
          List<JsonObject> all = peer().messages();
          calls.add(all.get(all.size() - 1));
          if (calls.size() == CLIENTS) {
            sing();
          }
          return null;
        }
        default -> {
          return ScriptedPeer.error(-32601, "no such method");
        }
      }
    }

    private ScriptedPeer peer() {
      return Objects.requireNonNull(peer.get());
    }

    private void sing() {
      List<JsonObject> backwards = new ArrayList<>(calls);
      Collections.reverse(backwards);
      for (int round = 1; round <= ROUNDS; round++) {
        for (JsonObject call : backwards) {
          say("notifications/progress", progress(call, round));
        }
      }
      for (JsonObject call : backwards) {
        JsonObject text = new JsonObject().put("type", "text").put("text", "for " + who(call));
        score.add(
            new JsonObject()
                .put("jsonrpc", "2.0")
                .put("id", call.getValue("id"))
                .put(
                    "result",
                    new JsonObject()
                        .put("resultType", "complete")
                        .put("content", new JsonArray().add(text)))
                .encode());
      }
      peer().sayAll(score);
    }

    private static int who(JsonObject call) {
      return call.getJsonObject("params").getJsonObject("arguments").getInteger("who");
    }

    private static JsonObject progress(JsonObject call, int round) {
      return new JsonObject()
          .put(
              "progressToken",
              call.getJsonObject("params").getJsonObject("_meta").getValue("progressToken"))
          .put("progress", round)
          .put("message", "for " + who(call));
    }

    private void say(String method, JsonObject params) {
      score.add(
          new JsonObject()
              .put("jsonrpc", "2.0")
              .put("method", method)
              .put("params", params)
              .encode());
    }
  }

  @Test
  void case_106_500_clients_with_the_same_ids_and_tokens_hear_only_their_own() {
    try (DoorBed bed = new DoorBed(AuthOptions.NONE)) {
      Choir choir = new Choir();
      choir.peer.set(bed.add("choir", choir::answer));
      List<CompletableFuture<McpHttp.Answer>> answers = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        McpHttp client = bed.mcp(i % 4 < 2 ? "/mcp" : "/mcp/choir");
        JsonObject params =
            new JsonObject()
                .put("name", i % 4 < 2 ? "choir__sing" : "sing")
                .put("arguments", new JsonObject().put("who", i))
                .put("_meta", new JsonObject().put("progressToken", "t"));
        if (i % 2 == 0) {
          JsonObject call = client.described("tools/call", params).put("id", 7);
          answers.add(client.posted(call.encode(), McpHttp.headers(call)));
        } else {
          McpHttp.Session session = client.initialize();
          answers.add(session.called(client.request("tools/call", params).put("id", 7)));
        }
      }
      for (int i = 0; i < CLIENTS; i++) {
        McpHttp.Answer answer = answers.get(i).orTimeout(60, TimeUnit.SECONDS).join();
        String his = "for " + i;
        assertThat(answer.response().getInteger("id")).isEqualTo(7);
        assertThat(McpHttp.text(answer.result())).isEqualTo(his);
        List<JsonObject> told =
            answer.messages().stream()
                .filter(one -> "notifications/progress".equals(one.getString("method")))
                .map(one -> one.getJsonObject("params"))
                .toList();
        assertThat(told).as("progress of " + i).hasSize(ROUNDS);
        assertThat(told)
            .allMatch(one -> one.getValue("progressToken").equals("t"))
            .allMatch(one -> one.getString("message").equals(his));
      }
    }
  }
}
