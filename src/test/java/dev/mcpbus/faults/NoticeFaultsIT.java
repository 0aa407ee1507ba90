package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers that talk too much, or of things that nobody asked about. */
class NoticeFaultsIT {

  private static final String HEARD = "test.progress";

  /** Of {@code $token}, with the number that follows. */
  private static final String PROGRESS =
      """
      progress() {
        printf '{"jsonrpc":"2.0","method":"notifications/progress","params":\
      {"progressToken":"%s","progress":%s}}\\n' "$1" "$2"
      }
      """;

  private static List<Double> hear(FaultBed bed) {
    List<Double> heard = new CopyOnWriteArrayList<>();
    bed.bus()
        .vertx()
        .eventBus()
        .<JsonObject>consumer(HEARD, message -> heard.add(message.body().getDouble("progress")));
    return heard;
  }

  private static DeliveryOptions listening() {
    return new DeliveryOptions().addHeader(Headers.PROGRESS, HEARD);
  }

  private static long fact(FaultBed bed, String name) {
    return bed.status().getJsonObject("transport").getLong(name, 0L);
  }

  /**
   * About 50,000 a second for three seconds, from beside the server's own loop: its answers come in
   * the midst of them.
   */
  @Tag("release")
  @ParameterizedTest
  @CsvSource({"INITIALIZE, log", "INITIALIZE, progress", "DISCOVER, log", "DISCOVER, progress"})
  void case_69_a_storm_is_dropped_and_counted_and_every_reply_arrives(Era era, String kind) {
    String said =
        kind.equals("log")
            ? "\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"x\"}"
            : "\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"foreign\","
                + "\"progress\":1}";
    String cases =
        """
        *'"name":"storm"'*)
          ( i=0
            while [ $i -lt 150000 ]; do
              printf '{"jsonrpc":"2.0",@SAID@}\\n'
              i=$((i + 1))
              [ $((i % 2500)) -ne 0 ] || sleep 0.04
            done ) &
          text started ;;
        """;
    String type = kind.equals("log") ? Events.LOG : Events.PROGRESS;
    JsonObject server = ShServer.of(era, "", cases.replace("@SAID@", said), "storm");
    AtomicLong events = new AtomicLong();
    try (FaultBed bed = FaultBed.ready(server)) {
      bed.bus()
          .vertx()
          .eventBus()
          .<JsonObject>consumer(
              TestBus.address(FaultBed.VICTIM, Addresses.EVENTS),
              event -> {
                if (type.equals(event.body().getString("type"))) {
                  events.incrementAndGet();
                }
              });
      assertThat(bed.text("storm")).isEqualTo("started");
      FaultBed.until("the storm").until(() -> fact(bed, "droppedNotifications") > 0);
      List<Future<Ending>> calls = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        calls.add(bed.sendTool("echo"));
      }
      for (int i = 0; i < 5; i++) {
        assertThat(bed.text("echo")).isNotEmpty();
      }
      calls.forEach(call -> assertThat(TestBus.await(call).text()).isNotEmpty());
      FaultBed.until("every notification is accounted for")
          .until(() -> events.get() + fact(bed, "droppedNotifications") == 150_000);
      assertThat(events.get()).isBetween(5_000L, 30_000L);
      assertThat(bed.text("echo")).isNotEmpty();
      assertThat(bed.status().getJsonObject("transport").getInteger("pending")).isZero();
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_69_a_storm_of_a_calls_own_progress_holds_its_reply_back_for_nobody(Era era) {
    String cases =
        """
        *'"name":"steps"'*)
          i=0
          while [ $i -lt 100000 ]; do
            i=$((i + 1))
            progress "mcpbus-$id" $i
          done
          text done ;;
        """;
    try (FaultBed bed = FaultBed.ready(ShServer.of(era, PROGRESS, cases, "steps"))) {
      List<Double> heard = hear(bed);
      assertThat(bed.call("steps", new JsonObject(), listening()).text()).isEqualTo("done");
      FaultBed.until("every notification is accounted for")
          .until(() -> heard.size() + fact(bed, "droppedNotifications") == 100_000);
      assertThat(heard).isSorted().hasSizeGreaterThanOrEqualTo(5_000);
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_69_a_storm_in_the_stream_of_a_discover_reply_does_not_lose_it() {
    RawHttpServer server =
        DiscoverHttp.start(
            "[{\"name\":\"steps\",\"inputSchema\":{}}]",
            (request, peer) -> {
              peer.stream();
              StringBuilder batch = new StringBuilder();
              for (int i = 1; i <= 50_000; i++) {
                batch.append(
                    "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
                        + "{\"level\":\"info\",\"data\":1}}\n\n");
                if (i % 1_000 == 0) {
                  peer.chunk(batch.toString());
                  batch.setLength(0);
                }
              }
              peer.chunk(
                  "data: " + DiscoverHttp.message(request, DiscoverHttp.text("done")) + "\n\n");
              peer.end();
            });
    try (server;
        FaultBed bed = FaultBed.ready(DiscoverHttp.entry(server))) {
      assertThat(bed.text("steps")).isEqualTo("done");
      FaultBed.until("every notification is accounted for")
          .until(() -> bed.events(Events.LOG).size() + fact(bed, "droppedNotifications") == 50_000);
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_70_unknown_late_and_decreasing_progress_reaches_nobody(Era era) {
    String cases =
        """
        *'"name":"steps"'*)
          progress "mcpbus-$id" 1
          progress "mcpbus-$id" 5
          progress "mcpbus-$id" 3
          progress "mcpbus-$id" -1e9
          progress "mcpbus-$id" '"six"'
          progress "mcpbus-9999" 6
          progress "mcpbus-" 6
          progress "mcpbus-x" 6
          progress "foreign" 6
          progress "mcpbus-$id" 5.5
          progress "mcpbus-$id" 1e2
          text done
          progress "mcpbus-$id" 200 ;;
        """;
    try (FaultBed bed = FaultBed.ready(ShServer.of(era, PROGRESS, cases, "steps"))) {
      List<Double> heard = hear(bed);
      for (int round = 1; round <= 3; round++) {
        assertThat(bed.call("steps", new JsonObject(), listening()).text()).isEqualTo("done");
        long late = round;
        FaultBed.until("what came late").until(() -> fact(bed, "ignoredProgress") == 7 * late);
      }
      List<Double> once = List.of(1.0, 5.0, 5.5, 100.0);
      FaultBed.until("progress").until(() -> heard.size() == 12);
      assertThat(heard)
          .isEqualTo(Collections.nCopies(3, once).stream().flatMap(List::stream).toList());
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_70_progress_for_ever_ends_at_the_hard_maximum(Era era) {
    String cases =
        """
        *'"name":"steps"'*)
          ( i=0; while :; do i=$((i + 1)); progress "mcpbus-$id" $i; sleep 0.05; done ) & ;;
        *'"notifications/cancelled"'*) cancelled=$((cancelled + 1)) ;;
        *'"name":"cancelled"'*) text $cancelled ;;
        """;
    JsonObject server =
        ShServer.of(era, PROGRESS + "cancelled=0", cases, "steps", "cancelled")
            .put("requestTimeout", 500)
            .put("maxCallDuration", 4_000);
    try (FaultBed bed = FaultBed.ready(server)) {
      List<Double> heard = hear(bed);
      Future<Ending> steps = bed.sendTool("steps", new JsonObject(), listening());
      // Without a progress address nothing is asked for, and nothing extends.
      Future<Ending> deaf = bed.sendTool("steps");
      // The caller's own deadline is the caller's.
      Future<Ending> own =
          bed.sendTool(
              "steps",
              new JsonObject(),
              FaultBed.within(300).addHeader(Headers.PROGRESS, "heard.by.another"));
      Ending ended = bed.ending(steps);
      ended.failure(FailureCode.CALL_TIMEOUT, Sent.MAYBE);
      assertThat(ended.millis()).isGreaterThanOrEqualTo(3_900L);
      assertThat(heard).isSorted().hasSizeGreaterThan(5);
      for (Future<Ending> other : List.of(deaf, own)) {
        Ending earlier = bed.ending(other);
        earlier.failure(FailureCode.CALL_TIMEOUT, Sent.MAYBE);
        assertThat(earlier.endedAt()).as("nothing extended it").isLessThan(ended.endedAt());
      }
      assertThat(bed.text("cancelled")).isEqualTo("3");
      bed.assertUndisturbed();
    }
  }
}
