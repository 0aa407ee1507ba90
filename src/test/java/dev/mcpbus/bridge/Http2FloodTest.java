package dev.mcpbus.bridge;

import static dev.mcpbus.bridge.RawHttp2.CONTINUATION;
import static dev.mcpbus.bridge.RawHttp2.DATA;
import static dev.mcpbus.bridge.RawHttp2.END_HEADERS;
import static dev.mcpbus.bridge.RawHttp2.END_STREAM;
import static dev.mcpbus.bridge.RawHttp2.ENHANCE_YOUR_CALM;
import static dev.mcpbus.bridge.RawHttp2.GO_AWAY;
import static dev.mcpbus.bridge.RawHttp2.HEADERS;
import static dev.mcpbus.bridge.RawHttp2.PING;
import static dev.mcpbus.bridge.RawHttp2.PRIORITY;
import static dev.mcpbus.bridge.RawHttp2.PROTOCOL_ERROR;
import static dev.mcpbus.bridge.RawHttp2.RST_STREAM;
import static dev.mcpbus.bridge.RawHttp2.SETTINGS;
import static dev.mcpbus.bridge.RawHttp2.WINDOW_UPDATE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import dev.mcpbus.internals.ControlFrameLimit;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.Certificates;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * HTTP/2 clients that send frames which cost the server more than the client. Each sends a little
 * more than its limit, so that all of it fits the socket and the GOAWAY can be read.
 */
@ExtendWith(VertxExtension.class)
class Http2FloodTest {

  private static final String CALL = "/api/servers/alpha/ping";
  private static final int RESETS = 200;
  private static final byte[] CANCEL = {0, 0, 0, 8};
  private static final byte[] NOTHING = new byte[4];

  /** What is sent, and the error of the GOAWAY that ends it. */
  enum Flood {
    RAPID_RESET(ENHANCE_YOUR_CALM) {
      @Override
      void send(RawHttp2 http) throws IOException {
        byte[] head = http.head("POST", CALL, "content-length", "0");
        for (int stream = 1; stream < 2 * (RESETS + 10); stream += 2) {
          http.send(HEADERS, END_HEADERS | END_STREAM, stream, head);
          http.send(RST_STREAM, 0, stream, CANCEL);
        }
      }
    },
    RESETS_THAT_WE_ARE_MADE_TO_SEND(ENHANCE_YOUR_CALM) {
      @Override
      void send(RawHttp2 http) throws IOException {
        for (int stream = 1; stream < 2 * (RESETS + 10); stream += 2) {
          http.get(stream, CALL);
          http.send(WINDOW_UPDATE, 0, stream, NOTHING);
        }
      }
    },
    EMPTY_CONTINUATIONS(ENHANCE_YOUR_CALM) {
      @Override
      void send(RawHttp2 http) throws IOException {
        http.send(HEADERS, END_STREAM, 1, http.head("GET", CALL));
        for (int i = 0; i < 20; i++) {
          http.send(CONTINUATION, 0, 1);
        }
      }
    },
    HEADERS_WITHOUT_END(PROTOCOL_ERROR) {
      @Override
      void send(RawHttp2 http) throws IOException {
        http.send(HEADERS, END_STREAM, 1, http.head("GET", CALL));
        ByteArrayOutputStream more = new ByteArrayOutputStream();
        RawHttp2.field(more, "x", "y".repeat(10_000));
        for (int i = 0; i < 4; i++) {
          http.send(CONTINUATION, 0, 1, more.toByteArray());
        }
      }
    },
    PINGS(ENHANCE_YOUR_CALM) {
      @Override
      void send(RawHttp2 http) throws IOException {
        repeat(http, PING, 0, new byte[8]);
      }
    },
    ANSWERS_TO_NO_PING(ENHANCE_YOUR_CALM) {
      @Override
      void send(RawHttp2 http) throws IOException {
        repeat(http, PING, RawHttp2.ACK, new byte[8]);
      }
    },
    EMPTY_SETTINGS(ENHANCE_YOUR_CALM) {
      @Override
      void send(RawHttp2 http) throws IOException {
        repeat(http, SETTINGS, 0);
      }
    },
    PRIORITIES(ENHANCE_YOUR_CALM) {
      @Override
      void send(RawHttp2 http) throws IOException {
        for (int i = 0; i <= ControlFrameLimit.MAX; i++) {
          http.send(PRIORITY, 0, 2 * i + 1, new byte[5]);
        }
      }
    },
    FRAMES_THAT_NOBODY_KNOWS(ENHANCE_YOUR_CALM) {
      @Override
      void send(RawHttp2 http) throws IOException {
        repeat(http, 0x55, 0);
      }
    },
    EMPTY_DATA(ENHANCE_YOUR_CALM) {
      @Override
      void send(RawHttp2 http) throws IOException {
        http.send(HEADERS, END_HEADERS, 1, http.head("POST", CALL));
        for (int i = 0; i < 5; i++) {
          http.send(DATA, 0, 1);
        }
      }
    };

    private final int error;

    Flood(int error) {
      this.error = error;
    }

    abstract void send(RawHttp2 http) throws IOException;

    private static void repeat(RawHttp2 http, int type, int flags, byte... payload)
        throws IOException {
      for (int i = 0; i <= ControlFrameLimit.MAX; i++) {
        http.send(type, flags, 0, payload);
      }
    }
  }

  @TempDir static Path folder;
  private static BridgeOptions options;
  private static Path certificate;

