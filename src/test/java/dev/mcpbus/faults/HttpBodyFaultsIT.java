package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.testing.RawHttpServer;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults 44 to 46 and 53 to 55: bodies that are not what they must be. */
class HttpBodyFaultsIT {

  private static final String JSON = "Content-Type: application/json";
  private static final String CHUNKED = "Transfer-Encoding: chunked";

  /** Small enough that a test reaches it at once, large enough for a handshake. */
  private static JsonObject small() {
    return new JsonObject().put("limits", new JsonObject().put("maxMessageBytes", 16_384));
  }

  private static void expect(
      Era era, RawHttpServer.Answer calls, JsonObject more, FailureCode code) {
    try (HttpBed bed = HttpBed.calls(era, calls, more)) {
      bed.failure(code, Sent.MAYBE);
      assertThat(bed.executed()).as("sent once").hasSize(1);
      bed.assertUndisturbed();
    }
  }

  private static void expect(RawHttpServer.Answer calls, FailureCode code) {
    for (Era era : Era.values()) {
      expect(era, calls, new JsonObject(), code);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {10, -10})
  void case_44_a_wrong_content_length_is_a_protocol_error(int off) {
    expect(
        (request, peer) -> {
          String body = HttpBed.textOf(request, "fine");
          peer.head("200 OK", JSON, "Content-Length: " + (body.length() + off));
          peer.send(body);
          peer.close();
        },
        FailureCode.PROTOCOL_ERROR);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1e3", "0x10", "99999999999999999999", "12, 13"})
  void case_44_a_content_length_that_is_no_length_is_refused(String length) {
    expect(
        (request, peer) -> {
          peer.head("200 OK", JSON, "Content-Length: " + length);
          peer.send(HttpBed.textOf(request, "fine"));
          peer.close();
        },
        FailureCode.PROTOCOL_ERROR);
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_45_endless_chunks_end_at_the_cap(Era era) {
    expect(
        era,
        (request, peer) -> {
          peer.head("200 OK", JSON, CHUNKED);
          while (true) {
            peer.chunk(" ".repeat(512));
          }
        },
        small(),
        FailureCode.LIMIT_EXCEEDED);
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_45_endless_small_chunks_end_at_the_deadline(Era era) {
    try (HttpBed bed =
        HttpBed.calls(
            era,
            (request, peer) -> {
              peer.head("200 OK", JSON, CHUNKED);
              while (true) {
                peer.chunk(" ");
                peer.silenceFor(20);
              }
            })) {
      Ending ending = bed.callWithin(300);
      ending.failure(FailureCode.CALL_TIMEOUT, Sent.MAYBE);
      assertThat(ending.millis()).isGreaterThanOrEqualTo(250L);
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_45_an_announced_length_over_the_cap_is_refused_before_the_body() {
    expect(
        Era.INITIALIZE,
        (request, peer) -> {
          peer.head("200 OK", JSON, "Content-Length: 999999999");
          peer.silence();
        },
        small(),
        FailureCode.LIMIT_EXCEEDED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "deflate", "br", "zstd", "gzip, gzip"})
  void case_46_a_compressed_bomb_is_never_unpacked(String encoding) throws IOException {
    ByteArrayOutputStream bomb = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bomb)) {
      gzip.write(new byte[10_000_000]);
    }
    expect(
        (request, peer) -> {
          assertThat(request.headers()).doesNotContainKey("accept-encoding");
          peer.head(
              "200 OK", JSON, "Content-Encoding: " + encoding, "Content-Length: " + bomb.size());
          peer.send(bomb.toByteArray());
        },
        FailureCode.PROTOCOL_ERROR);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":NaN}",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"n\":Infinity}}",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}}x",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}}{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}}",
        "[{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{}}]",
        "{'jsonrpc':'2.0','id':ID,'result':{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"ID\",\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":77777,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":[]}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"a\":\"\\uD8"
      })
  void case_53_what_is_not_strict_json_rpc_is_a_protocol_error(String body) {
    expect(
        (request, peer) -> peer.json(body.replace("ID", String.valueOf(request.id()))),
        FailureCode.PROTOCOL_ERROR);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{\"a\":"})
  void case_54_ten_thousand_levels_are_refused_and_nothing_overflows(String level) {
    String close = level.equals("[") ? "]" : "}";
    expect(
        (request, peer) ->
            peer.json(
                HttpBed.resultOf(
                    request,
                    "{\"deep\":" + level.repeat(10_000) + "1" + close.repeat(10_000) + "}")),
        FailureCode.LIMIT_EXCEEDED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"ID\":ID,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"Id\":1,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"id\":ID,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{},\"Result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{},\"result\":{}}"
      })
  void case_55_duplicate_and_case_varied_keys_are_refused(String body) {
    expect(
        (request, peer) -> peer.json(body.replace(":ID", ":" + request.id())),
        FailureCode.PROTOCOL_ERROR);
  }

  @Test
  void case_55_a_number_of_a_million_digits_is_over_the_limit() {
    expect(
        (request, peer) ->
            peer.json(HttpBed.resultOf(request, "{\"n\":" + "9".repeat(1_000_000) + "}")),
        FailureCode.LIMIT_EXCEEDED);
  }
}
