package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers whose lists change, often, silently or for the worse: real child processes. */
class DriftFaultsIT {

  private static final int STORM = 10_000;

  /** The definition of {@code echo} is what the file says; {@code touch} announces a change. */
  private static final String FROM_FILE =
      """
      *'"method":"tools/list"'*)
        answer '{"tools":[{"name":"echo","description":"'"$(cat @FILE@)"'","inputSchema":\
      {"type":"object"}},{"name":"touch","inputSchema":{"type":"object"}}]}' ;;
      *'"name":"touch"'*)
        printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\\n'
        text touched ;;
      """;

  /** A storm in one go, then the answer: how often the list was asked for until now. */
  private static final String STORMY =
      """
      *'"method":"initialize"'*)
        answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},\
      "resources":{"listChanged":true},"prompts":{"listChanged":true}},\
      "serverInfo":{"name":"stormy","version":"1"}}' ;;
      *'"name":"storm"'*)
        i=0
        while [ $i -lt @STORM@ ]; do
          printf '{"jsonrpc":"2.0","method":"notifications/@KIND@/list_changed"}\\n'
          i=$((i + 1))
        done
        text done ;;
      *'"name":"lists"'*) text $lists ;;
      *'"method":"@KIND@/list"'*)
        lists=$((lists + 1))
        answer '{"@KIND@":[{"name":"storm","uri":"x://y","inputSchema":{}},\
      {"name":"lists","uri":"x://z","inputSchema":{}}]}' ;;
      *'"method":"resources/list"'*) answer '{"resources":[]}' ;;
      *'"method":"prompts/list"'*) answer '{"prompts":[]}' ;;
      """;

  @TempDir Path directory;

  private JsonObject fromFile() {
    return ShServer.of("", FROM_FILE.replace("@FILE@", directory.resolve("text").toString()));
  }

