package dev.mcpbus.faults;

import static dev.mcpbus.testing.TestBus.address;
import static dev.mcpbus.testing.TestBus.await;
import static dev.mcpbus.testing.TestBus.server;
import static dev.mcpbus.testing.TestBus.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.BusOptions;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.bus.BusTransport;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Case 86: a defect of ours, provoked by a transport that throws what no transport may throw. */
class DefectsIT {

  private static final String CANARY = "canary-31ff at /secret/place";
  private static final JsonObject DEMO =
      server("demo", new JsonObject().put("type", "bus").put("address", "mcpbus.demo"));

  /** Throws where a message holds {@code boom}, and at so many of the first openings. */
  private static final class Frail implements Transport {

    private final Transport sound;
    private final AtomicInteger failingOpens;
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    Frail(Transport sound, int failingOpens) {
      this.sound = sound;
      this.failingOpens = new AtomicInteger(failingOpens);
    }

    @Override
    public String type() {
      return "frail";
    }

    @Override
    public String target() {
      return "a test";
    }

    @Override
    public Future<Channel> open(Context owner, Channel.Receiver receiver) {
      if (failingOpens.getAndDecrement() > 0) {
        throw new IllegalStateException(CANARY);
      }
      opened.incrementAndGet();
      return sound.open(owner, receiver).map(channel -> new FrailChannel(channel, closed));
    }
  }

  private record FrailChannel(Channel sound, AtomicInteger closed) implements Channel {

    @Override
    public void send(OutboundMessage message) throws TransportException {
      if (new String(message.bytes(), StandardCharsets.UTF_8).contains("boom")) {
        throw new IllegalStateException(CANARY);
      }
      sound.send(message);
    }

    @Override
    public void forget(long id) {
      sound.forget(id);
    }

    @Override
    public void negotiated(String protocolVersion) {
      sound.negotiated(protocolVersion);
    }

    @Override
    public Future<Void> close() {
      closed.incrementAndGet();
      return sound.close();
    }

    @Override
    public JsonObject diagnostics() {
      return sound.diagnostics();
    }
  }

  private static Frail add(TestBus bus, int failingOpens) {
    Frail frail =
        new Frail(new BusTransport(bus.vertx(), new BusOptions("mcpbus.demo")), failingOpens);
    await(TestOptions.add(bus.bus(), new ConnectionId("frail"), frail, ConnectionOptions.DEFAULT));
    return frail;
  }

  private static JsonObject echo(String text) {
    return toolCall("echo", new JsonObject().put("text", text));
  }

  private static String echoed(TestBus bus, String id) {
    JsonObject result = bus.request(address(id, Addresses.TOOLS_CALL), echo("well"));
    return result.getJsonArray("content").getJsonObject(0).getString("text");
  }

  @Test
  void case_86_a_handler_that_throws_answers_without_internals_and_the_connection_serves_again() {
    try (TestBus bus = TestBus.startWithBridge(DEMO)) {
      Frail frail = add(bus, 0);
      bus.awaitState("frail", "READY");
      long other = bus.awaitState("demo", "READY").getLong("epoch");

      McpFailure failure = bus.failure(address("frail", Addresses.TOOLS_CALL), echo("boom"));

      assertThat(failure.code()).isEqualTo(FailureCode.INTERNAL);
      assertThat(failure.toJson().encode())
          .doesNotContain("canary")
          .doesNotContain("IllegalState")
          .doesNotContain("dev.mcpbus.");
      awaitNextLife(bus, 2);
      assertThat(echoed(bus, "frail")).isEqualTo("well");
      assertThat(frail.opened).hasValue(2);
      assertThat(frail.closed).as("the first life's channel").hasValueGreaterThanOrEqualTo(1);
      assertThat(bus.status("demo").getLong("epoch")).isEqualTo(other);
      assertThat(bus.events()).noneMatch(event -> event.encode().contains("canary"));
    }
  }

  @Test
  void case_86_over_http_a_defect_is_a_500_without_internals() {
    try (TestBus bus = TestBus.startWithBridge(DEMO)) {
      add(bus, 0);
      bus.awaitState("frail", "READY");
      Http.Answer answer =
          Http.post(bus.port(), "/api/servers/frail/tools/echo", "{\"text\":\"boom\"}");
      assertThat(answer.status()).isEqualTo(500);
      assertThat(answer.json().getString("code")).isEqualTo("INTERNAL");
      assertThat(answer.body()).doesNotContain("canary").doesNotContain("IllegalState");
      awaitNextLife(bus, 2);
      assertThat(
              Http.post(bus.port(), "/api/servers/frail/tools/echo", "{\"text\":\"well\"}")
                  .status())
          .isEqualTo(200);
    }
  }

  @Test
  void case_86_a_transport_that_throws_at_open_is_restarted_like_any_failure() {
    try (TestBus bus = TestBus.start(DEMO)) {
      Frail frail = add(bus, 2);
      awaitNextLife(bus, 1);
      assertThat(frail.opened).hasValue(1);
      assertThat(echoed(bus, "frail")).isEqualTo("well");
      assertThat(bus.events()).noneMatch(event -> event.encode().contains("canary"));
    }
  }

  /** The old life may answer status for a moment longer. */
  private static void awaitNextLife(TestBus bus, long epoch) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                bus.events(Events.CONNECTED).stream()
                    .anyMatch(
                        event ->
                            event.getString("id").equals("frail")
                                && event.getLong("epoch") >= epoch));
  }
}
