package dev.mcpbus.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.testing.Fuzz;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** However the bytes of an event stream are cut, the same events come of them. */
class SseFuzzTest {

  private static final int CAP = 200;
  private static final List<String> PIECES =
      List.of(
          "data:",
          "data: ",
          "id:",
          "id: 7",
          "event:",
          "event: x",
          "retry: 5",
          "retry:",
          ":",
          "\n",
          "\n",
          "\n\n",
          "\n\n",
          "\r",
          "\r\n",
          "\r\n\r\n",
          "\r\r",
          "\uFEFF",
          "data",
          "é",
          "\0",
          "stop");

  private static List<String> heard(byte[] stream, List<Integer> cuts) {
    List<String> heard = new ArrayList<>();
    SseParser parser =
        new SseParser(
            CAP,
            ByteBudget.unbounded(),
            new SseParser.EventSink() {
              @Override
              public boolean event(String type, byte[] data, int length, @Nullable String id) {
                assertThat(length).isLessThanOrEqualTo(CAP);
                String text = new String(data, 0, length, StandardCharsets.ISO_8859_1);
                heard.add(type + "|" + text + "|" + id);
                return !text.equals("stop");
              }

              @Override
              public void retry(long millis) {
                heard.add("retry " + millis);
              }
            });
    int from = 0;
    try {
      for (int cut : cuts) {
        if (!parser.feed(stream, from, cut)) {
          heard.add("stopped");
          break;
        }
        from = cut;
      }
    } catch (ProtocolException e) {
      heard.add("ended: " + e.reason());
    }
    return heard;
  }

  private static byte[] stream(Random random) {
    StringBuilder all = new StringBuilder();
    for (int pieces = random.nextInt(40); pieces >= 0; pieces--) {
      int kind = random.nextInt(12);
      if (kind == 0) {
        all.append("x".repeat(random.nextInt(2 * CAP)));
      } else if (kind == 1) {
        all.append("data: ").append("y".repeat(CAP - 3 + random.nextInt(6))).append("\n\n");
      } else if (kind == 2) {
        all.append("data: ").append(Fuzz.message(random)).append("\n\n");
      } else {
        all.append(Fuzz.one(random, PIECES));
      }
    }
    return Fuzz.bytes(random, all.toString());
  }

  @Test
  void a_stream_gives_the_same_in_one_piece_and_in_many() {
    AtomicInteger events = new AtomicInteger();
    Fuzz.run(
        20_000,
        random -> {
          byte[] stream = stream(random);
          List<String> whole = heard(stream, List.of(stream.length));
          events.addAndGet(whole.size());
          List<Integer> cuts = new ArrayList<>();
          for (int at = 0; at < stream.length; at += 1 + random.nextInt(30)) {
            cuts.add(at);
          }
          cuts.add(stream.length);
          assertThat(heard(stream, cuts)).isEqualTo(whole);
        });
    assertThat(events.get()).isGreaterThan(2_000);
  }
}
