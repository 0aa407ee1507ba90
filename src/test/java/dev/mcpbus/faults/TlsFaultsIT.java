package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.testing.Certificates;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults 56 to 58: certificates that do not fit or change, and HTTP/2 that says goodbye. */
class TlsFaultsIT {

  private static final String HERE = "dns:localhost,ip:127.0.0.1";

  @TempDir static Path shared;
  @TempDir Path folder;
  private static Certificates certificates;
  private static Path ca;

  @BeforeAll
  static void make() {
    certificates =
        new Certificates(shared)
            .authority("ca")
            .authority("ca2")
            .signed("good", "ca", HERE, "-1d", 10)
            .signed("good2", "ca2", HERE, "-1d", 10)
            .signed("expired", "ca", HERE, "-10d", 5)
            .signed("early", "ca", HERE, "+5d", 5)
            .signed("elsewhere", "ca", "dns:other.example", "-1d", 10)
            .signed("me", "ca2", "dns:me", "-1d", 10)
            .selfSigned("self", HERE);
    ca = certificates.certificate("ca", "ca.pem");
  }

  private static JsonObject entry(String url, Path caFile) {
    return HttpBed.entry(url).put("tls", new JsonObject().put("caFile", caFile.toString()));
  }

  /** At the end nothing is connected any more. */
  private static void close(FaultBed bed, TlsServer server) {
    bed.close();
    FaultBed.until("every connection to be closed").until(() -> server.open() == 0);
  }

  @ParameterizedTest
  @CsvSource({
    "self, certification path",
    "good2, certification path",
    "expired, NotAfter",
    "early, NotBefore",
    "elsewhere, localhost"
  })
  void case_56_a_certificate_that_does_not_hold_is_refused_and_nothing_is_said(
      String alias, String why) {
    try (TlsServer server = new TlsServer(certificates, alias)) {
      FaultBed bed = FaultBed.start(entry(server.url(), ca));
      assertThat(bed.failure(HttpBed.TOOL, FailureCode.TLS_ERROR, Sent.NO))
          .hasMessageContaining(why);
      assertThat(server.seen()).isEmpty();
      close(bed, server);
    }
  }

  @Test
  void case_56_a_private_authority_is_unknown_unless_it_is_configured() {
    try (TlsServer server = new TlsServer(certificates, "good")) {
      FaultBed bed = FaultBed.start(HttpBed.entry(server.url()));
      bed.failure(HttpBed.TOOL, FailureCode.TLS_ERROR, Sent.NO);
      assertThat(server.seen()).isEmpty();
      close(bed, server);
      FaultBed trusting = FaultBed.ready(entry(server.url(), ca));
      assertThat(trusting.text(HttpBed.TOOL)).isEqualTo("fine");
      assertThat(server.seen()).extracting(TlsServer.Seen::http).containsOnly("h2");
      close(trusting, server);
    }
  }

