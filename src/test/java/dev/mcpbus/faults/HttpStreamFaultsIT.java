package dev.mcpbus.faults;

import static dev.mcpbus.testing.RawHttpServer.notification;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.RawHttpServer.Peer;
import dev.mcpbus.testing.RawHttpServer.Request;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults 47 to 52: event streams. */
class HttpStreamFaultsIT {

  private static String log(String data) {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":"
        + "{\"level\":\"info\",\"data\":\""
        + data
        + "\"}}";
  }

  /** Answers the call with a stream that is cut; a GET with what goes on after that. */
  private static HttpBed.Odd cutThen(String beforeCut, RawHttpServer.Answer resume) {
    long[] id = {-1};
    return (request, peer) -> {
      if (HttpBed.isCall(request)) {
        id[0] = request.id();
        peer.stream();
        peer.chunk(beforeCut);
        peer.close();
      }
      boolean resumes =
          request.method().equals("GET") && request.headers().containsKey("last-event-id");
      if (resumes) {
        resume.to(new Request("GET", request.path(), request.headers(), "\"id\":" + id[0]), peer);
      }
      return resumes;
    };
  }

  @Test
  void case_47_an_initialize_stream_resumes_by_last_event_id_after_the_servers_time() {
    HttpBed.Odd odd =
        cutThen(
            "retry: 300\nid: e1\ndata: " + log("one") + "\n\n",
            (request, peer) -> {
              peer.stream();
              peer.chunk("id: e2\ndata: " + HttpBed.textOf(request, "late") + "\n\n");
              peer.end();
            });
    try (HttpBed bed = HttpBed.ready(Era.INITIALIZE, odd)) {
      Ending ending = bed.call();
      assertThat(ending.text()).isEqualTo("late");
      assertThat(ending.millis()).as("honours retry:").isGreaterThanOrEqualTo(280);
      assertThat(bed.executed()).as("executed once").hasSize(1);
      assertThat(bed.server().requests("GET"))
          .filteredOn(get -> get.headers().containsKey("last-event-id"))
          .singleElement()
          .satisfies(get -> assertThat(get.headers()).containsEntry("last-event-id", "e1"));
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_47_an_initialize_stream_that_cannot_be_resumed_is_an_unknown_outcome() {
    HttpBed.Odd odd =
        cutThen("id: e1\ndata:\n\n", (request, peer) -> peer.reply("400 Bad Request", ""));
    try (HttpBed bed = HttpBed.ready(Era.INITIALIZE, odd)) {
      bed.failure(FailureCode.OUTCOME_UNKNOWN, Sent.MAYBE);
      assertThat(bed.executed()).hasSize(1);
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_47_a_cut_without_an_id_is_an_unknown_outcome_at_once(Era era) {
    HttpBed.Odd odd = cutThen("data: " + log("one") + "\n\n", (request, peer) -> {});
    unknownAtOnce(era, odd);
  }

  @Test
  void case_47_a_discover_stream_is_never_resumed_even_where_events_have_ids() {
    HttpBed.Odd odd = cutThen("id: e1\ndata: " + log("one") + "\n\n", (request, peer) -> {});
    unknownAtOnce(Era.DISCOVER, odd);
  }

  private static void unknownAtOnce(Era era, HttpBed.Odd odd) {
    try (HttpBed bed = HttpBed.ready(era, odd)) {
      bed.failure(FailureCode.OUTCOME_UNKNOWN, Sent.MAYBE);
      assertThat(bed.server().requests("GET"))
          .noneMatch(get -> get.headers().containsKey("last-event-id"));
      assertThat(bed.executed()).hasSize(1);
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_48_a_reply_that_no_blank_line_ends_is_discarded(Era era) {
    try (HttpBed bed =
        HttpBed.calls(
            era,
            (request, peer) -> {
              peer.stream();
              peer.chunk("data: " + HttpBed.textOf(request, "half") + "\n");
              peer.end();
            })) {
      bed.failure(FailureCode.OUTCOME_UNKNOWN, Sent.MAYBE);
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_49_a_stream_without_line_ends_stops_at_the_cap(Era era) {
    JsonObject small =
        new JsonObject().put("limits", new JsonObject().put("maxMessageBytes", 16_384));
    try (HttpBed bed =
        HttpBed.calls(
            era,
            (request, peer) -> {
              peer.stream();
              peer.chunk("data: ");
              while (true) {
                peer.chunk("x".repeat(512));
              }
            },
            small)) {
      bed.failure(FailureCode.LIMIT_EXCEEDED, Sent.MAYBE);
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_50_comments_unknown_fields_and_a_missing_event_are_read_as_the_standard_has_it(
      Era era) {
    try (HttpBed bed =
        HttpBed.calls(
            era,
            (request, peer) -> {
              String[] halves = HttpBed.textOf(request, "fine").split("(?<=,)", 2);
              peer.stream();
              peer.chunk("\ufeff: hello\r\n\r\n:\n\nfoo: bar\nbaz\n\n");
              peer.chunk("event: other\ndata: {\"not\": \"ours\"}\n\n");
              peer.chunk("event\ndata\n\nretry: soon\n\n");
              peer.chunk("data:" + halves[0] + "\rdata: " + halves[1] + "\r\r");
              peer.end();
            })) {
      assertThat(bed.call().text()).isEqualTo("fine");
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_51_an_event_that_is_replayed_is_heard_once() {
    HttpBed.Odd odd =
        cutThen(
            "retry: 50\nid: e1\ndata: " + log("one") + "\n\nid: e2\ndata: " + log("two") + "\n\n",
            (request, peer) -> {
              peer.stream();
              peer.chunk("id: e1\ndata: " + log("one") + "\n\n");
              peer.chunk("id: e2\ndata: " + log("two") + "\n\n");
              peer.chunk("id: e3\ndata: " + log("three") + "\n\n");
              peer.chunk("id: e4\ndata: " + HttpBed.textOf(request, "late") + "\n\n");
              peer.end();
            });
    try (HttpBed bed = HttpBed.ready(Era.INITIALIZE, odd)) {
      assertThat(bed.call().text()).isEqualTo("late");
      FaultBed.until("three log events").until(() -> bed.bed().events(Events.LOG).size() >= 3);
      assertThat(bed.bed().events(Events.LOG))
          .extracting(event -> event.getJsonObject("params").getString("data"))
          .containsExactly("one", "two", "three");
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_51_the_same_reply_twice_ends_the_call_once(Era era) {
    try (HttpBed bed =
        HttpBed.calls(
            era,
            (request, peer) -> {
              peer.stream();
              String event = "id: e1\ndata: " + HttpBed.textOf(request, "fine") + "\n\n";
              peer.chunk(event + event);
              peer.end();
            })) {
      assertThat(bed.call().text()).isEqualTo("fine");
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_53_an_event_that_is_no_json_rpc_is_a_protocol_error(Era era) {
    try (HttpBed bed =
        HttpBed.calls(
            era,
            (request, peer) -> {
              peer.stream();
              peer.chunk("data: {\"jsonrpc\":\"2.0\",\"id\":" + request.id() + ",\n\n");
              peer.silence();
            })) {
      bed.failure(FailureCode.PROTOCOL_ERROR, Sent.MAYBE);
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.2:PORT/messages",
        "http://localhost:PORT/messages",
        "https://127.0.0.1:PORT/messages",
        "//evil.invalid/messages",
        "http://user:canary@127.0.0.1:PORT/messages",
        "file:///etc/passwd",
        "javascript:alert(1)"
      })
  void case_52_an_endpoint_of_another_origin_is_refused_and_nothing_is_posted(String endpoint) {
    RawHttpServer[] self = new RawHttpServer[1];
    self[0] =
        RawHttpServer.answering(
            (request, peer) -> {
              peer.stream();
              String data = endpoint.replace("PORT", String.valueOf(self[0].port()));
              peer.chunk("event: endpoint\ndata: " + data + "\n\n");
              peer.silence();
            });
    JsonObject sse =
        new JsonObject()
            .put("type", "sse")
            .put("headers", new JsonObject().put("Authorization", "Bearer canary"));
    try (HttpBed bed = HttpBed.start(self[0], sse)) {
      assertThat(bed.failure(FailureCode.HANDSHAKE_FAILED, Sent.NO))
          .hasMessageContaining("endpoint event")
          .hasMessageNotContaining("canary");
      assertThat(bed.server().requests("POST")).isEmpty();
    }
  }

  @Test
  void case_47_the_old_http_sse_ends_with_its_stream_and_calls_in_flight_may_have_run()
      throws Exception {
    SseServer sse = new SseServer();
    try (HttpBed bed =
        HttpBed.start(RawHttpServer.answering(sse), new JsonObject().put("type", "sse"))) {
      bed.bed().awaitReady(1);
      var call = bed.bed().sendTool(HttpBed.TOOL);
      assertThat(sse.called.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
      sse.cut.release();
      bed.bed().ending(call).failure(FailureCode.UPSTREAM_RESET, Sent.MAYBE);
      bed.bed().awaitReady(2);
      assertThat(bed.bed().text("echo")).isEqualTo("fine");
      assertThat(bed.executed()).hasSize(1);
    }
  }

  /** HTTP+SSE that answers all but the odd tool, and cuts its stream when told. */
  private static final class SseServer implements RawHttpServer.Answer {
    final Semaphore called = new Semaphore(0);
    final Semaphore cut = new Semaphore(0);
    private volatile @Nullable Peer stream;

    @Override
    public void to(Request request, Peer peer) throws IOException {
      if (request.method().equals("GET")) {
        stream = peer;
        peer.stream();
        peer.chunk("event: endpoint\ndata: /messages\n\n");
        while (!cut.tryAcquire()) {
          peer.silenceFor(20);
          synchronized (this) {
            peer.chunk(": still here\n\n");
          }
        }
        peer.close();
      } else if (HttpBed.isCall(request)) {
        peer.reply("202 Accepted", "");
        called.release();
      } else {
        peer.reply("202 Accepted", "");
        if (request.id() >= 0) {
          String result =
              request.calls("initialize")
                  ? "{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{\"tools\":{}},"
                      + "\"serverInfo\":{\"name\":\"n\",\"version\":\"1\"}}"
                  : request.calls("tools/list")
                      ? "{\"tools\":[{\"name\":\"odd\",\"inputSchema\":{}},"
                          + "{\"name\":\"echo\",\"inputSchema\":{}}]}"
                      : "{\"content\":[{\"type\":\"text\",\"text\":\"fine\"}]}";
          String answer =
              request.calls("server/discover")
                  ? RawHttpServer.errorOf(request.id(), -32601, "no")
                  : HttpBed.resultOf(request, result);
          synchronized (this) {
            Objects.requireNonNull(stream).chunk("data: " + answer + "\n\n");
          }
        }
      }
    }
  }

  @Test
  void case_48_a_notification_that_no_blank_line_ends_is_not_heard() {
    try (HttpBed bed =
        HttpBed.calls(
            Era.INITIALIZE,
            (request, peer) -> {
              peer.stream();
              peer.chunk("data: " + HttpBed.textOf(request, "fine") + "\n\n");
              peer.chunk("data: " + notification("notifications/tools/list_changed") + "\n");
              peer.end();
            })) {
      assertThat(bed.call().text()).isEqualTo("fine");
      assertThat(bed.call().text()).isEqualTo("fine");
      assertThat(bed.handshakes("tools/list")).as("not listed again").isEqualTo(1);
      bed.assertUndisturbed();
    }
  }
}