  private void echoIs(String description) {
    try {
      Files.writeString(directory.resolve("text"), description);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static JsonObject ask(FaultBed bed, String suffix, JsonObject body) {
    JsonObject answer =
        bed.ending(bed.send(FaultBed.VICTIM, suffix, body, new DeliveryOptions())).result();
    assertThat(answer).isNotNull();
    return answer == null ? new JsonObject() : answer;
  }

  private static List<String> names(JsonObject list) {
    return list.getJsonArray("tools").stream()
        .map(tool -> ((JsonObject) tool).getString("name"))
        .toList();
  }

  private static JsonObject drift(FaultBed bed) {
    return FaultBed.until("drift")
        .until(() -> bed.events(Events.SCHEMA_DRIFT), events -> !events.isEmpty())
        .get(0);
  }

  private static JsonObject change(JsonObject drift) {
    JsonArray changed = drift.getJsonArray("changed");
    assertThat(changed).hasSize(1);
    return changed.getJsonObject(0);
  }

  @ParameterizedTest
  @CsvSource({"tools", "resources", "prompts"})
  void case_68_ten_thousand_list_changed_are_a_few_lists(String kind) {
    String cases = STORMY.replace("@KIND@", kind).replace("@STORM@", Integer.toString(STORM));
    try (FaultBed bed = FaultBed.ready(ShServer.of("lists=0", cases, "storm", "lists"))) {
      String aggregate = "mcp." + kind + ".list";
      JsonObject all = bed.bus().request(aggregate, new JsonObject());
      assertThat(all.getJsonArray(kind)).as("the catalog follows this list now").isNotEmpty();
      int before = Integer.parseInt(bed.text("lists"));
      assertThat(bed.text("storm")).isEqualTo("done");
      FaultBed.until("it was listed again")
          .until(() -> Integer.parseInt(bed.text("lists")) > before);
      long events =
          bed.events("tools".equals(kind) ? Events.TOOLS_CHANGED : kind + "ListChanged").size();
      assertThat(events).isLessThan(10);
      assertThat(Integer.parseInt(bed.text("lists")) - before).isLessThan(10);
      assertThat(bed.events(Events.SCHEMA_DRIFT)).as("nothing has changed").isEmpty();
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_77_a_definition_that_changes_without_a_word_is_found_by_the_probe() {
    echoIs("says it again");
    JsonObject probe = new JsonObject().put("interval", 50);
    try (FaultBed bed = FaultBed.ready(fromFile().put("healthCheck", probe))) {
      FaultBed.until("listed").until(() -> bed.status().getBoolean("toolsListed", false));
      assertThat(bed.text("echo")).isNotEmpty();
      assertThat(bed.events(Events.SCHEMA_DRIFT)).isEmpty();
      echoIs("says it again, and sends it away");
      JsonObject event = drift(bed);
      assertThat(change(event).getString("tool")).isEqualTo("echo");
      assertThat(change(event).getJsonArray("differences"))
          .containsExactly(
              new JsonObject()
                  .put("path", "/description")
                  .put("before", "says it again")
                  .put("after", "says it again, and sends it away"));
      assertThat(event.getString("message")).contains("'echo' differs in description");
      FaultBed.until("the catalog has it too")
          .until(
              () -> bed.bus().<JsonObject>request(Addresses.ALL_TOOLS_LIST, new JsonObject()),
              all -> all.encode().contains("sends it away"));
      assertThat(bed.text("echo")).as("nobody pinned it").isNotEmpty();
      bed.assertUndisturbed();
      assertThat(bed.events(Events.SCHEMA_DRIFT)).as("told once").hasSize(1);
    }
  }

  @Test
  void case_77_a_definition_that_changes_with_a_restart_is_drift_too() {
    echoIs("first life");
    try (FaultBed bed = FaultBed.ready(fromFile())) {
      FaultBed.until("listed").until(() -> bed.status().getBoolean("toolsListed", false));
      echoIs("second life");
      Processes.kill(bed.pid());
      bed.awaitReady(2);
      assertThat(drift(bed).getLong("epoch")).isEqualTo(2);
      assertThat(change(drift(bed)).getString("tool")).isEqualTo("echo");
    }
  }

  @Test
  void case_77_a_probe_that_gets_no_list_says_so_and_the_connection_stays() {
    String once =
        """
        *'"method":"tools/list"'*)
          lists=$((lists + 1))
          if [ $lists -eq 1 ]; then answer '{"tools":[{"name":"echo","inputSchema":{}}]}'
          else answer '{"tools":"none"}'; fi ;;
        """;
    JsonObject probe = new JsonObject().put("interval", 50);
    try (FaultBed bed = FaultBed.ready(ShServer.of("lists=0", once).put("healthCheck", probe))) {
      List<JsonObject> failed =
          FaultBed.until("four in a row")
              .until(() -> bed.events(Events.HEALTH_CHECK_FAILED), all -> all.size() >= 4);
      assertThat(failed.get(3).getInteger("failures")).isEqualTo(4);
      assertThat(failed.get(3).getString("check")).isEqualTo("tools/list");
      assertThat(failed.get(3).getString("code")).isEqualTo("PROTOCOL_ERROR");
      assertThat(failed.get(3).getString("message")).contains("no array \"tools\"");
      assertThat(bed.status().getString("state")).isEqualTo("READY");
      assertThat(bed.status().getLong("epoch")).isEqualTo(1);
      assertThat(bed.text("echo")).as("with the last good list").isNotEmpty();
      assertThat(bed.events(Events.SCHEMA_DRIFT)).isEmpty();
    }
  }

  @Test
  void case_112_a_pinned_tool_that_drifts_is_quarantined_until_it_is_approved() {
    echoIs("reads");
    try (FaultBed bed = FaultBed.ready(fromFile().put("pin", true))) {
      assertThat(bed.text("echo")).isNotEmpty();
      echoIs("reads and deletes");
      assertThat(bed.text("touch")).isEqualTo("touched");
      JsonObject event = drift(bed);
      assertThat(event.getJsonArray("quarantined")).containsExactly("echo");

      McpFailure refused = bed.failure("echo", FailureCode.FORBIDDEN, Sent.NO);
      assertThat(refused)
          .hasMessageContaining("quarantined")
          .hasMessageContaining("drifted")
          .hasMessageContaining("mcp.victim.tools.approve");
      JsonObject raw =
          new JsonObject()
              .put("method", "tools/call")
              .put("params", TestBus.toolCall("echo", new JsonObject()));
      bed.ending(bed.send(FaultBed.VICTIM, Addresses.REQUEST, raw, new DeliveryOptions()))
          .failure(FailureCode.FORBIDDEN, Sent.NO);
      assertThat(names(ask(bed, Addresses.TOOLS_LIST, new JsonObject()))).containsExactly("touch");
      assertThat(names(ask(bed, Addresses.TOOLS_LIST, new JsonObject().put("cursor", "x"))))
          .containsExactly("touch");
      assertThat(bed.status().getJsonArray("quarantined")).containsExactly("echo");
      FaultBed.until("the aggregate leaves it out")
          .until(
              () -> names(bed.bus().request(Addresses.ALL_TOOLS_LIST, new JsonObject())),
              all -> !all.contains("victim.echo") && all.contains("victim.touch"));
      McpFailure through =
          bed.bus()
              .failure(Addresses.ALL_TOOLS_CALL, TestBus.toolCall("victim.echo", new JsonObject()));
      assertThat(through.code()).as("the aggregate says why, too").isEqualTo(FailureCode.FORBIDDEN);
      assertThat(bed.text("touch")).as("the others are free").isEqualTo("touched");

      JsonObject view = ask(bed, Addresses.TOOLS_DRIFT, new JsonObject());
      JsonObject pending = view.getJsonArray("pending").getJsonObject(0);
      assertThat(pending.getJsonArray("differences").getJsonObject(0).getString("after"))
          .isEqualTo("reads and deletes");
      JsonObject stale =
          new JsonObject().put("tool", "echo").put("hash", pending.getString("before"));
      assertThat(
              bed.ending(
                      bed.send(
                          FaultBed.VICTIM, Addresses.TOOLS_APPROVE, stale, new DeliveryOptions()))
                  .failure(FailureCode.BAD_REQUEST, Sent.NO))
          .hasMessageContaining("stale");
      bed.failure("echo", FailureCode.FORBIDDEN, Sent.NO);

      JsonObject approval =
          new JsonObject().put("tool", "echo").put("hash", pending.getString("hash"));
      assertThat(ask(bed, Addresses.TOOLS_APPROVE, approval).getJsonObject("approved").fieldNames())
          .containsExactly("echo");
      assertThat(bed.text("echo")).isNotEmpty();
      assertThat(bed.events(Events.SCHEMA_APPROVED)).hasSize(1);
      FaultBed.until("the aggregate has it back")
          .until(
              () -> names(bed.bus().request(Addresses.ALL_TOOLS_LIST, new JsonObject())),
              all -> all.contains("victim.echo"));
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_112_pins_and_approvals_outlive_the_process() throws IOException {
    Path pins = directory.resolve("pins.json");
    JsonObject victim = fromFile().put("pin", true);
    echoIs("reads");
    try (FaultBed bed = FaultBed.start(victim, pins)) {
      assertThat(bed.text("echo")).isNotEmpty();
      FaultBed.until("remembered").until(() -> Files.exists(pins));
    }
    echoIs("reads and deletes");
    try (FaultBed bed = FaultBed.start(victim, pins)) {
      assertThat(bed.failure("echo", FailureCode.FORBIDDEN, Sent.NO))
          .hasMessageContaining("in description");
      JsonObject event = drift(bed);
      assertThat(change(event).getJsonArray("differences").getJsonObject(0).getString("before"))
          .isEqualTo("reads");
      JsonObject approved = ask(bed, Addresses.TOOLS_APPROVE, new JsonObject().put("tool", "echo"));
      assertThat(approved.getBoolean("remembered")).isTrue();
      assertThat(bed.text("echo")).isNotEmpty();
    }
    try (FaultBed bed = FaultBed.start(victim, pins)) {
      assertThat(bed.text("echo")).isNotEmpty();
      assertThat(bed.events(Events.SCHEMA_DRIFT)).isEmpty();
    }
    try (Stream<Path> left = Files.list(directory)) {
      assertThat(left.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder("text", "pins.json", "pins.json.lock");
    }
  }

  @Test
  void case_112_a_lease_is_no_way_around_a_quarantine() throws IOException {
    Path pins = directory.resolve("pins.json");
    JsonObject victim = fromFile().put("pin", true);
    echoIs("reads");
    try (FaultBed bed = FaultBed.start(victim, pins)) {
      assertThat(bed.text("echo")).isNotEmpty();
      FaultBed.until("remembered").until(() -> Files.exists(pins));
    }
    echoIs("reads and deletes");
    try (FaultBed bed = FaultBed.start(victim, pins)) {
      JsonObject wish =
          new JsonObject()
              .put("id", FaultBed.VICTIM)
              .put("capabilities", new JsonObject())
              .put("input", "test.input")
              .put("events", "test.events")
              .put("ttl", 60_000);
      JsonObject leased = bed.bus().request(Addresses.SERVERS_LEASE, wish);
      String lease = leased.getString("lease");
      McpFailure refused =
          bed.bus()
              .failure(
                  TestBus.address(lease, Addresses.TOOLS_CALL),
                  TestBus.toolCall("echo", new JsonObject()));
      assertThat(refused.code()).isEqualTo(FailureCode.FORBIDDEN);
      assertThat(refused.sent()).isEqualTo(Sent.NO);
    }
  }

  @Test
  void case_112_a_server_that_hides_its_list_does_not_escape_its_pins() {
    String silent =
        """
        *'"method":"tools/list"'*)
          printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\\n' "$id" ;;
        """;
    try (FaultBed bed = FaultBed.ready(ShServer.of("", silent).put("pin", true))) {
      assertThat(bed.failure("echo", FailureCode.FORBIDDEN, Sent.NO))
          .hasMessageContaining("cannot be checked");
    }
  }
}
