package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.junit5.VertxExtension;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A failure names servers and nodes, and never an address of mcpbus or a random id. */
@ExtendWith(VertxExtension.class)
class ReceiverWordsTest {

  private static final String ID = "0f8fad5b-d9cb-469f-a165-70867728950e";
  private static final ConnectionId GIT = new ConnectionId("git");

  private static String absent(String address) {
    return String.valueOf(
        McpFailure.of(
                new ReplyException(ReplyFailure.NO_HANDLERS, "No handlers for address " + address))
            .getMessage());
  }

  private static String silent(String address) {
    return String.valueOf(
        McpFailure.of(
                new ReplyException(
                    ReplyFailure.TIMEOUT,
                    "Timed out after waiting 500(ms) for a reply. address:"
                        + " __vertx.reply.7, repliedAddress: "
                        + address))
            .getMessage());
  }

  @Test
  void a_server_is_named_with_the_operation_and_the_remedy() {
    assertThat(absent("mcp.git.tools.call"))
        .isEqualTo(
            "server 'git' does not answer (tools.call): there is none, or it is starting or ending;"
                + " mcpbus status lists the servers");
    assertThat(silent("mcp.git.tools.call"))
        .isEqualTo("server 'git' has not answered (tools.call) within 500 ms");
  }

  @Test
  void a_node_is_a_process_of_the_cluster_and_no_id() {
    assertThat(absent("mcp.placement." + ID))
        .startsWith("the process that should answer for 'placement' has ended, or is starting")
        .endsWith("see which nodes GET /api/nodes lists");
    assertThat(silent("mcp.servers.lease." + ID))
        .isEqualTo("another process of the cluster has not answered (servers.lease) within 500 ms");
    assertThat(absent("mcp.gateway.sessions.0f8fad5bd9cb0001"))
        .contains("'gateway.sessions'")
        .doesNotContain("0f8f");
  }

  @Test
  void a_private_connection_is_named_by_its_server() {
    String id = ConnectionId.ofPrivate(GIT).value();
    assertThat(absent("mcp." + id + ".ping"))
        .startsWith("a client's own connection to 'git' does not answer (ping)");
  }

  @Test
  void no_address_of_mcpbus_is_in_a_text() throws IllegalAccessException {
    List<String> addresses = new ArrayList<>();
    for (Field field : Addresses.class.getFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
        String value = (String) field.get(null);
        String address = value.startsWith("mcp.") ? value : Addresses.of(GIT, value);
        addresses.add(address);
        addresses.add(address.endsWith(".") ? address + ID : Addresses.at(address, ID));
      }
    }
    assertThat(addresses).hasSizeGreaterThan(120);
    for (String address : addresses) {
      assertThat(List.of(absent(address), silent(address)))
          .as(address)
          .allSatisfy(text -> assertThat(text).doesNotContain("mcp.", "__vertx", ID));
    }
  }

  @Test
  void a_random_id_of_any_form_is_left_out() {
    for (int i = 0; i < 1_000; i++) {
      String id = UUID.randomUUID().toString();
      assertThat(absent("mcp.placement." + id)).doesNotContain(id.substring(0, 8));
      String bare = id.replace("-", "").substring(0, 16);
      assertThat(silent("mcp.gateway.reports." + bare)).doesNotContain(bare);
    }
  }

  @Test
  void an_address_of_a_program_is_shown_bounded_and_without_control_characters() {
    assertThat(absent("my.app\u0007")).isEqualTo("no program on the bus answers at 'my.app?'");
    assertThat(absent("x".repeat(10_000))).hasSizeLessThan(200);
  }

  @Test
  void the_bus_says_it_so(Vertx vertx) {
    DeliveryOptions soon = new DeliveryOptions().setSendTimeout(1);
    vertx.eventBus().localConsumer("mcp.git.ping", asked -> {});

    assertThat(said(vertx.eventBus().request("mcp.placement." + ID, "x")))
        .contains("'placement'")
        .doesNotContain(ID);
    assertThat(said(vertx.eventBus().request("mcp.git.ping", "x", soon)))
        .isEqualTo("server 'git' has not answered (ping) within 1 ms");
  }

  private static String said(Future<?> request) {
    return BusTests.await(
        request.map("").otherwise(failure -> String.valueOf(McpFailure.of(failure).getMessage())));
  }
}
