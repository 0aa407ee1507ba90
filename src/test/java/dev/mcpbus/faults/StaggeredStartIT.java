package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.supervisor.RestartStrategy;
import dev.mcpbus.supervisor.SupervisorOptions;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.bus.BusServer;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Case 119: many servers at the start come up a few at a time. */
class StaggeredStartIT {

  private static final int SERVERS = 1_000;
  private static final int CONCURRENCY = 8;
  private static final long HANDSHAKE_MILLIS = 10;
  private static final RawJson INITIALIZED =
      RawJson.of(
          "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
              + "\"serverInfo\":{\"name\":\"one-of-many\",\"version\":\"1\"}}");

  /** Counts the connections between their opening and the end of their handshake. */
  private static final class Meter {
    private final AtomicInteger now = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();

    void began() {
      most.accumulateAndGet(now.incrementAndGet(), Math::max);
    }

    void ended() {
      now.decrementAndGet();
      done.incrementAndGet();
    }
  }

  private record Slow(Vertx vertx, Channel channel, Meter meter) implements Channel.Receiver {

    @Override
    public void onMessage(Envelope message) {
      RawJson id = message.id();
      if (message.method().equals("initialize") && id != null) {
        vertx.setTimer(HANDSHAKE_MILLIS, late -> answer(id, INITIALIZED));
      } else if (message.method().equals("notifications/initialized")) {
        meter.ended();
      } else if (id != null) {
        answer(id, RawJson.EMPTY_OBJECT);
      }
    }

    private void answer(RawJson id, RawJson result) {
      try {
        channel.send(
            OutboundMessage.response(Envelope.Kind.RESULT, MessageWriter.result(id, result)));
      } catch (TransportException gone) {
        throw new AssertionError(gone);
      }
    }

    @Override
    public void onRequestFailed(long id, TransportException reason) {}

    @Override
    public void onClosed(TransportException reason) {}
  }

  @Test
  void case_119_a_thousand_servers_start_a_few_at_a_time() {
    JsonObject servers = new JsonObject();
    for (int i = 0; i < SERVERS; i++) {
      servers.put("s-" + i, new JsonObject().put("type", "bus").put("address", "test.many"));
    }
    Meter meter = new Meter();
    try (TestBus bus =
        TestBus.start(
            servers,
            null,
            SupervisorOptions.of(RestartStrategy.ONE_FOR_ONE, CONCURRENCY),
            vertx ->
                TestBus.await(
                    BusServer.listen(
                        vertx,
                        "test.many",
                        channel -> {
                          meter.began();
                          return new Slow(vertx, channel, meter);
                        })))) {
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> meter.done.get() == SERVERS);
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () ->
                  bus
                      .<JsonObject>request(Addresses.SERVERS_LIST, new JsonObject())
                      .getJsonArray("servers")
                      .stream()
                      .allMatch(one -> "READY".equals(((JsonObject) one).getString("state"))));
      assertThat(meter.most).hasValueBetween(2, CONCURRENCY);
    }
  }
}
