package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.mcpbus.McpBus;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.hosting.credentials.OAuthAuthenticators;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.RawHttpServer.Peer;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.testing.TinyDns;
import io.vertx.core.VertxOptions;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults 27 to 32 and 57: connections that are not had, break, or fall silent. */
class HttpConnectFaultsIT {

  private static final Pattern TIMER = Pattern.compile(" 01 \\w{8}:\\w{8} (\\w\\w):(\\w{8}) ");

  @TempDir Path folder;

  @Test
  void case_27_a_refused_connection_is_tried_again_ever_later_until_somebody_listens() {
    int port = RawHttpServer.refusingPort();
    JsonObject entry =
        HttpBed.entry("http://127.0.0.1:" + port + "/mcp")
            .put(
                "restart",
                new JsonObject()
                    .put("backoff", new JsonObject().put("initial", 40).put("max", 400))
                    .put("intensity", new JsonObject().put("restarts", 1000)));
    try (FaultBed bed = FaultBed.start(entry)) {
      bed.failure("odd", FailureCode.CONNECT_FAILED, Sent.NO);
      FaultBed.until("five attempts").until(() -> bed.events(Events.RESTARTING).size() >= 5);
      List<Long> delays =
          bed.events(Events.RESTARTING).stream().map(event -> event.getLong("delay")).toList();
      for (int i = 0; i < 4; i++) {
        double expected = Math.min(400, 40 * Math.pow(2, i));
        assertThat((double) delays.get(i)).isBetween(expected * 0.8 - 1, expected * 1.2 + 1);
      }
      assertThat(delays.subList(0, 5))
          .as("jitter")
          .isNotEqualTo(List.of(40L, 80L, 160L, 320L, 400L));
      try (RawHttpServer late = HttpBed.serve("127.0.0.1", port, Era.INITIALIZE, (q, p) -> false)) {
        bed.awaitReady(2);
        assertThat(bed.text("odd")).isEqualTo("fine");
        assertThat(late.open()).isPositive();
      }
    }
  }

  @Test
  void case_27_a_name_that_nobody_knows_is_a_failed_connection() {
    try (FaultBed bed = FaultBed.start(HttpBed.entry("http://no-such-host.invalid/mcp"))) {
      assertThat(bed.failure("odd", FailureCode.CONNECT_FAILED, Sent.NO))
          .hasMessageContaining("no-such-host.invalid");
      FaultBed.until("a retry").until(() -> !bed.events(Events.RESTARTING).isEmpty());
    }
  }