  @Test
  void case_56_a_server_without_tls_is_never_spoken_to_in_plain_text() {
    try (RawHttpServer plain =
        RawHttpServer.start(
            peer -> peer.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"))) {
      String url = "https://127.0.0.1:" + plain.port() + "/mcp";
      try (FaultBed bed = FaultBed.start(entry(url, ca))) {
        bed.failure(HttpBed.TOOL, FailureCode.TLS_ERROR, Sent.NO);
      }
      assertThat(plain.requests()).isEmpty();
      FaultBed.until("every connection to be closed").until(() -> plain.open() == 0);
    }
  }

  @Test
  void case_56_a_server_that_wants_a_certificate_of_ours_gets_the_configured_one() {
    Path theirs = certificates.certificate("ca2", "ca2.pem");
    try (TlsServer server =
        new TlsServer(certificates, "good", 0, theirs, (request, call) -> false)) {
      FaultBed without = FaultBed.start(entry(server.url(), ca));
      assertThat(without.failure(HttpBed.TOOL, FailureCode.HANDSHAKE_FAILED, Sent.NO))
          .hasMessageContaining("tls.certFile");
      assertThat(server.seen()).isEmpty();
      close(without, server);
      JsonObject entry = entry(server.url(), ca);
      entry
          .getJsonObject("tls")
          .put("certFile", certificates.certificate("me", "me.pem").toString())
          .put("keyFile", certificates.key("me", "me.key").toString());
      FaultBed bed = FaultBed.ready(entry);
      assertThat(bed.text(HttpBed.TOOL)).isEqualTo("fine");
      assertThat(bed.status().encode()).doesNotContain("PRIVATE");
      close(bed, server);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n"})
  void case_56_a_file_that_is_of_no_use_is_named(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("broken.pem"), text);
    try (TlsServer server = new TlsServer(certificates, "good")) {
      FaultBed bed = FaultBed.start(entry(server.url(), file));
      assertThat(bed.failure(HttpBed.TOOL, FailureCode.TLS_ERROR, Sent.NO))
          .hasMessageContaining("tls.caFile")
          .hasMessageContaining("broken.pem");
      close(bed, server);
    }
  }

  @Test
  void case_57_a_changed_certificate_is_checked_anew_and_a_renewed_ca_file_is_read_again()
      throws IOException {
    Path file = Files.copy(ca, folder.resolve("trusted.pem"));
    TlsServer first = new TlsServer(certificates, "good");
    int port = first.port();
    FaultBed bed = FaultBed.ready(entry(first.url(), file).put("requestTimeout", 5_000));
    assertThat(bed.text(HttpBed.TOOL)).isEqualTo("fine");
    first.close();
    try (TlsServer second =
        new TlsServer(certificates, "good2", port, null, (request, call) -> false)) {
      FaultBed.until("the new certificate to be refused")
          .untilAsserted(() -> bed.call(HttpBed.TOOL).failure(FailureCode.TLS_ERROR, Sent.NO));
      assertThat(second.seen()).isEmpty();
      Files.copy(
          certificates.certificate("ca2", "ca2.pem"), file, StandardCopyOption.REPLACE_EXISTING);
      bed.bus().request(TestBus.address(FaultBed.VICTIM, Addresses.RESTART), new JsonObject());
      bed.awaitReady(2);
      assertThat(bed.text(HttpBed.TOOL)).isEqualTo("fine");
      close(bed, second);
    }
  }

  /** Takes calls until there are {@code count}, then has the connection say goodbye. */
  private static final class Goodbye implements BiPredicate<HttpServerRequest, JsonObject> {
    private final int count;
    private final int served;
    private final AtomicInteger goodbyes;
    private final List<Runnable> held = new CopyOnWriteArrayList<>();
    private final List<Long> streams = new ArrayList<>();

    /**
     * @param served how many of them it still serves
     * @param goodbyes how often it does so
     */
    Goodbye(int count, int served, int goodbyes) {
      this.count = count;
      this.served = served;
      this.goodbyes = new AtomicInteger(goodbyes);
    }

    @Override
    @SuppressWarnings("deprecation") // what a server names the last stream by
    public synchronized boolean test(HttpServerRequest request, JsonObject call) {
      if (goodbyes.get() == 0) {
        return false;
      }
      streams.add(request.streamId());
      held.add(() -> TlsServer.reply(request, call));
      if (held.size() == count) {
        goodbyes.decrementAndGet();
        long last = served == 0 ? Math.max(0, streams.get(0) - 2) : streams.get(served - 1);
        request.connection().goAway(0, (int) last);
        held.subList(0, served).forEach(Runnable::run);
        held.clear();
        streams.clear();
      }
      return true;
    }
  }

  @Test
  void case_58_streams_above_the_last_go_over_a_new_connection_and_the_others_are_served() {
    Goodbye goodbye = new Goodbye(5, 2, 1);
    try (TlsServer server = new TlsServer(certificates, "good", 0, null, goodbye)) {
      FaultBed bed = FaultBed.ready(entry(server.url(), ca));
      List<Future<Ending>> calls = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        calls.add(bed.sendTool(HttpBed.TOOL));
      }
      calls.forEach(call -> assertThat(bed.ending(call).text()).isEqualTo("fine"));
      assertThat(server.calls()).as("three came a second time").isEqualTo(8);
      bed.assertUndisturbed();
      close(bed, server);
    }
  }

  @Test
  void case_58_a_server_that_says_goodbye_every_time_has_not_seen_the_call() {
    Goodbye goodbye = new Goodbye(1, 0, 2);
    try (TlsServer server = new TlsServer(certificates, "good", 0, null, goodbye)) {
      FaultBed bed = FaultBed.ready(entry(server.url(), ca));
      bed.failure(HttpBed.TOOL, FailureCode.UPSTREAM_RESET, Sent.NO);
      assertThat(server.calls()).isEqualTo(2);
      assertThat(bed.text(HttpBed.TOOL)).isEqualTo("fine");
      bed.assertUndisturbed();
      close(bed, server);
    }
  }

  @Test
  @SuppressWarnings("deprecation") // what a server names the last stream by
  void case_58_a_stream_up_to_the_last_that_is_never_answered_may_have_run() {
    BiPredicate<HttpServerRequest, JsonObject> leaves =
        (request, call) -> {
          request.connection().goAway(0, (int) request.streamId());
          request.connection().close();
          return true;
        };
    try (TlsServer server = new TlsServer(certificates, "good", 0, null, leaves)) {
      FaultBed bed = FaultBed.ready(entry(server.url(), ca));
      bed.failure(HttpBed.TOOL, FailureCode.UPSTREAM_RESET, Sent.MAYBE);
      assertThat(server.calls()).as("never repeated").isEqualTo(1);
      close(bed, server);
    }
  }

  @ParameterizedTest
  @CsvSource({"7, NO, 2", "2, MAYBE, 1", "8, MAYBE, 1"})
  void case_58_a_refused_stream_was_not_looked_at_any_other_reset_may_have(
      long code, Sent sent, int calls) {
    try (TlsServer server =
        new TlsServer(
            certificates,
            "good",
            0,
            null,
            (request, call) -> {
              request.response().reset(code);
              return true;
            })) {
      FaultBed bed = FaultBed.ready(entry(server.url(), ca));
      bed.failure(HttpBed.TOOL, FailureCode.UPSTREAM_RESET, sent);
      assertThat(server.calls()).isEqualTo(calls);
      close(bed, server);
    }
  }
}
