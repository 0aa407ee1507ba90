package dev.mcpbus.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Events;
import dev.mcpbus.security.AccessPolicy;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.Rights;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PolicyFilterTest {

  private static final List<String> ALL = List.of();

  private static Policy policy(Effect effect, List<String> tools, Action... actions) {
    return new Policy(ALL, List.of("a"), tools, Set.of(actions), effect);
  }

  private static Rights rights(boolean admin, Policy... policies) {
    return new AccessPolicy(List.of(policies)).rights(new Principal("me", new TreeSet<>(), admin));
  }

  private static JsonObject status() {
    return new JsonObject()
        .put("id", "a")
        .put("state", "READY")
        .put("tools", 2)
        .put("toolsHash", "x")
        .put("quarantined", new JsonArray().add("t"))
        .put("sessionId", "s")
        .put("config", new JsonObject().put("pin", new JsonObject().put("t", "x")))
        .put(
            "transport",
            new JsonObject()
                .put("pid", 1)
                .put("stderr", "e")
                .put("stdout", "o")
                .put("sessionId", "s"));
  }

  @Test
  void an_administrator_of_all_tools_gets_the_whole_status() {
    assertThat(PolicyFilter.status(status(), rights(true, policy(Effect.ALLOW, ALL))))
        .isEqualTo(status());
  }

  @Test
  void output_and_session_are_for_administrators_of_the_server() {
    JsonObject status = PolicyFilter.status(status(), rights(false, policy(Effect.ALLOW, ALL)));
    assertThat(status.getJsonObject("transport")).isEqualTo(new JsonObject().put("pid", 1));
    assertThat(status.fieldNames()).doesNotContain("sessionId").contains("tools", "quarantined");
    assertThat(PolicyFilter.status(status(), AccessPolicy.WHOLE).encode()).doesNotContain("stderr");
  }

  @Test
  void what_is_hidden_of_a_server_is_hidden_of_each_of_its_connections() {
    JsonObject breaker =
        new JsonObject()
            .put("state", "closed")
            .put("tools", new JsonArray().add(new JsonObject().put("tool", "delete_all")));
    JsonObject one =
        new JsonObject().put("replica", 0).put("sessionId", "s").put("breaker", breaker);
    JsonObject whole =
        status().put("breaker", breaker.copy()).put("replicas", new JsonArray().add(one));
    Rights administrator = rights(true, policy(Effect.ALLOW, ALL));
    assertThat(PolicyFilter.status(whole.copy(), administrator)).isEqualTo(whole);

    Rights caller = rights(false, policy(Effect.ALLOW, ALL));
    assertThat(PolicyFilter.status(whole.copy(), caller).encode())
        .doesNotContain("sessionId")
        .contains("delete_all");
    Rights partly = rights(true, policy(Effect.ALLOW, List.of("read_*")));
    JsonObject left = PolicyFilter.status(whole.copy(), partly);
    assertThat(left.encode()).doesNotContain("delete_all");
    assertThat(left.getJsonObject("breaker").getString("state")).isEqualTo("closed");
  }

  @Test
  void the_breaker_of_a_tool_is_an_event_about_tools_alone() {
    JsonObject whole = new JsonObject().put("type", Events.BREAKER_CHANGED).put("to", "open");
    assertThat(PolicyFilter.withoutTools(whole)).isEqualTo(whole);
    assertThat(PolicyFilter.withoutTools(whole.copy().put("tool", "delete_all"))).isNull();
  }

  @Test
  void tools_are_counted_for_callers_from_whom_no_tool_is_hidden() {
    Policy all = policy(Effect.ALLOW, ALL);
    for (Rights partly :
        List.of(
            rights(true, policy(Effect.ALLOW, List.of("read_*"))),
            rights(true, all, policy(Effect.DENY, List.of("delete_*"))),
            rights(true, all, policy(Effect.DENY, List.of("delete_*"), Action.CALL)),
            rights(true, policy(Effect.ALLOW, ALL, Action.LIST, Action.ADMIN)))) {
      JsonObject status = PolicyFilter.status(status(), partly);
      assertThat(status.fieldNames()).doesNotContain("tools", "toolsHash", "quarantined");
      assertThat(status.getJsonObject("config").getValue("pin")).isEqualTo(true);
    }
    for (Rights whole :
        List.of(
            rights(true, policy(Effect.ALLOW, List.of("*"))),
            rights(true, all, policy(Effect.DENY, ALL, Action.SUBSCRIBE)))) {
      assertThat(PolicyFilter.status(status(), whole)).isEqualTo(status());
    }
  }

  @Test
  void sentences_about_the_node_are_for_its_administrators() {
    JsonObject list = new JsonObject().put("servers", new JsonArray().add(status()));
    list.put("problems", new JsonArray().add("prod")).put("notes", new JsonArray().add("prod"));
    assertThat(
            PolicyFilter.servers(list.copy(), rights(true, policy(Effect.ALLOW, ALL))).fieldNames())
        .containsExactly("servers");
    assertThat(PolicyFilter.servers(list, AccessPolicy.WHOLE).fieldNames())
        .contains("problems", "notes");
  }
}
