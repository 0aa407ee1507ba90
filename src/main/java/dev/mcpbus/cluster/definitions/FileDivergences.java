package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.ConnectionId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * How this node's file differs from the cluster's definitions. A difference is no fault of a node:
 * it goes on with the cluster's definition. While it is younger than the grace period, a rollout of
 * the file may be under way, and the log has it at INFO; after that it is a WARN and a note of the
 * node. Confined to the context of {@code ServersVerticle}.
 */
final class FileDivergences {

  private static final Logger LOG = LoggerFactory.getLogger(FileDivergences.class);

  /** A reading may find thousands of differences: the log names some, and counts the rest. */
  private static final int MAX_LINES = 10;

  /** What the log has of a difference. */
  private enum Logged {
    NOTHING,
    FIRST,
    WARNING
  }

  /**
   * @param since when this node first saw a difference of this server, by the monotonic clock
   */
  private record Divergence(String sentence, long since, Logged logged) {}

  private final Map<ConnectionId, Divergence> all = new LinkedHashMap<>();
  private final List<String> healed = new ArrayList<>();
  private final long graceMillis;
  private final LongSupplier millis;

  /**
   * @param grace how long a rollout of a file to all nodes may take
   * @param millis a monotonic clock
   */
  FileDivergences(Duration grace, LongSupplier millis) {
    this.graceMillis = grace.toMillis();
    this.millis = millis;
  }

  /**
   * Records what a comparison has found.
   *
   * @param sentence names the server, both places and the remedy; null where they agree
   */
  void compared(ConnectionId id, @Nullable String sentence) {
    Divergence before = all.get(id);
    if (sentence == null) {
      all.remove(id);
      if (before != null && before.logged != Logged.NOTHING) {
        healed.add("server '" + id + "' is the same in this node's file and in the cluster again");
      }
    } else if (before == null) {
      all.put(id, new Divergence(sentence, millis.getAsLong(), Logged.NOTHING));
    } else if (!before.sentence.equals(sentence)) {
      all.put(id, new Divergence(sentence, before.since, Logged.NOTHING));
    }
  }

  /** The file of this node does not name the server any more. */
  void forget(ConnectionId id) {
    all.remove(id);
  }

  private void log() {
    log(healed, Level.INFO, "");
    healed.clear();
    log(
        mark(one -> one.logged == Logged.NOTHING && !isOverdue(one), Logged.FIRST),
        Level.INFO,
        " (a warning follows if this lasts for " + graceMillis / 1_000 + " s)");
    log(
        mark(one -> one.logged != Logged.WARNING && isOverdue(one), Logged.WARNING),
        Level.WARN,
        "");
  }

  private List<String> mark(Predicate<Divergence> which, Logged logged) {
    List<String> sentences = new ArrayList<>();
    all.replaceAll(
        (id, one) -> {
          if (!which.test(one)) {
            return one;
          }
          sentences.add(one.sentence);
          return new Divergence(one.sentence, one.since, logged);
        });
    return sentences;
  }

  private static void log(List<String> sentences, Level level, String end) {
    sentences.stream()
        .limit(MAX_LINES)
        .forEach(sentence -> LOG.atLevel(level).log("{}{}", sentence, end));
    if (sentences.size() > MAX_LINES) {
      LOG.atLevel(level)
          .log("the same is true of {} more servers{}", sentences.size() - MAX_LINES, end);
    }
  }

  private boolean isOverdue(Divergence one) {
    return millis.getAsLong() - one.since >= graceMillis;
  }

  /**
   * The differences that have lasted for longer than the grace period. The hosting asks once a
   * second; the log gets what is new since the last time.
   */
  List<String> overdue() {
    log();
    return all.values().stream().filter(this::isOverdue).map(Divergence::sentence).toList();
  }

  /** The difference of this server, also within the grace period; null for none. */
  @Nullable String of(ConnectionId id) {
    Divergence one = all.get(id);
    return one == null ? null : one.sentence;
  }
}
