package dev.mcpbus.cluster;

import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs which nodes this one has lost: one line for all that it loses within two seconds, because
 * only their number tells a node whether the others are gone or it is cut off itself. A node that
 * is a member again by then was not lost: this node was suspended. Any thread may call.
 */
final class LossReport {

  // Its lines are those of the membership.
  private static final Logger LOG = LoggerFactory.getLogger(ClusterServerHosting.class);

  /** Hazelcast drops nodes that are silent since the same moment within this time. */
  private static final long GATHER_MILLIS = 2_000;

  /**
   * A line of the log.
   *
   * @param level WARN if a node is gone
   */
  record LossLine(Level level, String text) {}

  private final Vertx vertx;
  private final IntSupplier quorum;
  private final Supplier<Set<String>> alive;
  private final List<String> lost = new ArrayList<>();

  /**
   * @param quorum how many nodes must see each other now; 0 or 1 for no such rule
   * @param alive the names of the members now, that of this node included
   */
  LossReport(Vertx vertx, IntSupplier quorum, Supplier<Set<String>> alive) {
    this.vertx = vertx;
    this.quorum = quorum;
    this.alive = alive;
  }

  /** Records that a node is out of reach without having said that it leaves. */
  synchronized void lost(String name) {
    lost.add(name);
    if (lost.size() == 1) {
      vertx.setTimer(
          GATHER_MILLIS,
          gathered -> {
            LossLine line = report();
            LOG.atLevel(line.level()).log(line.text());
          });
    }
  }

  private synchronized LossLine report() {
    LossLine line = line(lost, alive.get(), quorum.getAsInt());
    lost.clear();
    return line;
  }

  /** What this node can say. */
  static LossLine line(List<String> lost, Set<String> alive, int quorum) {
    List<String> gone = lost.stream().filter(name -> !alive.contains(name)).distinct().toList();
    if (gone.isEmpty()) {
      return new LossLine(
          Level.INFO,
          named(lost, " was", " were")
              + " out of reach for this node for less than 2 s; members now: "
              + alive.size());
    }
    return new LossLine(Level.WARN, text(gone, alive.size(), quorum));
  }

  private static String text(List<String> gone, int alive, int quorum) {
    if (quorum > 1 && alive < quorum) {
      return named(gone, " is", " are")
          + " out of reach, and this node sees "
          + alive
          + " of the "
          + quorum
          + " members that it needs: it is cut off, or they have ended. It serves no connection"
          + " until it sees enough";
    }
    if (quorum <= 1 && alive <= gone.size()) {
      return named(gone, " is", " are")
          + " out of reach: lost, or this node is cut off. Without cluster.quorum it cannot tell"
          + " which, and takes over all connections; both sides may serve them. Members now: "
          + alive;
    }
    return named(gone, " is", " are")
        + (gone.size() == 1
            ? " lost, other nodes take over its connections; members now: "
            : " lost, other nodes take over their connections; members now: ")
        + alive;
  }

  private static String named(List<String> names, String one, String several) {
    return names.stream()
        .distinct()
        .collect(Collectors.joining(", "))
        .transform(
            all ->
                names.stream().distinct().count() == 1
                    ? "node " + all + one
                    : "nodes " + all + several);
  }
}
