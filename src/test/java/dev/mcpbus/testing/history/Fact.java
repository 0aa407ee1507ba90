package dev.mcpbus.testing.history;

import java.util.List;

/**
 * One line of a log: {@code <kind> <nanos> <words...>}. The time is CLOCK_MONOTONIC, which all
 * processes of a machine share and which {@link System#nanoTime} reads.
 *
 * <p>Kinds: {@code invoke call server via deadline}, {@code arrive call} (its request at a node, or
 * at the proxy in front of it), {@code left call} (its client has hung up), {@code ok call
 * text...}, {@code fail call code no|maybe}, {@code start server node pid}, {@code execute server
 * node pid call}, {@code fault text...}.
 */
public record Fact(String kind, long at, List<String> words) {

  public Fact {
    words = List.copyOf(words);
  }

  /**
   * @throws IllegalArgumentException where the line is not one of a log
   */
  public static Fact parse(String line) {
    List<String> all = List.of(line.split(" "));
    if (all.size() < 2) {
      throw new IllegalArgumentException("no fact: '" + line + "'");
    }
    int least =
        switch (all.get(0)) {
          case "invoke", "execute" -> 4;
          case "start", "fail" -> 3;
          case "ok", "fault", "arrive", "left" -> 1;
          default -> throw new IllegalArgumentException("no fact: '" + line + "'");
        };
    if (all.size() - 2 < least) {
      throw new IllegalArgumentException("a fact with too few words: '" + line + "'");
    }
    return new Fact(all.get(0), Long.parseLong(all.get(1)), all.subList(2, all.size()));
  }

  public String word(int index) {
    return words.get(index);
  }

  @Override
  public String toString() {
    return kind + " " + at + " " + String.join(" ", words);
  }
}
