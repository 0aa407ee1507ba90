package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What clients say about tasks is the same bytes at the server, but for the ids of tasks. */
class TaskBytesTest extends ClientBytesFixture {

  private ScriptedPeer taskPeer() {
    String task =
        "{\"taskId\":\"1\",\"status\":\"completed\",\"createdAt\":\"2026-11-21T10:00:00Z\","
            + "\"lastUpdatedAt\":\"2026-11-21T10:00:00Z\",\"ttl\":60000}";
    String initialized =
        Peers.INITIALIZE.replace(
            "\"capabilities\":{",
            "\"capabilities\":{\"tasks\":{\"list\":{},\"cancel\":{},\"requests\":{\"tools\":"
                + "{\"call\":{}}}},");
    ScriptedPeer.Script script =
        (method, params, connection) ->
            switch (method) {
              case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
              case "initialize" -> initialized;
              case "tools/list" ->
                  "\"result\":{\"tools\":[{\"name\":\"work\",\"inputSchema\":{\"type\":\"object\"},"
                      + "\"execution\":{\"taskSupport\":\"optional\"}},{\"name\":\"must\","
                      + "\"inputSchema\":{\"type\":\"object\"},\"execution\":"
                      + "{\"taskSupport\":\"required\"}},{\"name\":\"plain\","
                      + "\"inputSchema\":{\"type\":\"object\"}}]}";
              case "tools/call" ->
                  params.getString("name").equals("work")
                      ? "\"result\":{\"task\":" + task + "}"
                      : "\"result\":{\"content\":[],\"own\":1.0}";
              case "tasks/get", "tasks/cancel" -> "\"result\":" + task;
              case "resources/list" -> "\"result\":{\"resources\":[]}";
              case "prompts/list" -> "\"result\":{\"prompts\":[]}";
              case "resources/templates/list" -> "\"result\":{\"resourceTemplates\":[]}";
              default -> "\"result\":{}";
            };
    return Peers.connected(bus, "p", new ScriptedPeer(bus.vertx(), script));
  }

  @Test
  void what_an_initialize_client_says_about_its_task_is_the_same_bytes_but_for_the_id() {
    ScriptedPeer peer = taskPeer();
    String[] headers = opened();
    String call =
        "{\"task\":{\"ttl\":1e5, " + ODD + "},\"name\":\"work\",\"arguments\":{}," + META + "}";
    JsonObject made = client.post(Peers.request(++id, "tools/call", call), headers).result();
    assertThat(received(peer, "tools/call")).hasToString(call);

    String taskId = made.getJsonObject("task").getString("taskId");
    assertThat(taskId).isNotEqualTo("1");
    for (String method : List.of("tasks/get", "tasks/result", "tasks/cancel")) {
      String about = "{" + ODD + ",\"taskId\":\"%s\", " + META + "}";
      int before = peer.received(method).size();
      client.post(Peers.request(++id, method, about.formatted(taskId)), headers);
      await().until(() -> peer.received(method).size() > before);
      assertThat(
              peer.texts().stream()
                  .filter(text -> says(text, method))
                  .map(text -> String.valueOf(RawJson.of(text).member("params"))))
          .as(method)
          .contains(about.formatted("1"));
    }
  }

  @Test
  void
      a_wish_for_a_task_that_the_tool_does_not_take_reaches_the_server_and_its_answer_the_client() {
    ScriptedPeer peer = taskPeer();
    String[] headers = opened();
    String call = "{\"task\":{\"ttl\":1e5}, \"name\":\"plain\",\"arguments\":{}}";
    McpHttp.Answer answer = client.post(Peers.request(++id, "tools/call", call), headers);
    assertThat(received(peer, "tools/call")).hasToString(call);
    assertThat(answer.body()).endsWith("\"result\":{\"content\":[],\"own\":1.0}}");
  }

  @Test
  void a_tool_that_demands_a_task_says_so_itself_to_a_client_that_asks_for_none() {
    ScriptedPeer peer = taskPeer();
    String[] headers = opened();
    String call = "{\"name\":\"must\", \"arguments\":{}}";
    McpHttp.Answer answer = client.post(Peers.request(++id, "tools/call", call), headers);
    assertThat(received(peer, "tools/call")).hasToString(call);
    assertThat(answer.body()).endsWith("\"result\":{\"content\":[],\"own\":1.0}}");
  }

  @Test
  void the_tasks_of_a_client_are_the_same_bytes_both_ways() {
    ScriptedPeer peer = peer(true);
    String can = CAPABILITIES.replace("\"sampling\":{}", "\"sampling\":{},\"tasks\":{\"list\":{}}");
    McpHttp.Answer opened =
        client.post(Peers.request(1, "initialize", initialize().replace(CAPABILITIES, can)));
    String[] headers = {
      "Mcp-Session-Id", opened.header("mcp-session-id"), "MCP-Protocol-Version", "2025-11-25"
    };
    client.post(Peers.request(2, "tools/call", "{\"name\":\"t\"}"), headers).result();
    String about = "{\"taskId\":\"own\\u002d1\", " + ODD + "}";
    try (McpHttp.Stream stream = client.get(headers)) {
      int asked = 70;
      for (String method : List.of("sampling/createMessage", "tasks/get", "tasks/result")) {
        peer.say(Peers.request(++asked, method, about));
        await().until(() -> stream.methods().contains(method));
        McpHttp.Event question = stream.events().get(stream.events().size() - 1);
        assertThat(question.data()).endsWith(",\"params\":" + about + "}");
        String answer = "\"result\":{\"task\":" + about + "," + ODD + "}";
        client.post(
            "{\"jsonrpc\":\"2.0\",\"id\":\""
                + question.json().getValue("id")
                + "\","
                + answer
                + "}",
            headers);
        int id = asked;
        await().until(() -> !peer.answers(id).isEmpty());
        assertThat(peer.texts().get(peer.texts().size() - 1))
            .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + answer + "}");
      }
      tell("notifications/tasks/status", about, headers);
      assertThat(received(peer, "notifications/tasks/status")).hasToString(about);
    }
  }
}
