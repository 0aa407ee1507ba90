package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ALICE;
import static dev.mcpbus.faults.DoorBed.BOB;
import static dev.mcpbus.faults.DoorBed.ROOT;
import static dev.mcpbus.faults.DoorBed.as;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.directory.ViewOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What policies deny is not there, at every door. */
class DeniedLooksAbsentTest {

  @Test
  void what_is_denied_answers_like_what_never_was() {
    try (DoorBed bed = new DoorBed(DoorBed.policies())) {
      String denied = bed.send("POST", "/api/servers/a/tools/delete_all", "{}", as(ALICE)).body();
      String absent = bed.send("POST", "/api/servers/a/tools/nothing", "{}", as(ALICE)).body();
      assertThat(denied).isEqualTo(absent).contains("UNKNOWN_TOOL");
      assertThat(bed.send("GET", "/api/servers/b", "", as(ALICE)).body())
          .isEqualTo(bed.send("GET", "/api/servers/c", "", as(ALICE)).body())
          .contains("UNKNOWN_CONNECTION");
      assertThat(bed.send("POST", "/api/servers/b/tools/read_two", "{}", as(ALICE)).body())
          .isEqualTo(bed.send("POST", "/api/servers/c/tools/read_two", "{}", as(ALICE)).body());
      for (String path :
          List.of("/api/servers", "/api/servers/a/tools", "/api/tools", "/api/tools?form=openai")) {
        String body = bed.send("GET", path, "", as(ALICE)).body();
        assertThat(body).as(path).doesNotContain("delete_all", "read_two", "\"b\"");
        assertThat(bed.send("GET", path, "", as(BOB)).body())
            .as(path)
            .containsAnyOf("delete_all", "\"b\"");
      }
      assertThat(bed.send("GET", "/api/servers/a/tools", "", as(ALICE)).body())
          .contains("read_one");
      assertThat(bed.send("GET", "/api/tools?form=openai", "", as(ALICE)).body())
          .contains("a__read_one");
      assertThat(bed.send("POST", "/api/servers/a/tools/read_one", "{}", as(ALICE)).body())
          .contains("done");
      String raw =
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"serverId\":\"a\","
              + "\"params\":{\"name\":\"delete_all\"}}";
      assertThat(bed.send("POST", "/rpc", raw, as(ALICE)).body()).contains("UNKNOWN_TOOL");
    }
  }

  @Test
  void mcp_clients_see_what_policies_let_them_see() {
    try (DoorBed bed = new DoorBed(DoorBed.policies())) {
      assertThat(discover(bed, "/mcp", "tools/list", new JsonObject(), as(ALICE)))
          .contains("a__read_one")
          .doesNotContain("delete_all", "read_two");
      assertThat(discover(bed, "/mcp", "tools/list", new JsonObject(), as(BOB)))
          .contains("a__read_one", "a__delete_all", "b__read_two");
      String denied = call(bed, "/mcp/a", "delete_all", as(ALICE));
      String absent = call(bed, "/mcp/a", "delete_xxx", as(ALICE));
      assertThat(denied.replace("delete_all", "?")).isEqualTo(absent.replace("delete_xxx", "?"));
      assertThat(call(bed, "/mcp", "a__read_one", as(ALICE))).contains("done");
      assertThat(call(bed, "/mcp", "b__read_two", as(ALICE))).contains("Unknown tool");
      assertThat(call(bed, "/mcp/b", "read_two", as(ALICE)).replace("'b'", "?"))
          .isEqualTo(call(bed, "/mcp/c", "read_two", as(ALICE)).replace("'c'", "?"));
      assertThat(bed.audit())
          .anyMatch(
              line ->
                  "delete_all".equals(line.getString("tool"))
                      && line.getString("decision").equals("deny"))
          .anyMatch(
              line ->
                  "read_one".equals(line.getString("tool"))
                      && "a".equals(line.getString("server"))
                      && line.getString("decision").equals("allow")
                      && line.getString("code").equals("OK"));
    }
  }

  @Test
  void a_missing_list_is_named_to_those_alone_who_see_its_server() {
    List<Policy> policies =
        List.of(
            new Policy(List.of("root"), List.of(), List.of(), Set.of(), Effect.ALLOW),
            new Policy(List.of("alice"), List.of("a", "c"), List.of(), Set.of(), Effect.ALLOW));
    try (DoorBed bed = new DoorBed(RecordCopy.with(DoorBed.keys(), "policies", policies))) {
      for (String id : List.of("c", "d")) {
        bed.add(
            id, (method, params, connection) -> ScriptedPeer.error(-32603, "no token at " + id));
      }
      for (String path : List.of("/mcp", "/api/tools")) {
        assertThat(listed(bed, path, as(ALICE)))
            .as(path)
            .contains("no token at c")
            .doesNotContain("\"server\":\"d\"", "no token at d");
        assertThat(listed(bed, path, as(ROOT))).as(path).contains("no token at c", "no token at d");
      }
      assertThat(discover(bed, "/mcp/d", "tools/list", new JsonObject(), as(ALICE)))
          .contains("there is no server and no view");
    }
  }

