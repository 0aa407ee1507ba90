package dev.mcpbus.connection.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.PinOptions;
import dev.mcpbus.connection.options.PinStore;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

public class DriftWatchTest {

  private static final ConnectionId ID = new ConnectionId("git");

  private final List<JsonObject> events = new ArrayList<>();
  private PinStore store = PinStore.inMemory();
  private DriftWatch watch = watch(PinOptions.NONE);

  public static DriftWatch watch(PinOptions pin, PinStore store) {
    return new DriftWatch(ID, new DefinitionPins(ID, pin, store), (type, more) -> {});
  }

  /** A connection that is deployed anew: it knows what the store knows. */
  private DriftWatch watch(PinOptions pin) {
    DriftWatch made =
        new DriftWatch(
            ID,
            new DefinitionPins(ID, pin, store),
            (type, more) -> events.add(more.copy().put("type", type)));
    assertThat(made.pins().load().succeeded()).isTrue();
    return made;
  }

  private static String tool(String name, String description) {
    return new JsonObject()
        .put("name", name)
        .put("description", description)
        .put("inputSchema", new JsonObject().put("type", "object"))
        .encode();
  }

  private static ToolDefinitions list(String... namesAndDescriptions) {
    List<String> tools = new ArrayList<>();
    for (int i = 0; i < namesAndDescriptions.length; i += 2) {
      tools.add(tool(namesAndDescriptions[i], namesAndDescriptions[i + 1]));
    }
    return ToolDefinitionsTest.of(tools.toArray(new String[0]));
  }

  private static String hash(ToolDefinitions list, String tool) {
    return Objects.requireNonNull(list.byName().get(tool)).hash();
  }

  private List<JsonObject> drifts() {
    return events.stream().filter(e -> Events.SCHEMA_DRIFT.equals(e.getString("type"))).toList();
  }

  private JsonObject drift() {
    assertThat(drifts()).hasSize(1);
    return drifts().get(0);
  }

  private @Nullable McpFailure refusal(String tool, ToolDefinitions list) {
    return watch.refusal(tool, list);
  }

  private JsonObject approve(@Nullable String tool, @Nullable String hash) {
    JsonObject body = new JsonObject();
    if (tool != null) {
      body.put("tool", tool);
    }
    if (hash != null) {
      body.put("hash", hash);
    }
    Future<JsonObject> approved = watch.approve(body);
    assertThat(approved.succeeded()).isTrue();
    return approved.result();
  }

  private McpFailure refused(JsonObject approval) {
    McpFailure failure = catchThrowableOfType(McpFailure.class, () -> watch.approve(approval));
    assertThat(failure).isNotNull();
    return failure;
  }

  @Test
  void the_first_list_and_an_equal_one_are_no_drift() {
    watch.seen(list("a", "1", "b", "2"), false);
    watch.seen(list("b", "2", "a", "1"), false);
    assertThat(events).isEmpty();
    assertThat(watch.status().getString("toolsHash")).isEqualTo(list("a", "1", "b", "2").hash());
  }

  @Test
  void a_change_is_one_event_with_what_was_added_removed_and_changed() {
    ToolDefinitions before = list("kept", "k", "edited", "reads a file", "gone", "g");
    ToolDefinitions now = list("kept", "k", "edited", "reads and deletes a file", "fresh", "f");
    watch.seen(before, false);
    watch.seen(now, false);
    JsonObject event = drift();
    assertThat(event.getJsonArray("added")).containsExactly("fresh");
    assertThat(event.getJsonArray("removed")).containsExactly("gone");
    assertThat(event.getJsonArray("changed"))
        .containsExactly(
            new JsonObject()
                .put("tool", "edited")
                .put("before", hash(before, "edited"))
                .put("hash", hash(now, "edited"))
                .put(
                    "differences",
                    new JsonArray()
                        .add(
                            new JsonObject()
                                .put("path", "/description")
                                .put("before", "reads a file")
                                .put("after", "reads and deletes a file"))));
    assertThat(event.getString("hash")).isEqualTo(now.hash());
    assertThat(event.getString("message"))
        .isEqualTo(
            "the tools have changed: 'edited' differs in description; added 'fresh'; removed"
                + " 'gone'");
    assertThat(event.getJsonArray("quarantined")).isEmpty();
    assertThat(refusal("edited", now)).as("nobody pinned it").isNull();
    watch.seen(now, false);
    assertThat(drifts()).hasSize(1);
  }

  @Test
  void a_change_that_the_server_announces_is_no_warning() {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger(DriftWatch.class);
    logger.addAppender(log);
    try {
      watch.seen(list("a", "1"), false);
      watch.seen(list("a", "2"), true);
      watch.seen(list("a", "3"), false);
    } finally {
      logger.detachAppender(log);
    }
    assertThat(log.list)
        .extracting(ILoggingEvent::getLevel)
        .containsExactly(Level.INFO, Level.WARN);
  }

