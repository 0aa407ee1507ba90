package dev.mcpbus.cluster.signing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.testing.Compared;
import io.vertx.core.MultiMap;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SignatureRulesTest {

  private static final ConnectionId GIT = new ConnectionId("git");

  private static boolean needs(String address, String... headers) {
    MultiMap all = MultiMap.caseInsensitiveMultiMap();
    for (int i = 0; i < headers.length; i += 2) {
      all.set(headers[i], headers[i + 1]);
    }
    return SignatureRules.needsProof(address, all);
  }

  /** Every address of one server and of all servers, as the bus sees it. */
  private static List<String> addresses() throws IllegalAccessException {
    List<String> all = new ArrayList<>();
    for (Field field : Addresses.class.getFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
        String value = (String) field.get(null);
        all.add(value.startsWith("mcp.") ? value : Addresses.of(GIT, value));
      }
    }
    return all;
  }

  @Test
  void without_the_secret_a_process_may_call_and_look_and_nothing_else() throws Exception {
    assertThat(addresses()).hasSizeGreaterThan(60);
    Compared.names(
        "the list of this test, for what has the doors OPEN or EVERY,",
        List.of(
            "mcp.git.tools.list",
            "mcp.git.tools.call",
            "mcp.git.tools.metadata",
            "mcp.git.tools.drift",
            "mcp.git.tasks.get",
            "mcp.git.tasks.result",
            "mcp.git.tasks.update",
            "mcp.git.tasks.cancel",
            "mcp.git.tasks.list",
            "mcp.git.resources.list",
            "mcp.git.resources.templates",
            "mcp.git.resources.read",
            "mcp.git.resources.directory",
            "mcp.git.skills.list",
            "mcp.git.skills.get",
            "mcp.git.skills.read",
            "mcp.git.resources.subscribe",
            "mcp.git.resources.unsubscribe",
            "mcp.git.prompts.list",
            "mcp.git.prompts.get",
            "mcp.git.completion",
            "mcp.git.ping",
            "mcp.git.status",
            "mcp.git.cancel",
            "mcp.tools.list",
            "mcp.tools.call",
            "mcp.tools.search",
            "mcp.tools.describe",
            "mcp.tools.functions",
            "mcp.tools.functions.call",
            "mcp.tools.functions.cancel",
            "mcp.resources.list",
            "mcp.skills.list",
            "mcp.skills.read",
            "mcp.prompts.list",
            "mcp.servers.list",
            "mcp.servers.get",
            "mcp.servers.nodes"),
        addresses().stream().filter(address -> !needs(address)).toList());
  }

  @Test
  void an_unknown_address_needs_a_proof() {
    assertThat(needs("mcp.git.something.new")).isTrue();
    assertThat(needs("mcp.new")).isTrue();
    assertThat(needs("mcp.")).isTrue();
    assertThat(needs("mcp.git.")).isTrue();
  }

  @Test
  void other_programs_addresses_are_none_of_our_business() {
    assertThat(needs("orders.new")).isFalse();
    assertThat(needs("mcpbus.channel.1")).isFalse();
    assertThat(needs("__vertx.reply.1")).isFalse();
  }

  @Test
  void the_header_decides_which_operation_a_replica_runs() {
    String replica = new ReplicaId(GIT, 2).address();
    assertThat(needs(replica, Headers.TO, Addresses.TOOLS_CALL)).isFalse();
    assertThat(needs(replica, Headers.TO, Addresses.RESTART)).isTrue();
    assertThat(needs(replica)).isTrue();
  }

  @Test
  void a_message_with_a_principal_needs_a_proof() {
    assertThat(needs("mcp.git.tools.call", Headers.PRINCIPAL, "alice")).isTrue();
  }

  @Test
  void a_header_that_names_an_address_of_mcpbus_needs_a_proof() {
    for (String header :
        List.of(
            Headers.PROGRESS,
            Headers.LOG,
            Headers.NOTICES,
            Headers.INPUT,
            Headers.REACHED,
            Headers.DOOR)) {
      assertThat(needs("mcp.git.tools.call", header, "mcp.servers.add")).as(header).isTrue();
      assertThat(needs("mcp.git.tools.call", header, "mcp.git.restart")).as(header).isTrue();
      assertThat(needs("mcp.git.tools.call", header, "mine.progress")).as(header).isFalse();
    }
    assertThat(needs("mcp.git.tools.call", Headers.INPUT, Headers.PASS)).isFalse();
  }

  @Test
  void progress_of_a_call_is_open_and_a_server_of_that_name_is_not() {
    String call = "mcp.progress.0a1b2c3d-0000-4000-8000-000000000000-17";
    assertThat(needs(call)).isFalse();
    assertThat(needs("mcp.git.tools.call", Headers.PROGRESS, call)).isFalse();
    assertThat(needs("mcp.progress.restart")).isTrue();
    assertThat(needs("mcp.progress.tools.call")).isFalse();
  }
}