  private static String listed(DoorBed bed, String path, String[] caller) {
    return path.equals("/mcp")
        ? discover(bed, path, "tools/list", new JsonObject(), caller)
        : bed.send("GET", path, "", caller).body();
  }

  private static String call(DoorBed bed, String path, String tool, String... headers) {
    return discover(bed, path, "tools/call", new JsonObject().put("name", tool), headers);
  }

  private static String discover(
      DoorBed bed, String path, String method, JsonObject params, String... headers) {
    return bed.discover(path, method, params, headers).body();
  }

  @Test
  void a_search_counts_and_finds_only_what_the_caller_sees() {
    try (DoorBed bed = new DoorBed(DoorBed.policies())) {
      JsonObject his =
          new JsonObject(bed.send("GET", "/api/tools/search?q=", "", as(ALICE)).body());
      assertThat(his.getInteger("total")).isEqualTo(1);
      assertThat(his.getJsonArray("tools").encode())
          .contains("read_one")
          .doesNotContain("delete_all", "read_two");
      JsonObject all = new JsonObject(bed.send("GET", "/api/tools/search?q=", "", as(BOB)).body());
      assertThat(all.getInteger("total")).isEqualTo(3);
      JsonObject rest =
          new JsonObject(bed.send("GET", "/api/tools/search?q=&offset=1", "", as(ALICE)).body());
      assertThat(rest.getInteger("total")).isEqualTo(1);
      assertThat(rest.getJsonArray("tools")).isEmpty();
      JsonObject one =
          new JsonObject(
              bed.send("GET", "/api/tools/search?q=&limit=1&offset=2", "", as(BOB)).body());
      assertThat(one.getJsonArray("tools")).hasSize(1);
      assertThat(bed.send("GET", "/api/tools/search?q=read&server=b", "", as(ALICE)).body())
          .contains("\"total\":0");
      assertThat(bed.send("GET", "/api/tools/search?limit=101", "", as(ALICE)).statusCode())
          .isEqualTo(400);
    }
  }

  @Test
  void a_view_that_is_for_others_is_as_if_it_never_was() {
    GatewayOptions gateway =
        RecordCopy.with(
            GatewayOptions.DEFAULT,
            "views",
            Map.of(
                "roots", view(false, "ro*"),
                "big", view(true, "alice", "role:nobody")));
    BridgeOptions bridge = BridgeOptions.DEFAULT.withPort(0);
    try (DoorBed bed = new DoorBed(bridge, gateway, DoorBed.policies())) {
      McpHttp.Answer his = bed.discover("/mcp/roots", "tools/list", new JsonObject(), as(ROOT));
      assertThat(his.body()).contains("a__delete_all");
      McpHttp.Answer other = bed.discover("/mcp/roots", "tools/list", new JsonObject(), as(BOB));
      McpHttp.Answer never = bed.discover("/mcp/never", "tools/list", new JsonObject(), as(BOB));
      assertThat(other.status()).isEqualTo(404).isEqualTo(never.status());
      assertThat(other.body().replace("roots", "?")).isEqualTo(never.body().replace("never", "?"));
      assertThat(bed.mcp("/mcp/roots").post("{}", as(BOB)).status()).isEqualTo(404);

      assertThat(bed.discover("/mcp/big", "tools/list", new JsonObject(), as(ALICE)).body())
          .contains("search_tools")
          .doesNotContain("read_one");
      String found = meta(bed, "search_tools", new JsonObject().put("query", ""));
      assertThat(found).contains("a__read_one").doesNotContain("delete_all", "read_two");
      assertThat(meta(bed, "describe_tool", new JsonObject().put("name", "a__read_one")))
          .contains("inputSchema");
      for (String hidden : List.of("a__delete_all", "b__read_two", "a.delete_all")) {
        for (String tool : List.of("describe_tool", "call_tool")) {
          String body = meta(bed, tool, new JsonObject().put("name", hidden));
          String absent = meta(bed, tool, new JsonObject().put("name", "a__nothing"));
          assertThat(body.replace(hidden, "?"))
              .isEqualTo(absent.replace("a__nothing", "?"))
              .contains("UNKNOWN_TOOL");
        }
      }
      assertThat(meta(bed, "call_tool", new JsonObject().put("name", "a__read_one")))
          .contains("done");
      assertThat(bed.audit())
          .anyMatch(
              line ->
                  "read_one".equals(line.getString("tool"))
                      && "call".equals(line.getString("action"))
                      && "OK".equals(line.getString("code")))
          .anyMatch(
              line ->
                  "a__delete_all".equals(line.getString("tool"))
                      && "deny".equals(line.getString("decision")));
    }
  }

  private static ViewOptions view(boolean search, String... principals) {
    return new ViewOptions(
        List.of(), List.of(), List.of(), Map.of(), false, search, List.of(principals));
  }

  private static String meta(DoorBed bed, String tool, JsonObject arguments) {
    JsonObject params = new JsonObject().put("name", tool).put("arguments", arguments);
    return discover(bed, "/mcp/big", "tools/call", params, as(ALICE));
  }
}
