package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ALICE;
import static dev.mcpbus.faults.DoorBed.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import dev.mcpbus.testing.ScriptedPeer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A function call of a model is decided as every call is: by the tool that its name stands for.
 * Alice may call everything of server {@code c} but what is secret; {@code quiet} she may call and
 * is not shown.
 */
class FunctionRightsTest {

  private static final List<String> TOOLS =
      List.of("open", "open tool", "secret", "secret tool", "quiet");

  private final DoorBed bed = new DoorBed(auth());
  private final ScriptedPeer peer =
      bed.add(
          "c",
          (method, params, connection) ->
              switch (method) {
                case Methods.TOOLS_LIST -> "\"result\":" + list();
                case Methods.TOOLS_CALL ->
                    "\"result\":{\"resultType\":\"complete\",\"content\":[]}";
                default -> null;
              });

  @AfterEach
  void close() {
    bed.close();
  }

  private static AuthOptions auth() {
    List<String> alice = List.of("alice");
    List<String> secret = List.of("secret*");
    return RecordCopy.with(
        DoorBed.keys(),
        "policies",
        List.of(
            new Policy(alice, List.of("c"), List.of(), Set.of(), Effect.ALLOW),
            new Policy(alice, List.of("c"), secret, Set.of(), Effect.DENY),
            new Policy(alice, List.of(), List.of("quiet"), Set.of(Action.LIST), Effect.DENY)));
  }

  private static JsonObject list() {
    JsonArray tools = new JsonArray();
    TOOLS.forEach(
        tool -> tools.add(new JsonObject().put("name", tool).put("inputSchema", new JsonObject())));
    return new JsonObject().put("tools", tools).put("ttlMs", 60_000);
  }

  private static String name(String tool) {
    return RoutingName.of(new ToolName("c", tool));
  }

  private JsonObject called(String name) {
    String call = "{\"function\":{\"name\":\"" + name + "\",\"arguments\":\"{}\"},\"id\":\"1\"}";
    var answer = bed.send("POST", "/api/tools/call?form=openai", call, as(ALICE));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  /** Decision, server, tool and code of the audit log's lines of function calls. */
  private List<String> lines() {
    return bed.audit().stream()
        .filter(line -> "callFunction".equals(line.getString("operation")))
        .map(
            line ->
                String.join(
                    " ",
                    line.getString("decision"),
                    Objects.toString(line.getString("server")),
                    Objects.toString(line.getString("tool")),
                    line.getString("code")))
        .toList();
  }

  @Test
  void what_may_be_called_is_called_listed_or_not() {
    for (String tool : List.of("open", "open tool", "quiet")) {
      assertThat(called(name(tool)).getBoolean("isError")).as(tool).isFalse();
    }
    assertThat(peer.received(Methods.TOOLS_CALL))
        .extracting(sent -> sent.getJsonObject("params").getString("name"))
        .containsExactly("open", "open tool", "quiet");
    await().until(() -> lines().size() == 3);
    assertThat(lines())
        .containsExactly("allow c open OK", "allow c open tool OK", "allow c quiet OK");
    assertThat(bed.send("GET", "/api/tools?form=openai", "", as(ALICE)).body())
        .contains(name("open"), name("open tool"))
        .doesNotContain("secret", "quiet", "read_one");
  }

  @Test
  void what_is_denied_is_told_as_what_never_was_and_nothing_is_sent() {
    JsonObject never = called(name("never"));
    assertThat(never.getJsonObject("failure").getString("code")).isEqualTo("UNKNOWN_TOOL");
    for (String name :
        List.of(
            name("secret"),
            name("secret tool"),
            name("never heard of"),
            "a__read_one",
            "nowhere__tool",
            "nonsense")) {
      assertThat(called(name)).as(name).isEqualTo(never);
    }
    assertThat(peer.received(Methods.TOOLS_CALL)).isEmpty();
    await().until(() -> lines().size() == 7);
    assertThat(lines())
        .containsExactly(
            "allow c never OK",
            "deny c secret UNKNOWN_TOOL",
            "deny c secret tool UNKNOWN_TOOL",
            "deny null null UNKNOWN_TOOL",
            "deny a read_one UNKNOWN_TOOL",
            "deny nowhere tool UNKNOWN_TOOL",
            "deny null null UNKNOWN_TOOL");
  }

  @Test
  void a_call_that_is_none_is_told_so() {
    for (String path : List.of("/api/tools/call?form=odd", "/api/tools/call?form=gemini")) {
      assertThat(bed.send("POST", path, "{}", as(ALICE)).statusCode()).as(path).isEqualTo(400);
    }
  }
}
