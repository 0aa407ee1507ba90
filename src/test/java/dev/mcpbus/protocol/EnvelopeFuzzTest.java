package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.mcpbus.testing.Fuzz;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is read of a message is what every other parser reads of it, whichever member it takes. */
class EnvelopeFuzzTest {

  private static final int TRIALS = 30_000;
  private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final JsonFactory FACTORY = new JsonFactory();
  private static final JsonFactory STRICT =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  /** The same value, as a reader takes it that keeps the first of two members, or the last. */
  private static @Nullable Object read(byte[] json, boolean first) throws IOException {
    try (JsonParser parser = FACTORY.createParser(json)) {
      parser.nextToken();
      return value(parser, first);
    }
  }

  private static @Nullable Object value(JsonParser parser, boolean first) throws IOException {
    switch (parser.currentToken()) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
          String name = parser.currentName();
          parser.nextToken();
          Object value = value(parser, first);
          if (!first || !members.containsKey(name)) {
            members.put(name, value);
          }
        }
        return members;
      }
      case START_ARRAY -> {
        List<@Nullable Object> elements = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          elements.add(value(parser, first));
        }
        return elements;
      }
      case VALUE_STRING -> {
        return parser.getText();
      }
      default -> {
        return parser.currentToken() + " " + parser.getText();
      }
    }
  }

  @SuppressWarnings("unchecked") // it was parsed as an object
  private static Map<String, Object> object(byte[] json, boolean first) throws IOException {
    return (Map<String, Object>) Objects.requireNonNull(read(json, first));
  }

  @Test
  void every_reader_reads_the_same_of_a_message_that_is_taken() {
    AtomicInteger taken = new AtomicInteger();
    Fuzz.run(
        TRIALS,
        random -> {
          byte[] bytes = Fuzz.bytes(random, Fuzz.message(random));
          long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
          Envelope message;
          try {
            message = Envelope.parse(bytes, 0, bytes.length, ParseLimits.DEFAULT);
          } catch (ProtocolException refused) {
            return;
          } finally {
            long took = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before;
            assertThat(took).isLessThan(SLOW_NANOS);
          }
          taken.incrementAndGet();
          boolean request =
              message.kind() == Envelope.Kind.REQUEST
                  || message.kind() == Envelope.Kind.NOTIFICATION;
          assertThat(request && isRefused(bytes)).isFalse();
          if (isRefused(bytes)) {
            return; // what a result only carries
          }
          Map<String, Object> first = object(bytes, true);
          Map<String, Object> last = object(bytes, false);
          if (request) {
            assertThat(last).isEqualTo(first);
            assertThat(message.method()).isEqualTo(last.get("method"));
            same(message.params(), last.getOrDefault("params", Map.of()));
          } else if (message.kind() == Envelope.Kind.ERROR) {
            same(message.payload(), last.get("error"));
          } else if (message.payload().isObject()) {
            Map<?, ?> theirs = (Map<?, ?>) Objects.requireNonNull(last.get("result"));
            Map<?, ?> ours = (Map<?, ?>) Objects.requireNonNull(first.get("result"));
            for (String name : List.of("resultType", "_meta")) {
              assertThat(ours.get(name)).isEqualTo(theirs.get(name));
            }
          }
        });
    assertThat(taken.get()).isGreaterThan(100);
  }

  /** {@link RawJson#member} and {@link RawJson#toJsonObject} against {@code theirs}. */
  private static void same(RawJson ours, @Nullable Object theirs) throws IOException {
    if (!(theirs instanceof Map<?, ?> members)) {
      assertThat(read(bytes(ours), true)).isEqualTo(theirs);
      return;
    }
    assertThat(ours.ambiguity()).isNull();
    assertThat(ours.toJsonObject().fieldNames()).isEqualTo(members.keySet());
    for (Map.Entry<?, ?> member : members.entrySet()) {
      RawJson found = ours.member((String) member.getKey());
      same(Objects.requireNonNull(found), member.getValue());
    }
  }

  private static byte[] bytes(RawJson json) {
    return json.toString().getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void a_received_message_that_is_ambiguous_is_marked_and_no_other() {
    AtomicInteger marked = new AtomicInteger();
    Fuzz.run(
        TRIALS,
        random -> {
          byte[] bytes = Fuzz.bytes(random, Fuzz.message(random));
          Envelope message;
          try {
            message = Envelope.received(bytes, 0, bytes.length, ParseLimits.DEFAULT);
          } catch (ProtocolException refused) {
            return;
          }
          if (message.ambiguity() != null) {
            marked.incrementAndGet();
            assertThat(isRefused(bytes)).isTrue();
          } else if (message.kind() != Envelope.Kind.RESULT) {
            assertThat(isRefused(bytes)).isFalse();
          }
        });
    assertThat(marked.get()).isGreaterThan(50);
  }

  /** Parsed with the detection of duplicate members. */
  private static boolean isRefused(byte[] bytes) throws IOException {
    try (JsonParser parser = STRICT.createParser(bytes)) {
      while (parser.nextToken() != null) {}
      return false;
    } catch (JsonParseException e) {
      return true;
    }
  }

  @Test
  void bodies_are_taken_where_they_are_one_object_that_all_read_alike() {
    Fuzz.run(
        TRIALS,
        random -> {
          byte[] bytes = Fuzz.bytes(random, Fuzz.message(random));
          RawJson body;
          try {
            body = RawJson.checkedObject(Buffer.buffer(bytes.clone()), ParseLimits.DEFAULT);
          } catch (ProtocolException refused) {
            return;
          }
          assertThat(isRefused(bytes)).isFalse();
          assertThat(object(bytes, true)).isEqualTo(object(bytes, false));
          same(body, object(bytes, false));
          assertThat(new JsonObject(body.toBuffer())).isEqualTo(body.toJsonObject());
        });
  }

  @Test
  void the_reader_of_plain_json_agrees_with_that_of_vertx() {
    Fuzz.run(
        TRIALS,
        random -> {
          byte[] bytes = Fuzz.bytes(random, Fuzz.message(random));
          RawJson body;
          try {
            body = RawJson.checkedResult(Buffer.buffer(bytes), ParseLimits.DEFAULT);
          } catch (ProtocolException refused) {
            return;
          }
          Object theirs;
          try {
            theirs = Json.decodeValue(body.toBuffer());
          } catch (DecodeException e) {
            assertThat(e).hasMessageContaining("surrogate"); // ours takes it for a character
            return;
          }
          assertThat((Object) body.toJsonObject()).isEqualTo(theirs);
          assertThat(RawJson.array(List.of(body)).elements()).hasSize(1);
          assertThat(new JsonArray(RawJson.array(List.of(body, body)).toBuffer())).hasSize(2);
        });
  }
}
