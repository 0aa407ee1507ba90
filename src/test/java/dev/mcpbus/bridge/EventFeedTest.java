package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeLimitOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.internals.RecordCopy;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class EventFeedTest {

  private static final BridgeOptions OPTIONS = BridgeOptions.DEFAULT.withPort(0);

  /** A reader that takes one line at a time. */
  private static final class Stream implements AutoCloseable {

    final Socket socket;
    final BufferedReader lines;
    final String status;

    Stream(BridgeFixture bridge, String path, String... headers) throws IOException {
      socket = bridge.connect();
      BridgeFixture.write(
          socket,
          "GET "
              + path
              + " HTTP/1.1\r\nHost: localhost:"
              + bridge.port
              + "\r\n"
              + String.join("", headers)
              + "X-Api-Key: "
              + bridge.admin
              + "\r\n\r\n");
      lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      status = lines.readLine();
    }

    /** The next line that begins so, without that beginning. */
    String next(String start) throws IOException {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith(start)) {
          return line.substring(start.length());
        }
      }
      throw new AssertionError("the stream has ended");
    }

    JsonObject event() throws IOException {
      return new JsonObject(next("data: "));
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static JsonObject event(String id, String type, int n) {
    return new JsonObject().put("type", type).put("id", id).put("n", n);
  }

  private static void publish(Vertx vertx, String id, String type, int n) {
    vertx.eventBus().publish(Addresses.ALL_EVENTS, event(id, type, n));
  }

  @Test
  void events_arrive_as_they_happen_and_only_the_requested_ones(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    try (Stream all = new Stream(bridge, "/api/events");
        Stream some = new Stream(bridge, "/api/events?server=a,b&type=log&type=connected")) {
      all.next("id: ");
      some.next("id: ");
      publish(vertx, "a", "log", 1);
      publish(vertx, "c", "log", 2);
      publish(vertx, "a", "gaveUp", 3);
      publish(vertx, "b", "connected", 4);

      assertThat(all.status).isEqualTo("HTTP/1.1 200 OK");
      for (int n = 1; n <= 4; n++) {
        assertThat(all.event().getInteger("n")).isEqualTo(n);
      }
      assertThat(some.event()).isEqualTo(event("a", "log", 1));
      assertThat(some.event()).isEqualTo(event("b", "connected", 4));
    }
  }

  @Test
  void a_reader_that_returns_gets_the_events_after_its_last_one(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    String last;
    try (Stream first = new Stream(bridge, "/api/events")) {
      last = first.next("id: ");
    }
    for (int n = 0; n < 3; n++) {
      publish(vertx, "a", "log", n);
    }
    try (Stream second = new Stream(bridge, "/api/events", "Last-Event-ID: " + last + "\r\n")) {
      assertThat(second.next("id: ")).isEqualTo(last);
      String id = second.next("id: ");
      assertThat(second.event().getInteger("n")).isZero();
      try (Stream third = new Stream(bridge, "/api/events?lastEventId=" + id)) {
        assertThat(third.event().getInteger("n")).isEqualTo(1);
        assertThat(third.event().getInteger("n")).isEqualTo(2);
      }
    }
  }

  @Test
  void an_id_of_another_process_or_too_old_gets_a_missed_event(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    String last;
    try (Stream first = new Stream(bridge, "/api/events")) {
      last = first.next("id: ");
    }
    // More than are kept; a reader that has seen the last one knows that all are there.
    try (Stream live = new Stream(bridge, "/api/events")) {
      live.next("id: ");
      for (int n = 0; n < 1_500; n++) {
        publish(vertx, "a", "log", n);
      }
      while (live.event().getInteger("n") < 1_499) {
        assertThat(live.status).contains("200");
      }
    }
    for (String id : List.of(last, "other-5", "nonsense", last + "9999999999")) {
      try (Stream again = new Stream(bridge, "/api/events", "Last-Event-ID: " + id + "\r\n")) {
        assertThat(again.event().getString("type")).as(id).isEqualTo("missed");
        assertThat(again.event().getInteger("n")).isEqualTo(1_500 - 1_024);
      }
    }
  }

  @Test
  void the_rpc_log_is_a_stream_of_its_own(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    try (Stream log = new Stream(bridge, "/api/rpc-log?server=a")) {
      log.next("id: ");
      publish(vertx, "a", "log", 1);
      JsonObject message =
          new JsonObject()
              .put("direction", "sent")
              .put("server", "a")
              .put("time", "t")
              .put("message", "{\"token\":\"***\"}\n");
      vertx.eventBus().publish(Addresses.RPC, message.copy().put("server", "b"));
      vertx.eventBus().publish(Addresses.RPC, message);
      assertThat(log.event()).isEqualTo(message);
    }
  }

  @Test
  void a_silent_stream_has_heartbeats_and_outlives_the_receive_timeout(Vertx vertx)
      throws IOException {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx,
            RecordCopy.with(
                RecordCopy.with(OPTIONS, "receiveTimeout", Duration.ofMillis(100)),
                "limits",
                new BridgeLimitOptions(
                    8_192, 10, BridgeLimitOptions.share(10), 10, Duration.ofMillis(100), 0)));
    try (Stream stream = new Stream(bridge, "/api/events")) {
      for (int beats = 0; beats < 5; beats++) {
        assertThat(stream.next(":")).isEmpty();
      }
    }
  }

  @Test
  void streams_beyond_the_cap_are_refused_and_places_are_reclaimed(Vertx vertx) throws IOException {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx,
            RecordCopy.with(
                OPTIONS,
                "limits",
                new BridgeLimitOptions(
                    8_192, 100, BridgeLimitOptions.share(100), 3, Duration.ofMillis(50), 0)));
    List<Stream> open = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      open.add(new Stream(bridge, i == 0 ? "/api/rpc-log" : "/api/events"));
    }
    var refused = bridge.get("/api/events");
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.json().getString("code")).isEqualTo("OVERLOADED");
    assertThat(refused.json().getString("detail")).contains("3 streams", "bridge.maxStreams");
    assertThat(refused.headers().get("Retry-After")).isEqualTo("1");
    for (Stream stream : open) {
      stream.close();
    }
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              try (Stream again = new Stream(bridge, "/api/events")) {
                return again.status.contains("200");
              }
            });
  }

  @Test
  void a_reader_that_does_not_read_is_dropped_and_delays_no_other(Vertx vertx) throws IOException {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx,
            RecordCopy.with(
                OPTIONS,
                "limits",
                new BridgeLimitOptions(
                    8_192, 100, BridgeLimitOptions.share(100), 2, Duration.ofMillis(50), 0)));
    String filler = "x".repeat(64 * 1024);
    try (Stream stuck = new Stream(bridge, "/api/events");
        Stream good = new Stream(bridge, "/api/events")) {
      stuck.next("id: ");
      good.next("id: ");
      for (int n = 0; n < 400; n++) {
        vertx.eventBus().publish(Addresses.ALL_EVENTS, event("a", "log", n).put("filler", filler));
        JsonObject seen = good.event();
        assertThat(seen.getInteger("n")).isEqualTo(n);
      }
      // His place is free again.
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> {
                try (Stream again = new Stream(bridge, "/api/events")) {
                  return again.status.contains("200");
                }
              });
    }
  }

  @Test
  void streams_end_when_the_bridge_stops(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    try (Stream stream = new Stream(bridge, "/api/events")) {
      stream.next("id: ");
      BridgeFixture.await(vertx.undeploy(bridge.deployment));
      assertThat(stream.lines.lines().toList()).endsWith("0", "");
    }
  }
}