  @Test
  void an_event_about_thousands_of_tools_is_bounded() {
    String[] many = new String[8_000];
    for (int i = 0; i < many.length; i += 2) {
      many[i] = "tool-" + i + "x".repeat(500);
      many[i + 1] = "1";
    }
    watch.seen(list(many), false);
    for (int i = 1; i < many.length; i += 2) {
      many[i] = "2";
    }
    watch.seen(list(many), false);
    assertThat(drift().encode()).hasSizeLessThan(64 * 1024);
    assertThat(drift().getJsonObject("counts").getInteger("changed")).isEqualTo(4_000);
    assertThat(drift().getString("message")).hasSizeLessThan(1_000).contains("3997 more differ");
  }

  @Test
  void a_pinned_tool_that_changes_is_quarantined_until_it_is_as_it_was() {
    watch = watch(PinOptions.FIRST_USE);
    ToolDefinitions first = list("a", "1", "b", "2");
    ToolDefinitions other = list("a", "1", "b", "changed");
    watch.seen(first, false);
    assertThat(refusal("b", first)).isNull();
    watch.seen(other, false);
    assertThat(drift().getString("message")).endsWith("; quarantined until approved: 'b'");
    McpFailure failure = Objects.requireNonNull(refusal("b", other));
    assertThat(failure.code()).isEqualTo(FailureCode.FORBIDDEN);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.NO);
    assertThat(failure)
        .hasMessageContaining("drifted from its pinned definition in description")
        .hasMessageContaining("mcp.git.tools.drift")
        .hasMessageContaining("mcp.git.tools.approve");
    assertThat(failure.data().getString("pinned")).isEqualTo(hash(first, "b"));
    assertThat(failure.data().getString("hash")).isEqualTo(hash(other, "b"));
    assertThat(refusal("a", other)).isNull();
    assertThat(watch.status().getJsonArray("quarantined")).containsExactly("b");
    watch.seen(first, false);
    assertThat(refusal("b", first)).isNull();
    assertThat(watch.status().containsKey("quarantined")).isFalse();
  }

  @Test
  void an_approval_holds_for_the_definition_that_was_looked_at_and_no_other() {
    watch = watch(PinOptions.FIRST_USE);
    watch.seen(list("a", "1"), false);
    ToolDefinitions second = list("a", "2");
    watch.seen(second, false);
    JsonObject pending = watch.toJson().getJsonArray("pending").getJsonObject(0);
    assertThat(pending.getString("tool")).isEqualTo("a");
    String looked = pending.getString("hash");
    ToolDefinitions third = list("a", "3");
    watch.seen(third, false);
    McpFailure stale = refused(new JsonObject().put("tool", "a").put("hash", looked));
    assertThat(stale.code()).isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(stale).hasMessageContaining("stale").hasMessageContaining(hash(third, "a"));
    assertThat(refusal("a", third)).isNotNull();

    JsonObject answer = approve("a", hash(third, "a"));
    assertThat(answer.getJsonObject("approved").getString("a")).isEqualTo(hash(third, "a"));
    assertThat(answer.getJsonArray("quarantined")).isEmpty();
    assertThat(answer.getBoolean("remembered")).isTrue();
    assertThat(refusal("a", third)).isNull();
    assertThat(refusal("a", second)).isNotNull();
    assertThat(events)
        .extracting(event -> event.getString("type"))
        .containsSubsequence(Events.SCHEMA_APPROVED, Events.TOOLS_CHANGED);
  }

  @Test
  void all_are_approved_by_the_hash_of_the_list() {
    watch = watch(PinOptions.FIRST_USE);
    watch.seen(list("a", "1", "b", "1", "c", "1"), false);
    ToolDefinitions now = list("a", "2", "b", "2", "c", "1");
    watch.seen(now, false);
    assertThat(refused(new JsonObject().put("hash", hash(now, "a"))))
        .hasMessageContaining(now.hash());
    assertThat(approve(null, now.hash()).getJsonObject("approved").fieldNames())
        .containsExactly("a", "b");
    assertThat(approve(null, null).getJsonObject("approved")).isEmpty();
  }

  @Test
  void an_approval_that_means_nothing_is_refused() {
    assertThat(refused(new JsonObject())).hasMessageContaining("set \"pin\"");
    watch = watch(PinOptions.FIRST_USE);
    assertThat(refused(new JsonObject()).code()).isEqualTo(FailureCode.UNAVAILABLE);
    watch.seen(list("a", "1"), false);
    assertThat(refused(new JsonObject().put("tool", "b")).code())
        .isEqualTo(FailureCode.UNKNOWN_TOOL);
    assertThat(refused(new JsonObject().put("tools", "a")).code())
        .as("a misspelt key must not approve everything")
        .isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(refused(new JsonObject().put("tool", 1)).code()).isEqualTo(FailureCode.BAD_REQUEST);
    watch = watch(new PinOptions(false, Map.of("a", hash(list("a", "1"), "a"))));
    watch.seen(list("a", "1", "b", "1"), false);
    assertThat(refused(new JsonObject().put("tool", "b"))).hasMessageContaining("is not pinned");
  }

  @Test
  void what_was_remembered_is_compared_with_the_first_list_of_the_next_process() {
    watch = watch(PinOptions.FIRST_USE);
    watch.seen(list("a", "1", "b", "1"), false);
    watch = watch(PinOptions.FIRST_USE);
    watch.seen(list("a", "1", "b", "1"), false);
    assertThat(events).isEmpty();

    watch = watch(PinOptions.FIRST_USE);
    ToolDefinitions now = list("a", "changed meanwhile", "b", "1", "c", "new");
    watch.seen(now, false);
    assertThat(drift().getString("message"))
        .isEqualTo(
            "the tools have changed: 'a' differs in description; added 'c'; quarantined until"
                + " approved: 'a'");
    assertThat(refusal("a", now)).isNotNull();
    assertThat(refusal("b", now)).isNull();
    assertThat(refusal("c", now)).as("trusted on first use").isNull();
    approve("a", hash(now, "a"));
    events.clear();
    watch = watch(PinOptions.FIRST_USE);
    watch.seen(now, false);
    assertThat(events).isEmpty();
    assertThat(refusal("a", now)).isNull();
  }

  @Test
  void a_tool_that_vanishes_and_comes_back_different_is_still_pinned() {
    watch = watch(PinOptions.FIRST_USE);
    watch.seen(list("a", "1", "b", "1"), false);
    watch.seen(list("b", "1"), false);
    ToolDefinitions back = list("a", "2", "b", "1");
    watch.seen(back, false);
    assertThat(refusal("a", back)).isNotNull();
  }

  @Test
  void a_configured_hash_binds_its_tool_alone_and_an_approval_holds_until_it_is_changed() {
    ToolDefinitions wanted = list("a", "1");
    PinOptions first =
        new PinOptions(false, Map.of("a", hash(wanted, "a"), "typo", hash(wanted, "a")));
    ToolDefinitions now = list("a", "2", "b", "2");
    watch = watch(first);
    watch.seen(now, false);
    assertThat(drift().getJsonArray("quarantined")).containsExactly("a");
    assertThat(refusal("a", now)).isNotNull();
    assertThat(refusal("b", now)).isNull();
    assertThat(watch.toJson().getJsonArray("missing")).containsExactly("typo");
    assertThat(watch.toJson().getJsonObject("tools").getJsonObject("b").getString("state"))
        .isEqualTo("free");
    approve("a", null);

    watch = watch(first);
    watch.seen(now, false);
    assertThat(refusal("a", now)).as("approved, and remembered").isNull();
    ToolDefinitions third = list("a", "3");
    watch = watch(new PinOptions(false, Map.of("a", hash(third, "a"))));
    assertThat(refusal("a", now)).as("the configuration says another").isNotNull();
    assertThat(refusal("a", third)).isNull();
  }

  @Test
  void a_pinned_tool_of_a_server_that_lists_nothing_is_not_called() {
    watch = watch(PinOptions.FIRST_USE);
    McpFailure failure = Objects.requireNonNull(watch.refusal("a", null));
    assertThat(failure.code()).isEqualTo(FailureCode.FORBIDDEN);
    assertThat(failure).hasMessageContaining("cannot be checked");
    watch = watch(PinOptions.NONE);
    assertThat(watch.refusal("a", null)).isNull();
  }

  @Test
  void where_the_memory_cannot_be_read_nothing_is_trusted_anew() {
    store =
        new PinStore() {
          @Override
          public Future<JsonObject> load(ConnectionId id) {
            return Future.failedFuture("the disk is gone");
          }

          @Override
          public Future<Void> save(ConnectionId id, JsonObject pins) {
            return Future.failedFuture("the disk is gone");
          }
        };
    watch = watch(PinOptions.FIRST_USE);
    ToolDefinitions now = list("a", "1");
    watch.seen(now, false);
    McpFailure failure = Objects.requireNonNull(refusal("a", now));
    assertThat(failure).hasMessageContaining("the disk is gone");
    assertThat(watch.status().getString("pinProblem")).contains("the disk is gone");
    assertThat(approve("a", null).getBoolean("remembered")).isFalse();
    assertThat(refusal("a", now)).isNull();
  }

  @Test
  void a_server_that_makes_up_names_for_ever_is_not_trusted_for_ever() {
    watch = watch(PinOptions.FIRST_USE);
    String[] many = new String[2 * (DefinitionPins.MAX + 1)];
    for (int i = 0; i < many.length; i += 2) {
      many[i] = "t" + i;
      many[i + 1] = "";
    }
    ToolDefinitions now = list(many);
    watch.seen(now, false);
    assertThat(watch.pins().quarantined(now)).hasSize(1);
  }
}
