package dev.mcpbus.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.ListKind;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.ProtocolException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AggregateSnapshotTest {

  private static String list(ListKind kind, String entries) {
    return "{\"" + kind.member + "\":" + entries + "}";
  }

  private static String tools(String... names) {
    JsonArray tools = new JsonArray();
    for (String name : names) {
      tools.add(new JsonObject().put("name", name).put("inputSchema", new JsonObject()));
    }
    return list(ListKind.TOOLS, tools.encode());
  }

  private static AggregateList listing(String server, ListKind kind, String entries)
      throws ProtocolException {
    return Objects.requireNonNull(
        TestLists.NONE.with(server, kind, list(kind, entries)).aggregate().listing(server, kind));
  }

  private static List<String> names(TestLists lists) {
    return new JsonObject(lists.aggregate().write(ListKind.TOOLS, null, new JsonArray()))
        .getJsonArray("tools").stream().map(tool -> ((JsonObject) tool).getString("name")).toList();
  }

  @Test
  void a_tool_keeps_every_byte_but_its_name_and_the_mark() throws Exception {
    String tool =
        "{ \"x\":1.50e3,\"name\" : \"status\",\n\"inputSchema\":{\"type\":\"object\",\"a\":\"\\u00e9é\"},"
            + "\"_meta\":{\"ui\":[ 1 ]}, \"y\":12345678901234567890 }";

    TestLists catalog =
        TestLists.NONE.with("git", ListKind.TOOLS, list(ListKind.TOOLS, "[" + tool + "]"));

    assertThat(catalog.aggregate().write(ListKind.TOOLS, null, new JsonArray()))
        .hasToString(
            "{\"tools\":[{ \"x\":1.50e3,\"name\" : \"git.status\", \"inputSchema\":{\"type\":\"object\","
                + "\"a\":\"\\u00e9é\"},\"_meta\":{\"dev.mcpbus/server\":\"git\",\"ui\":[ 1 ]},"
                + " \"y\":12345678901234567890 }]}");
  }

  @Test
  void a_resource_keeps_its_uri_and_a_prompt_gets_its_server_in_front() throws Exception {
    TestLists catalog =
        TestLists.NONE
            .with(
                "a",
                ListKind.RESOURCES,
                list(ListKind.RESOURCES, "[{\"name\":\"x\",\"uri\":\"file:///x\"}]"))
            .with("a", ListKind.PROMPTS, list(ListKind.PROMPTS, "[{\"name\":\"p\"}]"));

    assertThat(catalog.aggregate().write(ListKind.RESOURCES, null, new JsonArray()))
        .hasToString(
            "{\"resources\":[{\"_meta\":{\"dev.mcpbus/server\":\"a\"},\"name\":\"x\",\"uri\":\"file:///x\"}]}");
    assertThat(catalog.aggregate().write(ListKind.PROMPTS, null, new JsonArray()))
        .hasToString("{\"prompts\":[{\"_meta\":{\"dev.mcpbus/server\":\"a\"},\"name\":\"a.p\"}]}");
    assertThat(catalog.aggregate().write(ListKind.TOOLS, null, new JsonArray()))
        .hasToString("{\"tools\":[]}");
  }

  @Test
  void order_is_by_server_and_then_as_the_server_lists() throws Exception {
    TestLists catalog =
        TestLists.NONE
            .with("hub", ListKind.TOOLS, tools("z", "a"))
            .with("git", ListKind.TOOLS, tools("m", "b"));

    assertThat(names(catalog)).containsExactly("git.m", "git.b", "hub.z", "hub.a");
    assertThat(
            new JsonObject(
                    catalog.aggregate().write(ListKind.TOOLS, List.of("hub"), new JsonArray()))
                .getJsonArray("tools"))
        .hasSize(2);
    assertThat(catalog.aggregate().offering(ListKind.TOOLS, "z")).containsExactly("hub");
  }

  @Test
  void strange_names_are_kept_as_they_are() throws Exception {
    String longName = "n".repeat(200);

    TestLists catalog =
        TestLists.NONE.with(
            "a", ListKind.TOOLS, tools("with space", "🍵", "b.c", "x:y", longName, "q\"\\\n"));

    assertThat(names(catalog))
        .containsExactly("a.with space", "a.🍵", "a.b.c", "a.x:y", "a." + longName, "a.q\"\\\n");
  }

  @Test
  void an_entry_in_which_a_member_stands_twice_is_left_out_and_reported() throws Exception {
    AggregateList listing =
        listing(
            "a",
            ListKind.RESOURCES,
            "[{\"uri\":\"x:/1\"},{\"uri\":\"x:/2\",\"annotations\":{\"a\":1,\"a\":2}}]");

    assertThat(listing.names()).containsExactly("x:/1");
    assertThat(listing.problems())
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.name()).isEqualTo("x:/2");
              assertThat(problem.reason()).startsWith("member \"a\" stands twice");
            });
  }

  @Test
  void of_two_tools_of_one_name_the_first_counts_and_the_other_is_reported() throws Exception {
    String twice =
        "{\"tools\":[{\"name\":\"t\",\"inputSchema\":{},\"v\":1},"
            + "{\"name\":\"t\",\"inputSchema\":{},\"v\":2}]}";
    JsonObject aggregate =
        new JsonObject(
            TestLists.NONE
                .with("a", ListKind.TOOLS, twice)
                .aggregate()
                .write(ListKind.TOOLS, null, new JsonArray()));

    assertThat(aggregate.getJsonArray("tools")).hasSize(1);
    assertThat(aggregate.getJsonArray("tools").getJsonObject(0).getInteger("v")).isEqualTo(1);
    assertThat(aggregate.getJsonObject("_meta").getJsonArray(MetaKeys.PROBLEMS))
        .isEqualTo(
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("server", "a")
                        .put("name", "t")
                        .put(
                            "reason",
                            "its server lists the same name earlier; the first one counts")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1",
        "null",
        "{}",
        "{\"name\":\"\",\"inputSchema\":{}}",
        "{\"name\":7,\"inputSchema\":{}}",
        "{\"name\":\"t\",\"inputSchema\":false}",
        "{\"name\":\"t\",\"inputSchema\":[1]}",
        "{\"name\":\"t\",\"inputSchema\":{\"type\":\"string\"}}",
        "{\"name\":\"t\",\"inputSchema\":{},\"name\":\"other.tool\"}"
      })
  void a_broken_tool_is_left_out_with_a_reason_and_harms_no_other(String broken) throws Exception {
    AggregateList listing =
        listing("a", ListKind.TOOLS, "[" + broken + ",{\"name\":\"ok\",\"inputSchema\":{}}]");

    assertThat(listing.names()).containsExactly("ok");
    assertThat(listing.problems()).hasSize(1);
    assertThat(listing.problems().get(0).reason()).isNotBlank();
  }

  @Test
  void a_huge_definition_is_left_out() throws Exception {
    String schema = "{\"x\":\"" + "x".repeat(ServerList.MAX_ENTRY_BYTES) + "\"}";

    AggregateList listing =
        listing("a", ListKind.TOOLS, "[{\"name\":\"big\",\"inputSchema\":" + schema + "}]");

    assertThat(listing.names()).isEmpty();
    assertThat(listing.problems().get(0).reason()).contains("limit of 1048576");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "{}", "{\"tools\":{}}", "{\"tools\":[}", "{\"tools\":[]}x"})
  void what_is_no_list_is_refused(String result) {
    assertThatThrownBy(() -> TestLists.NONE.with("a", ListKind.TOOLS, result))
        .isInstanceOf(ProtocolException.class);
  }

  @Test
  void the_last_good_entries_of_a_dead_server_are_marked_until_it_lists_again() throws Exception {
    TestLists alive =
        TestLists.NONE.with("a", ListKind.TOOLS, tools("t")).with("b", ListKind.TOOLS, tools("t"));

    TestLists dead = alive.withDown("a").withDown("a").withDown("never heard of");

    JsonArray tools =
        new JsonObject(dead.aggregate().write(ListKind.TOOLS, null, new JsonArray()))
            .getJsonArray("tools");
    assertThat(tools.getJsonObject(0).getJsonObject("_meta"))
        .isEqualTo(new JsonObject().put("dev.mcpbus/server", "a").put("dev.mcpbus/stale", true));
    assertThat(tools.getJsonObject(1).getJsonObject("_meta").containsKey("dev.mcpbus/stale"))
        .isFalse();
    assertThat(
            dead.with("a", ListKind.TOOLS, tools("t"))
                .aggregate()
                .write(ListKind.TOOLS, null, new JsonArray()))
        .isEqualTo(alive.aggregate().write(ListKind.TOOLS, null, new JsonArray()));
  }

  @Test
  void every_change_makes_a_new_snapshot() throws Exception {
    TestLists one = TestLists.NONE.with("a", ListKind.TOOLS, tools("t"));

    assertThat(names(one.with("b", ListKind.TOOLS, tools("u")))).containsExactly("a.t", "b.u");
    assertThat(names(one.without("a"))).isEmpty();
    assertThat(one.without("b").aggregate()).isSameAs(one.aggregate());
    assertThat(names(one)).containsExactly("a.t");
    assertThat(names(TestLists.NONE)).isEmpty();
  }
}
