package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.cli.AdminTokenPublisher;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.connection.ManualTimers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person sees after the start, by a clock turned by hand. */
class StartReportTest {

  private static final String FOLLOWS = "1 of 2 connections not settled yet: the table follows";

  @TempDir Path folder;

  private final ManualTimers time = new ManualTimers();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final JsonArray servers = new JsonArray();
  private final JsonArray nodes = new JsonArray();

  private McpBusConfig config(String file) {
    try {
      Path path = Files.writeString(folder.resolve("mcp.json"), file);
      return ConfigReader.read(path, ConfigEnvironment.system()).usable().orElseThrow();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** How long the list of servers takes, and how often it was asked for. */
  private long listMillis;

  private int lists;

  /** So many of the first requests get no answer. */
  private int silent;

  private Future<JsonArray> list() {
    lists++;
    if (lists <= silent) {
      return Future.failedFuture("no answer");
    }
    if (listMillis == 0) {
      return Future.succeededFuture(servers);
    }
    Promise<JsonArray> listed = Promise.promise();
    time.set(listMillis, () -> listed.complete(servers));
    return listed.future();
  }

  private void print(String file) {
    new StartReport(
            this::list,
            () -> Future.succeededFuture(nodes),
            time,
            time::millis,
            config(file),
            new PrintStream(out, true, StandardCharsets.UTF_8))
        .print(8790, new AdminTokenPublisher(null, 0, Map.of()));
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private static JsonObject ready(String id) {
    return state(id, "READY")
        .put("era", "INITIALIZE")
        .put("server", new JsonObject().put("name", "s").put("version", "1"))
        .put("capabilities", new JsonObject().put("tools", new JsonObject()))
        .put("toolsListed", true)
        .put("tools", 3)
        .put("connectMillis", 12);
  }

  private static JsonObject state(String id, String state) {
    return new JsonObject().put("id", id).put("state", state);
  }

  private static JsonObject failed(String id, String message) {
    return state(id, "FAILED")
        .put("lastError", new JsonObject().put("code", "START_FAILED").put("message", message));
  }

  @Test
  void the_url_comes_at_once_and_the_table_when_all_have_settled() {
    servers.add(state("a", "CONNECTING"));
    print("{\"mcpServers\": {}}");
    assertThat(printed())
        .contains(
            "Bridge: http://127.0.0.1:8790\n",
            "Web:    http://127.0.0.1:8790/ for people",
            "curl -s http://127.0.0.1:8790/api/servers")
        .doesNotContain("CONNECTION");
    time.pass(400);
    servers.clear().add(ready("a"));
    time.pass(50);
    assertThat(printed()).containsOnlyOnce("CONNECTION").contains("a           READY  initialize");
    assertThat(time.armed()).isZero();
  }

  @Test
  void a_request_without_an_answer_is_made_again_until_the_last_table_is_due() {
    servers.add(ready("a"));
    silent = 2;
    print("{\"mcpServers\": {}}");
    time.pass(999);
    assertThat(printed()).doesNotContain("CONNECTION");
    time.pass(1);
    assertThat(printed()).containsOnlyOnce("CONNECTION");

    silent = Integer.MAX_VALUE;
    print("{\"mcpServers\": {}}");
    time.pass(StartReport.LAST_TABLE_MILLIS + 1_000);
    assertThat(time.armed()).isZero();
  }

  @Test
  void without_the_console_there_is_nothing_for_a_browser() {
    print("{\"mcpServers\": {}, \"bridge\": {\"console\": false}}");
    assertThat(printed()).contains("Bridge: ").doesNotContain("browser");
  }

  @Test
  void in_a_cluster_it_names_the_nodes_and_where_a_server_is_that_waits_for_its_first_call() {
    servers
        .add(state("here", "IDLE").put("node", "n1").put("lazy", true))
        .add(state("there", "IDLE").put("node", "n2").put("lazy", true))
        .add(ready("busy").put("node", "n3"));
    nodes.add(node("n1", true)).add(node("n2", false)).add(node("n3", false));
    print("{\"mcpServers\": {}}");
    assertThat(printed())
        .contains("busy        READY")
        .contains("here        IDLE   starts with the first call")
        .contains("there       at n2  starts with the first call")
        .contains("  Cluster: this node is n1, with n2, n3\n");
  }

  @Test
  void a_node_that_is_alone_says_so_and_one_without_a_cluster_says_nothing() {
    nodes.add(node("n1", true));
    print("{\"mcpServers\": {}}");
    assertThat(printed()).contains("Cluster: this node is n1; no other node has joined yet\n");
    out.reset();
    nodes.clear().add(new JsonObject().put("name", "local").put("self", true));
    print("{\"mcpServers\": {}}");
    assertThat(printed()).doesNotContain("Cluster");
  }

  private static JsonObject node(String name, boolean self) {
    return new JsonObject().put("name", name).put("id", "id of " + name).put("self", self);
  }

  @Test
  void after_3_s_the_table_says_what_is_known_and_it_follows_again_once() {
    servers.add(ready("good")).add(state("slow", "CONNECTING"));
    print("{\"mcpServers\": {}}");
    time.pass(2_900);
    assertThat(printed()).doesNotContain("CONNECTION");
    time.pass(200);
    assertThat(printed()).contains("slow        CONNECTING  waiting for the handshake", FOLLOWS);
    servers.clear().add(ready("good")).add(failed("slow", "exit code 3"));
    time.pass(60_000);
    assertThat(printed().split("CONNECTION ", -1)).hasSize(3);
    assertThat(printed()).contains("slow        FAILED  START_FAILED: exit code 3");
    assertThat(time.armed()).isZero();
  }

  @Test
  void a_list_that_takes_long_is_asked_for_seldom_and_both_tables_come_in_time() {
    servers.add(ready("good")).add(state("slow", "CONNECTING"));
    listMillis = 400;
    print("{\"mcpServers\": {}}");
    time.pass(3_500);
    assertThat(printed()).containsOnlyOnce("CONNECTION ");
    servers.clear().add(ready("good")).add(failed("slow", "exit code 3"));
    time.pass(12_500);
    assertThat(printed()).contains("slow        FAILED  START_FAILED: exit code 3");
    time.pass(60_000);
    assertThat(lists).isLessThanOrEqualTo(6);
    assertThat(time.armed()).isZero();
  }

  @Test
  void a_server_that_never_settles_ends_the_report_after_15_s_without_the_same_table_again() {
    servers.add(ready("good")).add(state("slow", "CONNECTING"));
    print("{\"mcpServers\": {}}");
    time.pass(60_000);
    assertThat(printed()).containsOnlyOnce("CONNECTION ").containsOnlyOnce("not settled yet");
    assertThat(time.armed()).isZero();
  }

  @Test
  void what_has_changed_after_15_s_is_shown_with_the_number_of_those_that_have_not_settled() {
    servers.add(state("good", "CONNECTING")).add(state("slow", "CONNECTING"));
    print("{\"mcpServers\": {}}");
    time.pass(4_000);
    servers.clear().add(ready("good")).add(state("slow", "CONNECTING"));
    time.pass(60_000);
    assertThat(printed()).endsWith("1 of 2 connections not settled yet: mcpbus status\n\n");
    assertThat(time.armed()).isZero();
  }

  @Test
  void a_server_that_the_configuration_leaves_out_has_a_row_with_the_line_and_the_reason() {
    servers.add(ready("good"));
    print("{\"mcpServers\": {\n\"bad\": {\"url\": \"ftp://nowhere\"}}}");
    time.pass(50);
    assertThat(printed()).containsPattern("bad +LEFT OUT +line 2: .*neither http nor https");
  }

  @Test
  void with_many_broken_servers_it_stays_a_page_of_100_columns() {
    for (int i = 0; i < 63; i++) {
      servers.add(failed("broken-" + i, "no\r\n  such thing ".repeat(40)));
      servers.add(ready("good-" + i));
    }
    print("{\"mcpServers\": {}}");
    time.pass(50);
    assertThat(printed().lines().filter(line -> line.contains("broken-")))
        .hasSize(20)
        .allMatch(line -> line.length() == 100 && line.endsWith("..."))
        .allMatch(line -> line.contains("no | such thing no | such thing"));
    assertThat(printed())
        .contains("  and 43 more: mcpbus status", "  and 23 more are READY: mcpbus status");
    assertThat(printed().lines()).hasSizeLessThan(75);
  }

  @Test
  void neither_the_name_of_a_server_nor_its_id_makes_a_row_wider() {
    servers.add(
        ready("x".repeat(200))
            .put("server", new JsonObject().put("name", "n".repeat(500)).put("version", "1"))
            .put("connectMillis", 123_456));
    servers.add(state("slow", "RECONNECTING"));
    print("{\"mcpServers\": {}}");
    time.pass(5_000);
    assertThat(printed().lines()).allMatch(line -> line.length() <= 100);
  }

  @Test
  void where_persons_sign_in_and_nothing_has_a_key_the_report_names_the_login() {
    String provider =
        "\"provider\": {\"issuer\": \"https://login.example\", \"clientId\": \"mcpbus\"}";
    String url = "\"url\": \"https://mcp.example.com\", ";
    String key = ", \"apiKeys\": [{\"name\": \"a\", \"hash\": \"sha256:" + "a".repeat(64) + "\"}]";
    String file = "{\"auth\": {\"signIn\": {%s" + provider + "}%s}, \"mcpServers\": {}}";
    print(String.format(file, url, ""));
    assertThat(printed())
        .contains(
            """
            Try:
              mcpbus login --url https://mcp.example.com
              mcpbus tools --url https://mcp.example.com
            """)
        .doesNotContain("curl");
    out.reset();
    print(String.format(file, "", ""));
    assertThat(printed()).contains("  mcpbus login --url http://127.0.0.1:8790\n");
    out.reset();
    print(String.format(file, url, key));
    assertThat(printed()).contains("Bearer $KEY").doesNotContain("mcpbus login");
  }
}
