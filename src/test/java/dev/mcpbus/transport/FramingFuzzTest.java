package dev.mcpbus.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.testing.Fuzz;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** However the bytes of a child are cut, the same messages come of them. */
class FramingFuzzTest {

  private static final int CAP = 300;
  private static final ParseLimits LIMITS = ParseLimits.DEFAULT.withMaxBytes(CAP);
  private static final List<String> ENDS =
      List.of("\n", "\r\n", "\n\n", "\r", "", " \n", "\n\uFEFF");

  /** Messages, junk and how it ended. */
  private static List<String> heard(byte[] stream, List<Integer> cuts) {
    List<String> heard = new ArrayList<>();
    LineFramer framer =
        new LineFramer(
            "stdout",
            LIMITS,
            new NoiseBudget(3, () -> 0),
            message -> heard.add(message.text().toString()),
            (bytes, start, end) -> {},
            ByteBudget.unbounded(),
            null);
    int from = 0;
    try {
      for (int cut : cuts) {
        framer.feed(Arrays.copyOfRange(stream, from, cut));
        assertThat(framer.pending()).isLessThanOrEqualTo(CAP + 1);
        from = cut;
      }
      heard.add("junk " + framer.junk());
    } catch (TransportException e) {
      heard.add("ended: " + e.reason());
    }
    return heard;
  }

  private static byte[] stream(Random random) {
    StringBuilder all = new StringBuilder();
    for (int lines = random.nextInt(8); lines >= 0; lines--) {
      switch (random.nextInt(6)) {
        case 0 -> all.append("log: something happened");
        case 1 -> all.append("x".repeat(CAP - 3 + random.nextInt(6)));
        case 2 -> all.append("[INFO] started");
        default -> all.append(Fuzz.message(random).replace("\n", random.nextBoolean() ? "" : "\n"));
      }
      all.append(Fuzz.one(random, ENDS));
    }
    return random.nextInt(10) == 0
        ? Fuzz.bytes(random, all.toString())
        : all.toString().getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void a_stream_gives_the_same_in_one_piece_and_in_many() {
    AtomicInteger messages = new AtomicInteger();
    Fuzz.run(
        10_000,
        random -> {
          byte[] stream = stream(random);
          List<String> whole = heard(stream, List.of(stream.length));
          messages.addAndGet(whole.size() - 1);
          List<Integer> cuts = new ArrayList<>();
          for (int at = 0; at < stream.length; at += 1 + random.nextInt(40)) {
            cuts.add(at);
          }
          cuts.add(stream.length);
          assertThat(heard(stream, cuts)).isEqualTo(whole);
        });
    assertThat(messages.get()).isGreaterThan(1_000);
  }
}
