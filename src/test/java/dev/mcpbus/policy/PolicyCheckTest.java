package dev.mcpbus.policy;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.ServerOperation.Subject;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ServerResult;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.AccessPolicy;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import dev.mcpbus.security.Operation;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.Rights;
import dev.mcpbus.testing.Compared;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PolicyCheckTest {

  private static final RawJson PARAMS = RawJson.of("{\"name\":\"a.t\",\"uri\":\"u:1\"}");
  private static final JsonObject BODY = new JsonObject().put("id", "a").put("name", "a");
  private static final Operation ADMIN = Operation.of(Action.ADMIN, "a", "");

  /**
   * Addresses of one server that take no MCP method, and less than the admin right; those that take
   * one stand in OperationTable.
   */
  private static final Map<String, Operation> OF_SERVER =
      Map.ofEntries(
          entry(Addresses.REQUEST, Operation.nameless(Action.CALL, "a")),
          entry(Addresses.NOTIFY, Operation.nameless(Action.CALL, "a")),
          entry(Addresses.STATUS, Operation.of(Action.LIST, "a", "")),
          entry(Addresses.TOOLS_METADATA, Operation.whole(Action.LIST, "a")),
          entry(Addresses.TOOLS_DRIFT, Operation.whole(Action.LIST, "a")),
          entry(Addresses.CANCEL, Operation.of(Action.CALL, "a", "")),
          entry(Addresses.SKILLS_READ, Operation.nameless(Action.READ, "a")),
          entry(Addresses.ACTIVITY, Operation.of(Action.METRICS, "a", "")));

  private static final Map<String, Operation> OF_ALL =
      Map.of(
          Addresses.ALL_TOOLS_LIST, Operation.NOTHING,
          Addresses.ALL_PROMPTS_LIST, Operation.NOTHING,
          Addresses.ALL_RESOURCES_LIST, Operation.NOTHING,
          Addresses.ALL_SKILLS_LIST, Operation.NOTHING,
          Addresses.ALL_SKILLS_READ, Operation.nameless(Action.READ, ""),
          Addresses.ALL_TOOLS_SEARCH, Operation.NOTHING,
          Addresses.ALL_TOOLS_CALL, Operation.of(Action.CALL, "a", "t"));

  private static final Map<String, Operation> OF_SERVICE =
      Map.ofEntries(
          entry(Addresses.SERVERS_LIST, Operation.NOTHING),
          entry(Addresses.SERVERS_GET, Operation.of(Action.LIST, "a", "")),
          entry(Addresses.SERVERS_ADD, ADMIN),
          entry(Addresses.SERVERS_PREVIEW, PolicyCheck.toNode()),
          entry(Addresses.SERVERS_EXAMINE, ADMIN),
          entry(Addresses.SERVERS_REMOVE, ADMIN),
          entry(Addresses.SERVERS_CALLS, ADMIN),
          entry(Addresses.SERVERS_ACTIVITY, Operation.of(Action.METRICS, "a", "")),
          entry(Addresses.SERVERS_RPCLOG, ADMIN),
          entry(Addresses.SERVERS_LOGINS, Operation.own(Action.LIST, "a")),
          entry(Addresses.SERVERS_NODES_DRAIN, PolicyCheck.toNode()),
          entry(Addresses.SERVERS_LEASES, PolicyCheck.toNode()),
          entry(Addresses.SERVERS_CONFIG, PolicyCheck.toNode()),
          entry(Addresses.SERVERS_NODES, Operation.whole(Action.LIST, "")),
          entry(Addresses.CREDENTIALS_LIST, Operation.own(Action.LIST, "a")),
          entry(Addresses.CREDENTIALS_SET, Operation.of(Action.LIST, "a", "")),
          entry(Addresses.CREDENTIALS_REMOVE, Operation.own(Action.LIST, "a")),
          entry(Addresses.INPUT_PENDING, Operation.own(Action.CALL, "a")),
          entry(Addresses.INPUT_RESPOND, Operation.own(Action.CALL, "a")),
          entry(Addresses.INPUT_WITHDRAW, Operation.own(Action.CALL, "a")),
          entry(Addresses.INPUT_OFFER, Operation.of(Action.CALL, "a", "")));

  /** No door sends a caller's message there by this check. */
  private static final Set<String> NO_DOOR =
      Set.of(
          Addresses.OURS,
          Addresses.EVENTS,
          Addresses.INPUT,
          Addresses.CONTROL,
          Addresses.SUPERVISOR,
          Addresses.ALL_EVENTS,
          Addresses.ALL_INPUT,
          Addresses.RPC,
          Addresses.PROGRESS,
          Addresses.INPUT_ASK,
          Addresses.INPUT_DROP,
          Addresses.INPUT_OFFERS,
          Addresses.INPUT_OFFERED,
          Addresses.INPUT_RENEW,
          Addresses.INPUT_SHARED,
          Addresses.INPUT_NODES,
          Addresses.PLACEMENT,
          Addresses.SERVERS_LEASE,
          Addresses.CREDENTIALS_CHANGED,
          Addresses.SERVERS_RELEASE,
          Addresses.SERVERS_READ,
          Addresses.SERVERS_ANSWERS,
          Addresses.GATEWAY_DIRECTORY,
          Addresses.GATEWAY_DOORS,
          Addresses.GATEWAY_SUBSCRIBE,
          Addresses.GATEWAY_CHANGED,
          Addresses.GATEWAY_UPDATED,
          Addresses.GATEWAY_NOTIFIED,
          Addresses.GATEWAY_LEFT,
          Addresses.GATEWAY_JOINED,
          Addresses.GATEWAY_HOLDERS,
          Addresses.GATEWAY_FREED,
          Addresses.GATEWAY_SESSIONS,
          Addresses.GATEWAY_CALLS,
          Addresses.GATEWAY_INPUT,
          Addresses.CALLER_CONNECTIONS,
          Addresses.GATEWAY_PRIVATE_EVENTS,
          Addresses.GATEWAY_RESPONSES,
          Addresses.GATEWAY_SSE,
          Addresses.ALL_TOOLS_DESCRIBE,
          Addresses.ALL_TOOLS_FUNCTIONS,
          Addresses.ALL_TOOLS_FUNCTIONS_CALL,
          Addresses.ALL_TOOLS_FUNCTIONS_CANCEL,
          Addresses.ALL_TOOLS_FUNCTIONS_ROUTE);

  private static List<String> addresses() throws IllegalAccessException {
    List<String> all = new ArrayList<>();
    for (Field field : Addresses.class.getFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
        all.add((String) field.get(null));
      }
    }
    return all;
  }

  private static boolean isOfMethod(String suffix) {
    ServerOperation row = ServerOperation.of(suffix);
    return row != null && row.method != null;
  }

  private static boolean isForAdmins(String suffix) {
    ServerOperation row = ServerOperation.of(suffix);
    return row != null && row.subject == Subject.ADMIN;
  }

  @Test
  void every_address_has_a_row_or_no_door() throws IllegalAccessException {
    List<String> known = new ArrayList<>(NO_DOOR);
    known.addAll(OF_SERVER.keySet());
    known.addAll(OF_ALL.keySet());
    known.addAll(OF_SERVICE.keySet());
    assertThat(known).doesNotHaveDuplicates();
    assertThat(addresses()).doesNotHaveDuplicates();
    Compared.names(
        "the lists of this test, which say what a caller needs,",
        known,
        addresses().stream()
            .filter(address -> !isOfMethod(address) && !isForAdmins(address))
            .toList());
  }

  @Test
  void each_row_says_which_operation_a_message_is() throws IllegalAccessException {
    for (String address : addresses()) {
      if (!isOfMethod(address)) {
        assertThat(PolicyCheck.toServer("a", address, PARAMS))
            .as("to server: %s", address)
            .isEqualTo(OF_SERVER.getOrDefault(address, ADMIN));
      }
      assertThat(PolicyCheck.toAll(address, PARAMS))
          .as("to all: %s", address)
          .isEqualTo(OF_ALL.getOrDefault(address, Operation.of(Action.ADMIN, "", "")));
      assertThat(PolicyCheck.toService(address, BODY))
          .as("to service: %s", address)
          .isEqualTo(OF_SERVICE.getOrDefault(address, PolicyCheck.toNode()));
    }
    assertThat(PolicyCheck.toService(Addresses.SERVERS_ACTIVITY, new JsonObject()))
        .as("of all servers: the reply is filtered")
        .isEqualTo(Operation.some(Action.METRICS));
    assertThat(PolicyCheck.toService(Addresses.SERVERS_CALLS, new JsonObject()))
        .isEqualTo(Operation.some(Action.ADMIN));
  }

  @Test
  void what_mcp_does_not_define_is_a_call_of_that_name_at_the_gateway_and_for_admins_elsewhere() {
    RawJson body = RawJson.of("{\"method\":\"com.example/act\",\"params\":{\"name\":\"t\"}}");

    assertThat(PolicyCheck.passed("a", "com.example/act"))
        .isEqualTo(Operation.of(Action.CALL, "a", "com.example/act"));
    for (String address : List.of(Addresses.REQUEST, Addresses.NOTIFY)) {
      assertThat(PolicyCheck.toServer("a", address, body)).isEqualTo(Operation.unknown("a"));
    }
  }

  @Test
  void reading_a_file_of_a_skill_is_reading_that_file() {
    JsonObject body = new JsonObject().put("uri", "skill://a/b/SKILL.md").put("path", "c/d.md");

    assertThat(PolicyCheck.toServer("s", Addresses.SKILLS_READ, RawJson.of(body)))
        .isEqualTo(Operation.of(Action.READ, "s", "skill://a/b/c/d.md"));
    assertThat(PolicyCheck.toAll(Addresses.ALL_SKILLS_READ, RawJson.of(body.put("server", "s"))))
        .isEqualTo(Operation.of(Action.READ, "s", "skill://a/b/c/d.md"));
    assertThat(
            PolicyCheck.toServer(
                "s", Addresses.SKILLS_READ, RawJson.of(body.put("path", "../x/SKILL.md"))))
        .isEqualTo(Operation.nameless(Action.READ, "s"));
  }

  @Test
  void an_address_without_a_row_requires_the_admin_right() {
    assertThat(PolicyCheck.toServer("a", "new", PARAMS)).isEqualTo(ADMIN);
    assertThat(PolicyCheck.toAll("mcp.new", PARAMS).action()).isEqualTo(Action.ADMIN);
    assertThat(PolicyCheck.toService("mcp.servers.new", BODY)).isEqualTo(PolicyCheck.toNode());
  }

  @Test
  void a_server_is_added_by_the_id_that_its_name_becomes() {
    Rights rights =
        new AccessPolicy(
                List.of(
                    new Policy(List.of(), List.of("*"), List.of(), Set.of(), Effect.ALLOW),
                    new Policy(
                        List.of(), List.of("Prod", "My_DB*"), List.of(), Set.of(), Effect.DENY)))
            .rights(new Principal("ann", new TreeSet<>(), true));
    for (String name :
        List.of(
            "prod",
            "PROD",
            " prod ",
            "prod\u00a0",
            "\uff30rod",
            "\uff50\uff52\uff4f\uff44",
            "_prod-",
            "prod--",
            "(prod)",
            "@prod/",
            "pro\u1d48",
            "pr\u043ed",
            "pro\u200bd",
            "prod.",
            "prod\ud83d\ude80",
            "my.db",
            "\u2119rod",
            "my-db",
            "My DB 2",
            "my/db::x",
            "my__db")) {
      JsonObject body = new JsonObject().put("name", name).put("config", BODY);
      Operation add = PolicyCheck.toService(Addresses.SERVERS_ADD, body);
      assertThat(PolicyCheck.permits(rights, add)).as(name).isFalse();
      ServerResult read =
          ConfigReader.readServer(
              name,
              new JsonObject().put("command", "x"),
              ConfigEnvironment.system(),
              Path.of("."),
              ServerSettings.DEFAULT);
      read.usable().ifPresent(one -> assertThat(one.id().value()).isEqualTo(add.server()));
    }
    for (String other : List.of("prod2", "a-prod", "mydb")) {
      assertThat(
              PolicyCheck.permits(
                  rights,
                  PolicyCheck.toService(
                      Addresses.SERVERS_ADD, new JsonObject().put("name", other))))
          .as(other)
          .isTrue();
    }
  }

  @Test
  void a_pattern_over_servers_is_never_that_of_the_service_itself() {
    for (String none : List.of(" ", "-", "__", "")) {
      Policy policy = new Policy(List.of(), List.of(none), List.of(), Set.of(), Effect.ALLOW);
      assertThat(policy.servers()).as(none).containsExactly(none);
    }
  }

  @Test
  void a_pattern_becomes_no_wider_by_the_form_of_ids() {
    for (String narrow : List.of("_*", "*_", "(*)", "-*", "*--*", "team_?_", "/?*")) {
      Rights rights =
          new AccessPolicy(
                  List.of(
                      new Policy(List.of(), List.of(narrow), List.of(), Set.of(), Effect.ALLOW)))
              .rights(new Principal("ann", new TreeSet<>(), true));
      for (String id : List.of("prod", "team-a", "a-b")) {
        assertThat(rights.allows(Action.CALL, id, "x")).as(narrow + " " + id).isFalse();
      }
    }
    Policy wide =
        new Policy(
            List.of(), List.of("Team_*", "_Prod*", "*_DB"), List.of(), Set.of(), Effect.DENY);
    assertThat(wide.servers()).contains("team-*", "prod*", "*-db");
  }
}
