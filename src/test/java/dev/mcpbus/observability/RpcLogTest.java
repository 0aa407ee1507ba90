package dev.mcpbus.observability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.protocol.MessageTap;
import dev.mcpbus.protocol.MessageTap.Direction;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.protocol.Sensitive;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class RpcLogTest {

  private static final ConnectionId ALPHA = new ConnectionId("alpha");
  private static final String CANARY = "c4n\"a\\ry &+/\u00fc?x=1";

  private final Logger logger = (Logger) LoggerFactory.getLogger(RpcLog.LOGGER);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void listen() {
    lines.start();
    logger.setAdditive(false);
    logger.addAppender(lines);
  }

  @AfterEach
  void leave() {
    logger.detachAppender(lines);
    logger.setAdditive(true);
    logger.setLevel(null);
  }

  private String log(String message, Collection<String> secrets) {
    RawJson raw = RawJson.of(message);
    byte[] before = raw.array().clone();
    RpcLog.toLog(ALPHA, Redactor.of(Sensitive.all(secrets))).message(Direction.SENT, raw);
    assertThat(raw.array()).isEqualTo(before);
    assertThat(lines.list).isNotEmpty();
    return lines.list.get(lines.list.size() - 1).getFormattedMessage();
  }

  @Test
  void a_message_is_one_line_with_server_and_direction() {
    MessageTap tap = RpcLog.toLog(ALPHA, Redactor.NONE);
    String odd = "{\"z\" :1.50e+2,\"a\":12345678901234567890123,\"\\u0061\":[ ]}";

    tap.message(Direction.SENT, RawJson.of(odd));
    tap.message(Direction.RECEIVED, RawJson.of("{\n\"a\":\r\n1}"));

    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly("alpha -> " + odd, "alpha <- {\\n\"a\":\\r\\n1}");
    assertThat(lines.list).extracting(ILoggingEvent::getLevel).containsOnly(Level.INFO);
  }

  @Test
  void a_silenced_log_shows_nothing() {
    logger.setLevel(Level.WARN);

    RpcLog.toLog(ALPHA, Redactor.NONE).message(Direction.SENT, RawJson.of("{}"));

    assertThat(lines.list).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "authorization",
        "Authorization",
        "x-authorization",
        "access_token",
        "refreshToken",
        "TOKEN",
        "client-secret",
        "PASSWORD",
        "user_password",
        "api_key",
        "API-KEY",
        "x-api-key",
        "apiKey",
        "Cookie",
        "set-cookie",
        "private_key",
        "privateKey",
        "to\\u006ben",
        "pwd",
        "pass",
        "passcode",
        "pin",
        "otp",
        "signature",
        "session",
        "webhook",
        "connectionString",
        "dsn",
        "jwt",
        "bearer",
        "accessKey",
        "mnemonic"
      })
  void members_that_sound_secret_lose_their_value(String name) {
    for (String value :
        List.of(
            "\"canary-1\"",
            "{\"a\":[\"canary-1\",{\"b\":\"}canary-1\"}]}",
            "[[\"canary-1\"]]",
            "\"a\\\"canary-1\"")) {
      String masked =
          log("{\"a\":[{\"b\":{\"" + name + "\" : " + value + " ,\"c\":1}}]}", List.of());

      assertThat(masked)
          .isEqualTo("alpha -> {\"a\":[{\"b\":{\"" + name + "\" : \"***\" ,\"c\":1}}]}");
    }
    assertThat(log("{\"" + name + "\":77001,\"c\":true}", List.of()))
        .isEqualTo("alpha -> {\"" + name + "\":\"***\",\"c\":true}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"progressToken", "maxTokens", "key", "author", "spinner", "value", ""})
  void harmless_members_stay(String name) {
    String message = "{\"" + name + "\":\"x\"}";

    assertThat(log(message, List.of())).isEqualTo("alpha -> " + message);
  }

  @Test
  void members_are_also_found_in_json_that_a_text_carries() {
    String inner = new JsonObject().put("password", "canary-1").put("ok", 1).encode();
    String middle = new JsonObject().put("inner", inner).encode();
    String message = new JsonObject().put("text", " " + middle).encode();

    assertThat(log(message, List.of())).doesNotContain("canary").contains("***", "ok");
  }

  @Test
  void the_connections_own_values_are_found_in_every_form() {
    byte[] bytes = CANARY.getBytes(StandardCharsets.UTF_8);
    StringBuilder unicode = new StringBuilder();
    CANARY.chars().forEach(c -> unicode.append(String.format("\\u%04x", c)));
    List<String> forms =
        List.of(
            Json.encode(CANARY),
            Json.encode("before" + CANARY + "after"),
            "\"" + unicode + "\"",
            Json.encode(Json.encode(CANARY)),
            Json.encode(URLEncoder.encode(CANARY, StandardCharsets.UTF_8)),
            Json.encode(
                URLEncoder.encode(CANARY, StandardCharsets.UTF_8)
                    .replace("+", "%20")
                    .replace("%C3%BC", "%c3%bc")
                    .replace("%2F", "%2f")
                    .replace("%2B", "%2b")
                    .replace("%3F", "%3f")
                    .replace("%3D", "%3d")
                    .replace("%5C", "%5c")),
            Json.encode(Base64.getEncoder().encodeToString(bytes)),
            Json.encode(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes)),
            Json.encode(
                Base64.getEncoder()
                    .encodeToString(("u:" + CANARY).getBytes(StandardCharsets.UTF_8))),
            Json.encode(
                Base64.getEncoder()
                    .encodeToString(("us:" + CANARY + "!").getBytes(StandardCharsets.UTF_8))));
    String core = Base64.getEncoder().encodeToString(bytes).substring(4, 20);
    for (String form : forms) {
      for (String message : List.of("{\"text\":" + form + "}", "{" + form + ":1}", form)) {
        String masked = log(message, List.of(CANARY));

        assertThat(masked)
            .as(message)
            .contains("***")
            .doesNotContain("c4n", "ry &", "\\u0063\\u0034", "a%5C", "ry+%26", core, form);
      }
    }
  }

  @Test
  void a_header_is_also_known_by_what_follows_its_scheme() {
    String basic =
        Base64.getEncoder().encodeToString("user:hunter22".getBytes(StandardCharsets.UTF_8));
    List<String> secrets = List.of("Bearer canary-1", "Basic " + basic);

    String masked = log("{\"a\":\"canary-1\",\"b\":\"hunter22\",\"c\":\"" + basic + "\"}", secrets);

    assertThat(masked).isEqualTo("alpha -> {\"a\":\"***\",\"b\":\"***\",\"c\":\"***\"}");
  }

  @Test
  void numbers_and_short_values_are_known_too_and_tiny_ones_are_not() {
    assertThat(
            log("{\"n\":12345678,\"s\":\"abcd\",\"t\":\"abc\"}", List.of("345678", "abcd", "abc")))
        .isEqualTo("alpha -> {\"n\":12345678,\"s\":\"***\",\"t\":\"abc\"}");
  }

  @Test
  void of_two_secrets_one_inside_the_other_nothing_is_left() {
    assertThat(log("{\"a\":\"canary-long-tail\"}", List.of("canary", "canary-long-tail")))
        .isEqualTo("alpha -> {\"a\":\"***\"}");
  }

  @Test
  void a_long_message_is_cut_with_a_note() {
    String message = "{\"a\":\"" + "x".repeat(200_000) + "\"}";

    String line = log(message, List.of());

    assertThat(line).hasSizeLessThan(66_000).endsWith(" ...[cut: 200008 bytes in all]");
  }

  @Test
  void no_part_of_a_secret_stands_before_the_cut() {
    String secret = "canary-" + "0123456789".repeat(5);
    for (int i = 0; i <= secret.length() + 1; i++) {
      String head = "{\"a\":\"" + "x".repeat(64 * 1024 - 6 - i);
      for (String tail : List.of(secret, Json.encode(secret).replace("c", "\\u0063"))) {
        String line = log(head + tail + "y".repeat(100) + "\"}", List.of(secret));
        assertThat(line).contains("cut: ").doesNotContain("canary", "\\u0063anary", "xc");
      }
      String number = "{\"a\":\"" + "x".repeat(64 * 1024 - 20 - i) + "\",\"n\": 77001234567}    ";
      assertThat(log(number + " ".repeat(80), List.of("77001234567"))).doesNotContain("770");
      String named = "{\"a\":\"" + "x".repeat(64 * 1024 - 20 - i) + "\",\"token\": \"canary-1\"}";
      assertThat(log(named + " ".repeat(80), List.of())).doesNotContain("canar");
    }
  }

  @Test
  void control_characters_and_marks_do_not_reach_the_terminal() {
    String line = log("{\"a\":\"\u007f\u009b\u2028\u202e\u200b\u00e9\"}", List.of());

    assertThat(line).isEqualTo("alpha -> {\"a\":\"\\u007f\\u009b\\u2028\\u202e\\u200b\u00e9\"}");
    assertThat(log("{\"a\":\"" + (char) 27 + "[2J\n\"}", List.of()))
        .isEqualTo("alpha -> {\"a\":\"\\u001b[2J\\n\"}");
  }

  @Test
  void no_text_whatever_makes_it_fail() {
    Random random = new Random(7);
    String alphabet = "\"\"\\{}[]:,u0 \ncanry*token";
    MessageTap tap =
        RpcLog.toLog(ALPHA, Redactor.of(Sensitive.all(List.of("canary", "{\"a\"", "\\\\\\\\"))));
    for (int i = 0; i < 20_000; i++) {
      StringBuilder text = new StringBuilder("{\"token\":");
      int length = random.nextInt(60);
      for (int j = 0; j < length; j++) {
        text.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      RawJson message = RawJson.of(text.toString());
      assertThatCode(() -> tap.message(Direction.RECEIVED, message)).doesNotThrowAnyException();
    }
    assertThat(lines.list).hasSize(20_000).noneMatch(e -> e.getLevel() == Level.WARN);
    assertThat(lines.list).noneMatch(e -> e.getFormattedMessage().contains("canary"));
  }

  @Test
  void deep_nesting_is_only_a_text() {
    String message = "[".repeat(60_000) + "{\"token\":" + "[".repeat(1_000);

    assertThat(log(message, List.of())).contains("\"***\"");
  }

  @ExtendWith(VertxExtension.class)
  @Test
  void on_the_bus_a_message_comes_with_direction_server_and_time(Vertx vertx) throws Exception {
    Promise<JsonObject> seen = Promise.promise();
    vertx.eventBus().<JsonObject>consumer(Addresses.RPC, m -> seen.tryComplete(m.body()));
    InstantSource clock = InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z"));

    RpcLog.toBus(vertx, ALPHA, Map.of(), Redactor.of(List.of(Sensitive.of("canary-1"))), clock)
        .message(Direction.RECEIVED, RawJson.of("{\"a\":\"canary-1\"}"));

    JsonObject event =
        seen.future().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    assertThat(event)
        .isEqualTo(
            new JsonObject()
                .put("direction", "received")
                .put("server", "alpha")
                .put("time", "2026-01-02T03:04:05Z")
                .put("message", "{\"a\":\"***\"}"));
  }

  @ExtendWith(VertxExtension.class)
  @Test
  void a_bus_that_fails_does_not_fail_the_call(Vertx vertx) {
    InstantSource broken =
        () -> {
          throw new IllegalStateException("canary");
        };

    assertThatCode(
            () ->
                RpcLog.toBus(vertx, ALPHA, Map.of(), Redactor.NONE, broken)
                    .message(Direction.SENT, RawJson.of("{}")))
        .doesNotThrowAnyException();
    assertThat(lines.list).hasSize(1).allMatch(e -> !e.getFormattedMessage().contains("canary"));
  }
}
