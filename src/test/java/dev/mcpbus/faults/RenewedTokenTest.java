package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Issuer;
import dev.mcpbus.security.AuthOptions.Policy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.McpHttp.Answer;
import dev.mcpbus.testing.TokenIssuer;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A session belongs to the subject of a token; what he may do is what each request's token says.
 */
@ExtendWith(VertxExtension.class)
class RenewedTokenTest {

  private static final Duration NONE = Duration.ZERO;

  private TokenIssuer issuer;
  private DoorBed bed;
  private McpHttp client;

  @BeforeEach
  void start(Vertx vertx) {
    issuer = new TokenIssuer(vertx);
    issuer.add("one");
    List<Issuer> issuers = TestOptions.issuer(issuer.url(), Set.of(), Set.of("mcp:admin"), NONE);
    bed =
        new DoorBed(
            RecordCopy.with(
                RecordCopy.with(DoorBed.keys(), "issuers", issuers),
                "policies",
                List.of(allow("role:all", List.of()), allow("role:reader", List.of("read_*")))));
    client = bed.mcp("/mcp");
  }

  private static Policy allow(String principal, List<String> tools) {
    return new Policy(List.of(principal), List.of(), tools, Set.of(), Effect.ALLOW);
  }

  @AfterEach
  void close() {
    bed.close();
    issuer.close();
  }

  private String[] as(String subject, String scope) {
    return new String[] {
      "Authorization", "Bearer " + issuer.token("one", issuer.claims(subject, scope))
    };
  }

  private String[] within(McpHttp.Session session, String... token) {
    return Stream.concat(
            Stream.of(token),
            Stream.of("Mcp-Session-Id", session.id(), "MCP-Protocol-Version", "2025-11-25"))
        .toArray(String[]::new);
  }

  private Answer list(McpHttp.Session session, String... token) {
    return client.post(client.request("tools/list", new JsonObject()), within(session, token));
  }

  private Answer delete(McpHttp.Session session, String... token) {
    return client.post(
        client.request("tools/call", new JsonObject().put("name", "a__delete_all")),
        within(session, token));
  }

  private McpHttp.Session begin(String... token) {
    return client.initialize("2025-11-25", new JsonObject(), token);
  }

  @Test
  void a_session_goes_on_with_a_token_of_other_scopes_and_has_their_rights() {
    McpHttp.Session session = begin(as("ann", "reader"));
    assertThat(McpHttp.names(list(session, as("ann", "reader")).result(), "tools"))
        .containsExactly("a__read_one", "b__read_two");

    String[] more = as("ann", "all");
    assertThat(McpHttp.names(list(session, more).result(), "tools")).contains("a__delete_all");
    assertThat(delete(session, more).result()).isNotNull();

    String[] less = as("ann", "reader");
    assertThat(McpHttp.names(list(session, less).result(), "tools"))
        .containsExactly("a__read_one", "b__read_two");
    assertThat(delete(session, less).error().getString("message")).contains("a__delete_all");
    assertThat(delete(session, as("ann", "none")).error()).isNotNull();
  }

  @Test
  void a_client_that_listens_hears_that_its_lists_are_others_now() {
    String[] all = as("ann", "all");
    McpHttp.Session session = begin(all);
    list(session, all);
    try (McpHttp.Stream stream = client.get(within(session, all))) {
      client.post(client.request("ping", new JsonObject()), within(session, as("ann", "reader")));
      await().until(() -> stream.methods().contains("notifications/tools/list_changed"));
    }
  }

  @Test
  void nobody_else_gets_the_session_whatever_his_scopes_and_his_name_are() {
    McpHttp.Session session = begin(as("ann", "all"));
    for (String subject : List.of("bob", "ann ", "ann\\", "jwt:ann", "a nn")) {
      assertThat(list(session, as(subject, "all mcp:admin")).status()).as(subject).isEqualTo(404);
    }
    for (String subject : List.of("ann\n", "ann\n+", "a\nn")) {
      assertThat(list(session, as(subject, "all mcp:admin")).status()).as(subject).isEqualTo(401);
    }
    assertThat(list(session, DoorBed.as(DoorBed.ALICE)).status()).isEqualTo(404);
  }

  @Test
  void a_scope_of_several_lines_is_one_scope() {
    JsonObject claims = issuer.claims("ann", "reader");
    claims.put("scp", new io.vertx.core.json.JsonArray().add("x\nall"));
    String[] token = {"Authorization", "Bearer " + issuer.token("one", claims)};
    McpHttp.Session session = begin(token);
    assertThat(McpHttp.names(list(session, token).result(), "tools"))
        .containsExactly("a__read_one", "b__read_two");
  }

  @Test
  void the_older_transport_takes_the_rights_of_each_message() {
    McpHttp stream = bed.mcp("/sse");
    try (McpHttp.Stream events = stream.get(as("ann", "all"))) {
      await().until(() -> !events.events().isEmpty());
      McpHttp posts = bed.mcp(events.events().get(0).data());
      JsonObject initialize =
          posts.request("initialize", new JsonObject().put("protocolVersion", "2024-11-05"));
      assertThat(posts.post(initialize, as("ann", "all")).status()).isEqualTo(202);
      await().until(() -> events.events().size() == 2);
      List<Integer> sizes = new ArrayList<>();
      for (String scope : List.of("all", "reader", "all")) {
        JsonObject list = posts.request("tools/list", new JsonObject());
        assertThat(posts.post(list, as("ann", scope)).status()).isEqualTo(202);
        await()
            .until(
                () ->
                    answers(events).stream()
                        .anyMatch(one -> list.getValue("id").equals(one.getValue("id"))));
        sizes.add(
            answers(events).stream()
                .filter(one -> list.getValue("id").equals(one.getValue("id")))
                .findFirst()
                .orElseThrow()
                .getJsonObject("result")
                .getJsonArray("tools")
                .size());
      }
      assertThat(sizes).containsExactly(3, 2, 3);
      assertThat(posts.post(initialize, as("bob", "all")).status()).isEqualTo(404);
    }
  }

  private static List<JsonObject> answers(McpHttp.Stream events) {
    return events.events().stream()
        .filter(event -> event.data().startsWith("{"))
        .map(McpHttp.Event::json)
        .toList();
  }
}