  @Test
  void case_28_a_server_that_accepts_and_is_silent_fails_the_handshake_in_time() {
    try (HttpBed bed =
        HttpBed.start(
            RawHttpServer.start(Peer::silence), new JsonObject().put("handshakeTimeout", 300))) {
      bed.failure(FailureCode.HANDSHAKE_TIMEOUT, Sent.NO);
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_28_a_silent_call_times_out_and_is_cancelled_as_its_era_has_it(Era era) {
    CountDownLatch closed = new CountDownLatch(1);
    try (HttpBed bed =
        HttpBed.calls(
            era,
            (request, peer) -> {
              try {
                peer.silence();
              } finally {
                closed.countDown();
              }
            })) {
      Ending ending = bed.callWithin(300);
      ending.failure(FailureCode.CALL_TIMEOUT, Sent.MAYBE);
      assertThat(ending.millis()).isGreaterThanOrEqualTo(250L);
      HttpBed.await(closed);
      FaultBed.until("the word of it")
          .until(
              () ->
                  bed.server().requests().stream()
                          .anyMatch(request -> request.calls("notifications/cancelled"))
                      == (era == Era.INITIALIZE));
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_29_a_pooled_connection_that_is_reset_while_idle_harms_no_call() throws Exception {
    Semaphore answered = new Semaphore(0);
    Semaphore reset = new Semaphore(0);
    try (HttpBed bed =
        HttpBed.calls(
            Era.INITIALIZE,
            (request, peer) -> {
              HttpBed.text(request, peer, "fine");
              // In the thread that reads the socket: a close by another thread only wakes it, and
              // the RST goes out some time after.
              answered.acquireUninterruptibly();
              try {
                peer.reset();
              } finally {
                reset.release();
              }
            })) {
      for (int i = 0; i < 20; i++) {
        assertThat(bed.call().text()).isEqualTo("fine");
        answered.release();
        assertThat(reset.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        bed.readSockets();
      }
      assertThat(bed.executed()).as("no call twice").hasSize(20);
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_29_a_server_that_is_gone_before_the_request_is_written_has_not_seen_it()
      throws Exception {
    try (HttpBed bed = HttpBed.ready(Era.INITIALIZE, (request, peer) -> false)) {
      assertThat(bed.call().text()).isEqualTo("fine");
      bed.server().close();
      FaultBed.until("the connections to end").until(() -> bed.server().open() == 0);
      bed.readSockets();
      bed.failure(FailureCode.CONNECT_FAILED, Sent.NO);
      assertThat(bed.executed()).hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "HTTP/1.1 200 OK\r\nContent-Ty",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"js",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
      })
  void case_30_a_reset_in_the_answer_may_have_had_an_effect(String sent) {
    for (Era era : Era.values()) {
      try (HttpBed bed =
          HttpBed.calls(
              era,
              (request, peer) -> {
                peer.send(sent);
                peer.silenceFor(30);
                peer.reset();
              })) {
        bed.failure(FailureCode.UPSTREAM_RESET, Sent.MAYBE);
        assertThat(bed.executed()).as("never repeated").hasSize(1);
        bed.assertUndisturbed();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_31_a_server_that_is_gone_without_a_word_is_found_out_by_health_checks(Era era) {
    AtomicBoolean gone = new AtomicBoolean();
    HttpBed.Odd odd =
        (request, peer) -> {
          if (gone.get()) {
            peer.silence();
          }
          return false;
        };
    try (HttpBed bed = HttpBed.ready(era, odd, pings())) {
      assertThat(bed.call().text()).isEqualTo("fine");
      gone.set(true);
      bed.failure(FailureCode.OUTCOME_UNKNOWN, Sent.MAYBE);
      assertThat(bed.bed().events(Events.HEALTH_CHECK_FAILED)).hasSizeGreaterThanOrEqualTo(3);
      gone.set(false);
      bed.bed().awaitReady(2);
      assertThat(bed.call().text()).isEqualTo("fine");
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_31_connections_that_a_router_has_forgotten_are_dropped_and_the_session_stays(Era era) {
    Set<Peer> known = ConcurrentHashMap.newKeySet();
    Set<Peer> forgotten = ConcurrentHashMap.newKeySet();
    HttpBed.Odd odd =
        (request, peer) -> {
          known.add(peer);
          if (forgotten.contains(peer)) {
            peer.silence();
          }
          return false;
        };
    try (HttpBed bed = HttpBed.ready(era, odd, pings().put("requestTimeout", 2_000))) {
      assertThat(bed.call().text()).isEqualTo("fine");
      forgotten.addAll(known);
      bed.callWithin(300).failure(FailureCode.CALL_TIMEOUT, Sent.MAYBE);
      FaultBed.until("calls to go through again").until(() -> bed.callWithin(300).failed() == null);
      FaultBed.until("health again").until(() -> "READY".equals(state(bed)));
      assertThat(bed.bed().status().getLong("epoch")).isEqualTo(1);
    }
  }

  private static String state(HttpBed bed) {
    return bed.bed().status().getString("state");
  }

  private static JsonObject pings() {
    return new JsonObject()
        .put("ping", new JsonObject().put("interval", 200).put("timeout", 200).put("threshold", 3));
  }

  @Test
  void case_31_a_silent_stream_is_probed_by_the_kernel_within_a_minute() throws IOException {
    assumeThat(Path.of("/proc/net/tcp")).exists();
    HttpBed.Odd odd =
        (request, peer) -> {
          boolean get = request.method().equals("GET");
          if (get) {
            peer.stream();
            peer.silence();
          }
          return get;
        };
    try (HttpBed bed = HttpBed.ready(Era.INITIALIZE, odd)) {
      FaultBed.until("the stream")
          .until(() -> bed.bed().status().getJsonObject("transport").getBoolean("listening"));
      String remote = String.format(Locale.ROOT, "0100007F:%04X 01 ", bed.server().port());
      List<String> sockets =
          Stream.concat(lines("/proc/net/tcp"), lines("/proc/net/tcp6"))
              .filter(line -> line.contains(remote))
              .toList();
      assertThat(sockets).as("our ends of the connections").isNotEmpty();
      // Column "tr tm->when": timer 2 is keep-alive, its time is in hundredths of a second.
      assertThat(sockets)
          .allSatisfy(
              line -> {
                Matcher timer = TIMER.matcher(line);
                assertThat(timer.find()).as(line).isTrue();
                assertThat(timer.group(1)).isEqualTo("02");
                assertThat(Integer.parseInt(timer.group(2), 16)).isBetween(1, 6_100);
              });
    }
  }

  private static Stream<String> lines(String file) throws IOException {
    Path path = Path.of(file);
    return Files.exists(path) ? Files.readAllLines(path).stream() : Stream.empty();
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_32_a_slow_drip_ends_at_the_deadline(Era era) {
    try (HttpBed bed =
        HttpBed.calls(
            era,
            (request, peer) -> {
              String body = HttpBed.textOf(request, "fine");
              peer.head("200 OK", "Content-Type: application/json", "Content-Length: 999");
              peer.drip(body + " ".repeat(999 - body.length()), 20_000);
            })) {
      Ending ending = bed.callWithin(400);
      ending.failure(FailureCode.CALL_TIMEOUT, Sent.MAYBE);
      assertThat(ending.millis()).isGreaterThanOrEqualTo(350L);
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_32_a_drip_that_is_done_before_the_deadline_is_read_to_its_end() {
    try (HttpBed bed =
        HttpBed.calls(
            Era.INITIALIZE,
            (request, peer) -> {
              String body = HttpBed.textOf(request, "fine");
              peer.drip(
                  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                      + body.length()
                      + "\r\n\r\n"
                      + body,
                  500);
            })) {
      assertThat(bed.callWithin(20_000).text()).isEqualTo("fine");
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_57_a_server_whose_name_leads_elsewhere_is_found_there() {
    try (TinyDns dns = new TinyDns("127.0.0.2", 0)) {
      VertxOptions options =
          McpBus.vertxOptions()
              .setAddressResolverOptions(
                  new AddressResolverOptions().setServers(List.of(dns.place())));
      moves(options, () -> dns.moveTo("127.0.0.3"));
      assertThat(dns.asked()).contains("mcp.moving.example");
    }
  }

  @Test
  void case_57_a_server_that_moves_in_the_hosts_file_is_found_there() throws IOException {
    Path hosts = folder.resolve("hosts");
    Files.writeString(hosts, "127.0.0.2 mcp.moving.example\n");
    VertxOptions options = McpBus.vertxOptions();
    options.getAddressResolverOptions().setHostsPath(hosts.toString());
    moves(
        options,
        () -> {
          try {
            Files.writeString(hosts, "127.0.0.3 mcp.moving.example\n");
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  /** From 127.0.0.2 to 127.0.0.3. */
  private static void moves(VertxOptions options, Runnable move) {
    RawHttpServer old = HttpBed.serve("127.0.0.2", 0, Era.INITIALIZE, (request, peer) -> false);
    String url = "http://mcp.moving.example:" + old.port() + "/mcp";
    Function<JsonObject, TestBus> launch =
        servers ->
            TestBus.start(
                servers, options, vertx -> OAuthAuthenticators.ofVariables(vertx, Map.of()));
    try (old;
        HttpBed bed =
            HttpBed.of(
                HttpBed.serve("127.0.0.3", old.port(), Era.INITIALIZE, (request, peer) -> false),
                FaultBed.start(HttpBed.entry(url), launch))) {
      bed.bed().awaitReady(1);
      assertThat(bed.call().text()).isEqualTo("fine");
      assertThat(bed.server().accepted()).isZero();
      move.run();
      old.close();
      FaultBed.until("the old connections to end").until(() -> old.open() == 0);
      FaultBed.until("the new place to answer").until(() -> bed.call().failed() == null);
      assertThat(bed.server().accepted()).isPositive();
    }
  }
}
