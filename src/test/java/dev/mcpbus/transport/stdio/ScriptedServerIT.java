package dev.mcpbus.transport.stdio;

import static dev.mcpbus.transport.stdio.Peer.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.testing.ScriptedServer;
import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The scripted server does what its documentation says, through the real transport. */
@ExtendWith(VertxExtension.class)
class ScriptedServerIT {

  private static Peer open(Vertx vertx, String behaviour) throws Exception {
    List<String> command = ScriptedServer.command(behaviour);
    return Peer.open(
        vertx,
        RecordCopy.with(
            StdioOptions.of(command.get(0), command.subList(1, command.size())),
            "closeGrace",
            Peer.GRACE));
  }

  private static JsonObject answer(Peer peer, long id, String method, JsonObject params)
      throws Exception {
    int before = peer.messages.size();
    peer.request(id, method, RawJson.of(params));
    await().until(() -> peer.messages.size() > before);
    JsonObject message = new JsonObject(peer.messages.get(before));
    assertThat(message.getLong("id")).isEqualTo(id);
    return message;
  }

  private static JsonObject tool(String name) {
    return new JsonObject().put("name", name).put("arguments", new JsonObject().put("text", "hi"));
  }

  private static String text(JsonObject message) {
    return message
        .getJsonObject("result")
        .getJsonArray("content")
        .getJsonObject(0)
        .getString("text");
  }

  @Test
  void the_good_server_speaks_mcp(Vertx vertx) throws Exception {
    Peer peer = open(vertx, "good");
    JsonObject params = new JsonObject().put("protocolVersion", "2025-06-18");
    assertThat(answer(peer, 1, "initialize", params).getJsonObject("result").getMap())
        .containsEntry("protocolVersion", "2025-06-18");
    assertThat(answer(peer, 2, "ping", new JsonObject()).getJsonObject("result")).isEmpty();
    assertThat(
            answer(peer, 3, "tools/list", new JsonObject())
                .getJsonObject("result")
                .getJsonArray("tools"))
        .hasSizeGreaterThan(20);
    assertThat(text(answer(peer, 4, "tools/call", tool("echo")))).isEqualTo("hi");
    assertThat(text(answer(peer, 5, "tools/call", tool("count")))).isEqualTo("1");
    assertThat(answer(peer, 6, "prompts/list", new JsonObject()).getJsonObject("error").getMap())
        .containsEntry("code", -32601);
    peer.close();
  }

  @ParameterizedTest
  @CsvSource({
    "crash, UPSTREAM_EXITED, exit code 7",
    "kill, UPSTREAM_EXITED, killed by SIGKILL",
    "partial, UPSTREAM_EXITED, exit code 0|closed its stdout",
    "close-stdout, UPSTREAM_EXITED, closed its stdout",
    "big, LIMIT_EXCEEDED, longer than",
    "batch, PROTOCOL_ERROR, batch",
    "two-on-a-line, PROTOCOL_ERROR, byte",
    "not-json, PROTOCOL_ERROR, byte",
  })
  void a_bad_tool_ends_the_channel(String tool, Reason reason, String text, Vertx vertx)
      throws Exception {
    Peer peer = open(vertx, "good");
    peer.request(1, "tools/call", RawJson.of(tool(tool)));
    assertThat(peer.ending().reason()).isEqualTo(reason);
    assertThat(peer.ending()).message().containsPattern(text);
    assertThat(peer.messages).isEmpty();
    peer.close();
  }

  @ParameterizedTest
  @CsvSource({"junk, 1", "tolerated, 0", "stderr-flood, 0", "stderr-closed, 0"})
  void a_strange_server_is_understood(String behaviour, long junk, Vertx vertx) throws Exception {
    Peer peer = open(vertx, behaviour);
    assertThat(text(answer(peer, 1, "tools/call", tool("echo")))).isEqualTo("hi");
    assertThat(peer.diagnostics().getLong("junk")).isEqualTo(junk);
    peer.close();
  }

  @Test
  void a_family_goes_with_its_server(Vertx vertx) throws Exception {
    Peer peer = open(vertx, "family");
    List<Long> pids =
        Arrays.stream(text(answer(peer, 1, "tools/call", tool("pids"))).split(" "))
            .map(Long::valueOf)
            .toList();
    assertThat(pids).hasSize(3).allMatch(Peer::running);
    peer.close();
    assertThat(pids).noneMatch(Peer::running);
  }

  @Test
  void the_others_misbehave_as_told(Vertx vertx) throws Exception {
    Peer gone = open(vertx, "exit-at-start");
    assertThat(gone.ending()).hasMessageContaining("exit code 3").hasMessageContaining("licence");
    gone.close();
    Peer flood = open(vertx, "junk-flood");
    flood.request(1, "ping", RawJson.EMPTY_OBJECT);
    assertThat(flood.ending().reason()).isEqualTo(Reason.PROTOCOL_ERROR);
    flood.close();
    Peer twice = open(vertx, "good");
    answer(twice, 1, "tools/call", tool("twice"));
    await().until(() -> twice.messages.size() == 2);
    twice.close();
  }
}
