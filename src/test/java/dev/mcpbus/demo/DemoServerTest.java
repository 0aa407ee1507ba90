package dev.mcpbus.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.hosting.BuiltInTransports;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.BusOptions;
import dev.mcpbus.transport.RawClient;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DemoServerTest {

  private static final Clock NOON =
      Clock.fixed(Instant.parse("2026-07-01T12:00:00Z"), ZoneOffset.UTC);

  private final Vertx vertx = Vertx.vertx();
  private String deployment = "";

  @BeforeEach
  void deploy() throws Exception {
    deployment =
        RawClient.get(vertx.deployVerticle(DemoServer.deployable(DemoServer.ADDRESS, NOON)));
  }

  @AfterEach
  void close() throws Exception {
    RawClient.get(vertx.close());
  }

  private RawClient connect() throws Exception {
    RawClient client =
        RawClient.open(
            vertx,
            BuiltInTransports.create(
                vertx, new BusOptions(DemoServer.ADDRESS), AuthenticatorFactory.NONE));
    JsonObject hello = client.handshake();
    assertThat(hello.getString("protocolVersion")).isEqualTo("2025-11-25");
    assertThat(hello.getJsonObject("serverInfo").getString("name")).isEqualTo("mcpbus-demo");
    return client;
  }

  @Test
  void three_tools_are_offered_and_answer() throws Exception {
    RawClient client = connect();
    assertThat(client.result("tools/list", "{}").getJsonArray("tools"))
        .extracting(tool -> ((JsonObject) tool).getString("name"))
        .containsExactlyInAnyOrder("echo", "add", "clock");
    assertThat(client.call("echo", "{\"text\":\"gr\u00fc\u00df dich\"}"))
        .isEqualTo("gr\u00fc\u00df dich");
    assertThat(client.call("clock", "{}")).isEqualTo("2026-07-01T12:00:00Z");
    assertThat(client.call("clock", "{\"timezone\":\"Asia/Tokyo\"}"))
        .isEqualTo("2026-07-01T21:00:00+09:00");
  }

  @Test
  void add_gives_the_sum_as_structured_content_too() throws Exception {
    JsonObject result =
        connect().result("tools/call", "{\"name\":\"add\",\"arguments\":{\"a\":0.1,\"b\":0.2}}");
    assertThat(result.getJsonObject("structuredContent").getDouble("sum")).isEqualTo(0.3);
    assertThat(result.getJsonArray("content").getJsonObject(0).getString("text")).isEqualTo("0.3");
  }

  @Test
  void bad_arguments_are_an_error_that_names_the_argument() throws Exception {
    RawClient client = connect();
    assertError(client, "clock", "{\"timezone\":\"Mars/Olympus\"}", "Mars/Olympus");
    assertError(client, "add", "{\"a\":1e999,\"b\":1}", "/a");
    assertError(client, "add", "{\"a\":1}", "\"b\"");
  }

  private static void assertError(RawClient client, String tool, String arguments, String word)
      throws Exception {
    JsonObject result =
        client.result("tools/call", "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}");
    assertThat(result.getBoolean("isError")).isTrue();
    assertThat(result.getJsonArray("content").getJsonObject(0).getString("text")).contains(word);
  }

  @Test
  void the_resource_and_the_prompt_can_be_read() throws Exception {
    RawClient client = connect();
    assertThat(client.result("resources/list", "{}").encode()).contains("demo://readme");
    assertThat(client.result("resources/read", "{\"uri\":\"demo://readme\"}").encode())
        .contains("echo(text)");
    assertThat(
            client
                .result("prompts/get", "{\"name\":\"greet\",\"arguments\":{\"name\":\"Ada\"}}")
                .encode())
        .contains("Please greet Ada.");
  }

  @Test
  void two_clients_have_sessions_of_their_own() throws Exception {
    RawClient one = connect();
    RawClient two = connect();
    one.close();
    assertThat(two.call("echo", "{\"text\":\"still here\"}")).isEqualTo("still here");
  }

  @Test
  void undeploying_closes_the_connections_and_frees_the_address() throws Exception {
    RawClient client = connect();
    RawClient.get(vertx.undeploy(deployment));
    await().until(() -> client.closings().size() == 1);
    assertThatThrownBy(this::connect).hasCauseInstanceOf(TransportException.class);
  }
}
