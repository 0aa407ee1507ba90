package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ALICE;
import static dev.mcpbus.faults.DoorBed.BOB;
import static dev.mcpbus.faults.DoorBed.as;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.McpHttp;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.Stream;
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
      assertThat(modern(bed, "/mcp", "tools/list", new JsonObject(), as(ALICE)))
          .contains("a__read_one")
          .doesNotContain("delete_all", "read_two");
      assertThat(modern(bed, "/mcp", "tools/list", new JsonObject(), as(BOB)))
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

  private static String call(DoorBed bed, String path, String tool, String... headers) {
    return modern(bed, path, "tools/call", new JsonObject().put("name", tool), headers);
  }

  private static String modern(
      DoorBed bed, String path, String method, JsonObject params, String... headers) {
    McpHttp mcp = bed.mcp(path);
    JsonObject request = mcp.described(method, params).put("id", 7);
    return mcp.post(
            request,
            Stream.concat(Stream.of(headers), Stream.of(McpHttp.headers(request)))
                .toArray(String[]::new))
        .body();
  }
}
