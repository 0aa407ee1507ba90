package dev.mcpbus.testing;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Tries something with many random inputs. The same ones each time, unless {@code mcpbus.fuzz.seed}
 * says where to begin; with {@code mcpbus.fuzz.seconds} for so long in place of a fixed count. A
 * failure names the seed of its one input.
 */
public final class Fuzz {

  /** One input; fails with whatever it finds wrong. */
  @FunctionalInterface
  public interface Trial {
    void run(Random random) throws Exception;
  }

  /** What requests are made of, also those that nobody should make. */
  private static final List<String> TOKENS =
      List.of(
          "\"name\":",
          "\"Name\":",
          "\"n\\u0061me\":",
          "\"uri\":",
          "\"ref\":{",
          "\"type\":\"ref/prompt\"",
          "\"id\":1",
          "\"ID\":1",
          "\"params\":{",
          "\"_meta\":{",
          "\"\":",
          "{",
          "}",
          "[",
          "]",
          ",",
          ":",
          "null",
          "true",
          "-0",
          "1e9",
          "\"",
          "\\u0000",
          "\\ud800",
          "\uD83D\uDE00",
          "\n",
          " ");

  private static final List<String> MESSAGES =
      List.of(
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"add\","
              + "\"arguments\":{\"a\":1,\"b\":[{\"name\":\"x\"}]},\"_meta\":{\"progressToken\":1}}}",
          "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"completion/complete\",\"params\":{\"ref\":"
              + "{\"type\":\"ref/resource\",\"uri\":\"file:///x\",\"name\":\"p\"},\"argument\":"
              + "{\"name\":\"a\",\"value\":\"b\"}}}",
          "{\"params\":{\"uri\":\"file:///x\"},\"method\":\"resources/read\",\"jsonrpc\":\"2.0\","
              + "\"id\":7}",
          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"content\":[],"
              + "\"_meta\":{\"a\":1},\"tools\":[{\"name\":\"a\"}]}}",
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"no\"}}");

  private Fuzz() {}

  /**
   * Runs {@code trial} with fresh randomness each time.
   *
   * @param count of inputs where no time is set
   */
  public static void run(int count, Trial trial) {
    long seed = Long.getLong("mcpbus.fuzz.seed", 20_261_122);
    long seconds = Long.getLong("mcpbus.fuzz.seconds", 0);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (int i = 0; seconds == 0 ? i < count : System.nanoTime() < end; i++) {
      try {
        trial.run(new Random(seed + i));
      } catch (Exception | AssertionError e) {
        throw new AssertionError("mcpbus.fuzz.seed=" + (seed + i), e);
      }
    }
  }

  /** A message as it should not be, or as it may be. */
  public static String message(Random random) {
    StringBuilder text = new StringBuilder(one(random, MESSAGES));
    for (int changes = random.nextInt(5); changes > 0; changes--) {
      int at = random.nextInt(text.length() + 1);
      int to = Math.min(text.length(), at + random.nextInt(12));
      switch (random.nextInt(8)) {
        case 0 -> text.insert(at, one(random, TOKENS));
        case 1 -> text.delete(at, to);
        case 2 -> text.replace(at, to, one(random, TOKENS));
        case 3 -> text.insert(at, text.substring(at, to));
        default -> member(random, text);
      }
      if (text.length() == 0) {
        text.append("{}");
      }
    }
    return text.toString();
  }

  /** Puts a member before another one: its own name again, in one way or another. */
  private static void member(Random random, StringBuilder text) {
    int quote = text.indexOf("\"", random.nextInt(text.length()));
    int end = quote < 0 ? -1 : text.indexOf("\":", quote + 1);
    String name = end < 0 ? "" : text.substring(quote + 1, end);
    if (name.isEmpty() || name.length() > 20 || name.indexOf('"') >= 0) {
      return;
    }
    int letter = random.nextInt(name.length());
    String written =
        switch (random.nextInt(4)) {
          case 0 -> name;
          case 1 -> escaped(name, letter);
          case 2 -> name.substring(0, letter) + name.substring(letter).toUpperCase(Locale.ROOT);
          default -> name + letter;
        };
    text.insert(quote, "\"" + written + "\":" + one(random, List.of("1", "\"other\"", "{}")) + ",");
  }

  private static String escaped(String name, int at) {
    return name.substring(0, at)
        + String.format("\\u%04x", (int) name.charAt(at))
        + name.substring(at + 1);
  }

  /** Sometimes with bytes that are no text. */
  public static byte[] bytes(Random random, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > 0 && random.nextInt(20) == 0) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    return bytes;
  }

  public static <T> T one(Random random, List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
