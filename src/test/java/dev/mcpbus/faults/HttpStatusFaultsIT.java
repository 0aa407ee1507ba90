package dev.mcpbus.faults;

import static dev.mcpbus.testing.RawHttpServer.errorOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.RawHttpServer.Request;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults 33 to 43: statuses that are not what was hoped for. */
class HttpStatusFaultsIT {

  private static final String JSON = "Content-Type: application/json";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "301 Moved Permanently",
        "302 Found",
        "303 See Other",
        "307 Temporary Redirect",
        "308 Permanent Redirect"
      })
  void case_33_a_redirect_of_a_call_across_origins_is_refused_and_gets_no_credentials(
      String status) {
    try (RawHttpServer other = HttpBed.serve(Era.INITIALIZE, (request, peer) -> false);
        HttpBed bed =
            HttpBed.calls(
                Era.INITIALIZE,
                (request, peer) -> peer.reply(status, "", "Location: " + other.url()),
                headers())) {
      McpFailure failure = bed.failure(FailureCode.PROTOCOL_ERROR, Sent.NO);
      assertThat(failure).hasMessageContaining("http://127.0.0.1:" + other.port());
      assertThat(failure).hasMessageNotContaining("canary");
      assertThat(other.accepted()).isZero();
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_33_a_redirect_of_the_handshake_across_origins_is_refused() {
    try (RawHttpServer other = HttpBed.serve(Era.INITIALIZE, (request, peer) -> false);
        HttpBed bed =
            HttpBed.start(
                Era.INITIALIZE,
                (request, peer) -> {
                  peer.reply("307 Temporary Redirect", "", "Location: " + other.url());
                  return true;
                },
                headers())) {
      assertThat(bed.failure(FailureCode.HANDSHAKE_FAILED, Sent.NO)).hasMessageContaining("307");
      assertThat(other.accepted()).isZero();
    }
  }

  @Test
  void case_33_a_redirect_within_the_origin_is_followed_with_credentials() {
    try (HttpBed bed =
        HttpBed.ready(
            Era.INITIALIZE,
            (request, peer) -> {
              boolean old = request.path().equals("/mcp");
              if (old) {
                peer.reply("307 Temporary Redirect", "", "Location: /moved");
              }
              return old;
            },
            headers())) {
      assertThat(bed.call().text()).isEqualTo("fine");
      assertThat(bed.server().requests())
          .allSatisfy(
              request ->
                  assertThat(request.headers()).containsEntry("authorization", "Bearer canary"));
      bed.assertUndisturbed();
    }
  }

  private static JsonObject headers() {
    return new JsonObject().put("headers", new JsonObject().put("Authorization", "Bearer canary"));
  }

  @Test
  void case_34_a_400_with_an_error_of_the_modern_range_renegotiates() {
    AtomicBoolean changed = new AtomicBoolean();
    AtomicInteger sessions = new AtomicInteger();
    HttpBed.Odd odd =
        (request, peer) -> {
          boolean initialize =
              request.calls("initialize") || request.headers().containsKey("mcp-session-id");
          if (!changed.get() || request.id() < 0) {
            return false;
          }
          if (request.calls("initialize")) {
            peer.json(
                HttpBed.resultOf(
                    request,
                    "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
                        + "\"serverInfo\":{\"name\":\"n\",\"version\":\"1\"}}"),
                "Mcp-Session-Id: l" + sessions.incrementAndGet());
            return true;
          }
          if (!initialize) {
            peer.reply("400 Bad Request", unsupported(request), JSON);
          }
          return !initialize;
        };
    try (HttpBed bed = HttpBed.ready(Era.DISCOVER, odd)) {
      assertThat(bed.call().text()).isEqualTo("fine");
      changed.set(true);
      McpFailure refused = bed.failure(FailureCode.UPSTREAM_ERROR, Sent.MAYBE);
      assertThat(refused.data().getJsonObject("error").getInteger("code")).isEqualTo(-32022);
      bed.bed().awaitReady(2);
      assertThat(bed.call().text()).isEqualTo("fine");
      assertThat(bed.handshakes("initialize")).isEqualTo(1);
    }
  }

  private static String unsupported(Request request) {
    return "{\"jsonrpc\":\"2.0\",\"id\":"
        + request.id()
        + ",\"error\":{\"code\":-32022,\"message\":\"unsupported\",\"data\":"
        + "{\"supported\":[\"2025-11-25\"],\"requested\":\"2026-07-28\"}}}";
  }

  @Test
  void case_34_an_empty_400_to_the_probe_means_an_initialize_server() {
    try (HttpBed bed =
        HttpBed.ready(
            Era.INITIALIZE,
            (request, peer) -> {
              boolean probe = request.calls("server/discover");
              if (probe) {
                peer.reply("400 Bad Request", "");
              }
              return probe;
            })) {
      assertThat(bed.call().text()).isEqualTo("fine");
      assertThat(bed.handshakes("initialize")).isEqualTo(1);
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_35_a_401_without_oauth_is_auth_required_and_says_where_from(Era era) {
    try (HttpBed bed =
        HttpBed.calls(
            era,
            (request, peer) ->
                peer.reply(
                    "401 Unauthorized",
                    "",
                    "WWW-Authenticate: Bearer realm=\"r1\", token=\"canary\""))) {
      McpFailure failure = bed.failure(FailureCode.AUTH_REQUIRED, Sent.NO);
      assertThat(failure).hasMessageContaining("realm=\"r1\"").hasMessageNotContaining("canary");
      assertThat(bed.executed()).hasSize(1);
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_36_a_403_for_scope_is_forbidden_and_not_tried_again(Era era) {
    try (HttpBed bed =
        HttpBed.calls(
            era,
            (request, peer) ->
                peer.reply(
                    "403 Forbidden",
                    "",
                    "WWW-Authenticate: Bearer error=\"insufficient_scope\""))) {
      assertThat(bed.failure(FailureCode.FORBIDDEN, Sent.NO))
          .hasMessageContaining("insufficient_scope");
      assertThat(bed.executed()).hasSize(1);
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_37_a_lost_session_is_opened_anew_once_and_other_calls_go_on() {
    CountDownLatch finish = new CountDownLatch(1);
    AtomicBoolean lost = new AtomicBoolean();
    AtomicInteger held = new AtomicInteger();
    try (HttpBed bed =
        HttpBed.calls(
            Era.INITIALIZE,
            (request, peer) -> {
              boolean old = "s1".equals(request.headers().get("mcp-session-id"));
              if (lost.get() && old) {
                peer.reply("404 Not Found", "");
              } else if (old) {
                held.incrementAndGet();
                HttpBed.await(finish);
                HttpBed.text(request, peer, "held");
              } else {
                HttpBed.text(request, peer, "anew");
              }
            })) {
      Future<Ending> first = bed.bed().sendTool(HttpBed.TOOL);
      FaultBed.until("the call to be held").until(() -> held.get() == 1);
      lost.set(true);
      List<Future<Ending>> repeated = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        repeated.add(bed.bed().sendTool(HttpBed.TOOL));
      }
      assertThat(first.isComplete()).as("the other call goes on").isFalse();
      finish.countDown();
      assertThat(bed.bed().ending(first).text()).isEqualTo("held");
      bed.bed().awaitReady(2);
      repeated.forEach(call -> assertThat(bed.bed().ending(call).text()).isEqualTo("anew"));
      assertThat(bed.call().text()).isEqualTo("anew");
      assertThat(bed.handshakes("initialize")).as("coalesced").isEqualTo(2);
      assertThat(bed.bed().status().getLong("epoch")).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_38_a_404_with_method_not_found_is_the_servers_word_and_resets_nothing(Era era) {
    try (HttpBed bed =
        HttpBed.calls(
            era,
            (request, peer) ->
                peer.reply(
                    "404 Not Found", errorOf(request.id(), -32601, "no such method"), JSON))) {
      for (int i = 0; i < 2; i++) {
        McpFailure failure = bed.failure(FailureCode.UPSTREAM_ERROR, Sent.MAYBE);
        assertThat(failure.toJsonRpcError().getInteger("code")).isEqualTo(-32601);
      }
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_39_a_server_without_a_get_stream_is_asked_once_and_serves() {
    try (HttpBed bed = HttpBed.ready(Era.INITIALIZE, (request, peer) -> false)) {
      for (int i = 0; i < 3; i++) {
        assertThat(bed.call().text()).isEqualTo("fine");
      }
      FaultBed.until("the GET").until(() -> !bed.server().requests("GET").isEmpty());
      assertThat(bed.call().text()).isEqualTo("fine");
      assertThat(bed.server().requests("GET")).hasSize(1);
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "INITIALIZE,413 Content Too Large,LIMIT_EXCEEDED,NO",
    "DISCOVER,413 Content Too Large,LIMIT_EXCEEDED,NO",
    "INITIALIZE,414 URI Too Long,LIMIT_EXCEEDED,NO",
    "INITIALIZE,431 Request Header Fields Too Large,LIMIT_EXCEEDED,NO",
    "DISCOVER,431 Request Header Fields Too Large,LIMIT_EXCEEDED,NO"
  })
  void case_40_too_large_for_the_server_is_a_limit(
      Era era, String status, FailureCode code, Sent sent) {
    status(era, status, code, sent);
  }

  @ParameterizedTest
  @CsvSource({
    "INITIALIZE,500 Oops,UPSTREAM_RESET,MAYBE",
    "INITIALIZE,502 Bad Gateway,UPSTREAM_RESET,MAYBE",
    "INITIALIZE,503 Busy,UPSTREAM_RESET,MAYBE",
    "INITIALIZE,504 Gateway Timeout,UPSTREAM_RESET,MAYBE",
    "DISCOVER,500 Oops,UPSTREAM_RESET,MAYBE",
    "DISCOVER,503 Busy,UPSTREAM_RESET,MAYBE"
  })
  void case_42_a_server_error_may_have_had_an_effect(
      Era era, String status, FailureCode code, Sent sent) {
    status(era, status, code, sent);
  }

  private static void status(Era era, String status, FailureCode code, Sent sent) {
    try (HttpBed bed =
        HttpBed.calls(era, (request, peer) -> peer.reply(status, "<html>no</html>"))) {
      assertThat(bed.failure(code, sent)).hasMessageContaining(status.substring(0, 3));
      assertThat(bed.executed()).as("sent once").hasSize(1);
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "7,7000,7000",
    "0,0,0",
    "999999999999999999999,3600000,3600000",
    "soon,-1,-1",
    "-5,-1,-1",
    "1.5,-1,-1",
    "DATE+90,60000,90000",
    "DATE-90,0,0",
    "DATE+9999999,3600000,3600000",
    "'Fri, 99 Foo 2026 99:99:99 GMT',-1,-1"
  })
  void case_41_a_429_says_when_to_try_again_within_an_hour(String value, long least, long most) {
    try (HttpBed bed =
        HttpBed.calls(
            Era.INITIALIZE,
            (request, peer) ->
                peer.reply("429 Too Many Requests", "", "Retry-After: " + retryAfter(value)))) {
      McpFailure failure = bed.failure(FailureCode.RATE_LIMITED, Sent.NO);
      assertThat(failure.retryAfterMillis()).isBetween(least, most);
      assertThat(bed.executed()).hasSize(1);
      bed.assertUndisturbed();
    }
  }

  private static String retryAfter(String value) {
    return value.startsWith("DATE")
        ? ZonedDateTime.now(ZoneOffset.UTC)
            .plusSeconds(Long.parseLong(value.substring(4)))
            .format(DateTimeFormatter.RFC_1123_DATE_TIME)
        : value;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n",
        "SSH-2.0-OpenSSH_9.0\r\n\r\n"
      })
  void case_43_what_is_no_reply_to_a_request_is_a_protocol_error(String bytes) {
    for (Era era : Era.values()) {
      try (HttpBed bed = HttpBed.calls(era, (request, peer) -> peer.send(bytes))) {
        bed.failure(FailureCode.PROTOCOL_ERROR, Sent.MAYBE);
        assertThat(bed.executed()).hasSize(1);
        bed.assertUndisturbed();
      }
    }
  }

  @Test
  void case_43_a_web_page_instead_of_a_handshake_asks_whether_the_url_is_right() {
    try (HttpBed bed =
        HttpBed.start(
            Era.INITIALIZE,
            (request, peer) -> {
              peer.reply("200 OK", "<html>welcome</html>", "Content-Type: text/html");
              return true;
            },
            new JsonObject())) {
      assertThat(bed.failure(FailureCode.HANDSHAKE_FAILED, Sent.NO))
          .hasMessageStartingWith("HTTP 200 with text/html from http://127.0.0.1:")
          .hasMessageEndingWith(
              "in place of an MCP message: is this the URL of the MCP endpoint? Its path is often"
                  + " /mcp or /sse");
      assertThat(bed.server().requests()).noneMatch(HttpBed::isCall);
      assertThat(bed.server().requests()).extracting(Request::method).contains("POST");
    }
  }
}