  private BridgeFixture bridge;

  @BeforeAll
  static void certificates() {
    Certificates certificates = new Certificates(folder).selfSigned("front", "dns:localhost");
    certificate = certificates.certificate("front", "front.crt");
    options =
        RecordCopy.with(
            BridgeOptions.DEFAULT.withPort(0),
            "tls",
            new BridgeTlsOptions(certificate, certificates.key("front", "front.key")));
  }

  @BeforeEach
  void start(Vertx vertx) {
    start(vertx, options);
  }

  private void start(Vertx vertx, BridgeOptions with) {
    bridge = new BridgeFixture(vertx, with);
    bridge.on("mcp.alpha.ping", "{}");
  }

  private RawHttp2 connect(int... settings) throws IOException, GeneralSecurityException {
    return RawHttp2.connect(bridge.port, certificate, settings);
  }

  private static boolean isServed(RawHttp2 http, int stream) throws IOException {
    http.get(stream, "/health/live");
    http.flush();
    return Objects.requireNonNull(http.await(HEADERS), "an answer").isOk();
  }

  /** The error of the GOAWAY that a flood is ended with. */
  private int flood(Flood flood) throws IOException, GeneralSecurityException {
    try (RawHttp2 http = connect()) {
      flood.send(http);
      http.flush();
      int error = Objects.requireNonNull(http.await(GO_AWAY), "GOAWAY").error();
      assertThat(http.await(GO_AWAY)).as("the end of the connection").isNull();
      return error;
    }
  }

  @ParameterizedTest
  @EnumSource(Flood.class)
  void a_flood_ends_its_connection_and_others_are_served_meanwhile(Flood flood)
      throws IOException, GeneralSecurityException {
    AtomicBoolean enough = new AtomicBoolean();
    CompletableFuture<Integer> error =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                int last = flood(flood);
                for (int i = 0; i < 50 && !enough.get(); i++) {
                  last = flood(flood);
                }
                return last;
              } catch (IOException | GeneralSecurityException e) {
                throw new AssertionError(e);
              }
            });
    try (RawHttp2 other = connect()) {
      for (int stream = 1; stream < 200; stream += 2) {
        assertThat(isServed(other, stream)).as("the other client").isTrue();
      }
    } finally {
      enough.set(true);
    }
    assertThat(error.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(flood.error);
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> bridge.bridge.connections() == 0);
  }

  @Test
  void of_requests_that_are_taken_back_at_once_no_more_reach_the_bus_than_may_be_taken_back()
      throws IOException, GeneralSecurityException {
    flood(Flood.RAPID_RESET);
    assertThat(bridge.seen).hasSizeLessThanOrEqualTo(RESETS + 1);
  }

  @Test
  void headers_beyond_the_cap_reset_their_stream_and_the_connection_goes_on()
      throws IOException, GeneralSecurityException {
    try (RawHttp2 http = connect()) {
      String half = "y".repeat(8_200);
      byte[] head = http.head("GET", CALL, "x", half, "y", half); // more than 16, less than 20 KiB
      http.send(HEADERS, END_STREAM, 1, Arrays.copyOf(head, 16_000));
      http.send(CONTINUATION, END_HEADERS, 1, Arrays.copyOfRange(head, 16_000, head.length));
      http.flush();
      assertThat(Objects.requireNonNull(http.await(RST_STREAM), "a reset").stream()).isEqualTo(1);
      assertThat(isServed(http, 3)).isTrue();
    }
    assertThat(bridge.seen).isEmpty();
  }

  @Test
  void streams_above_the_limit_are_refused_one_by_one()
      throws IOException, GeneralSecurityException {
    try (RawHttp2 http = connect()) {
      byte[] head = http.head("POST", CALL);
      for (int i = 0; i < 101; i++) {
        http.send(HEADERS, END_HEADERS, 2 * i + 1, head); // its body never comes
      }
      http.flush();
      RawHttp2.Frame reset = Objects.requireNonNull(http.await(RST_STREAM), "a reset");
      assertThat(reset.stream()).isEqualTo(201);
      assertThat(reset.error()).isEqualTo(RawHttp2.REFUSED_STREAM);
    }
  }

  @Test
  void a_client_that_opens_no_window_for_an_answer_loses_it_even_if_it_sends_more_requests(
      Vertx vertx) throws IOException, GeneralSecurityException {
    start(vertx, RecordCopy.with(options, "receiveTimeout", Duration.ofMillis(300)));
    try (RawHttp2 http = connect(RawHttp2.INITIAL_WINDOW, 0)) {
      http.get(1, "/openapi.json");
      http.flush();
      long until = System.nanoTime() + Duration.ofSeconds(10).toNanos();
      int stream = 1;
      RawHttp2.Frame frame = http.read();
      while (frame != null && frame.type() != RST_STREAM && System.nanoTime() < until) {
        if (frame.type() == HEADERS) {
          stream += 2;
          http.get(stream, "/health/live");
          http.send(WINDOW_UPDATE, 0, stream, new byte[] {0, 0, 1, 0});
          http.send(WINDOW_UPDATE, 0, 0, new byte[] {0, 0, 1, 0}); // the connection stays open
          http.flush();
        }
        frame = http.read();
      }
      assertThat(Objects.requireNonNull(frame, "a frame").type()).isEqualTo(RST_STREAM);
      assertThat(frame.stream()).isEqualTo(1);
    }
  }
}
