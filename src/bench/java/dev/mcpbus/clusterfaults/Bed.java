package dev.mcpbus.clusterfaults;

import dev.mcpbus.testing.history.History;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What every scenario needs: a cluster, a caller, and the check after each run. */
final class Bed implements AutoCloseable {

  /** A busy machine leaves requests in pipes. */
  static final Duration SLACK = Duration.ofMillis(500);

  /** Of a caller, which waits a second longer than the deadline itself. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final Path folder;
  private final Path jar;
  private final Journal journal;
  private final Caller caller;
  private final Cluster cluster;
  private final Figures figures = new Figures();
  private int runs;
  private int calls;
  private int executions;
  private int violations;
  private Duration latest = Duration.ZERO;

  Bed(Path folder, Path jar, Links links, long skewSeconds) {
    this.folder = folder;
    this.jar = jar;
    this.journal = new Journal(folder.resolve("servers.log").toAbsolutePath());
    this.caller = new Caller(journal);
    this.cluster = new Cluster(folder, jar, links, journal, caller, skewSeconds);
  }

  /** A process that is in no cluster, on the loopback of this one. */
  Node alone(String name, int port) {
    Node.Ports ports = new Node.Ports(port, 0, 0);
    return new Node(0, folder.resolve(name).toAbsolutePath(), jar, Links.loopback(), ports, 0);
  }

  Cluster cluster() {
    return cluster;
  }

  Caller caller() {
    return caller;
  }

  Figures figures() {
    return figures;
  }

  void begin() {
    journal.begin();
  }

  void fault(String what) {
    journal.note("fault", what);
  }

  /** A caller of its own has made a call. */
  void invoked(String id, String server, Node via, long deadline) {
    journal.note("invoke", id + " " + server + " " + via.name() + " " + deadline);
  }

  /** Its client has left without an answer. */
  void left(String id) {
    journal.note("left", id);
  }

  /** False where the call ends before it is executed. */
  boolean awaitExecuted(String id, CompletableFuture<Ending> call) {
    while (!journal.executed(id)) {
      if (call.isDone()) {
        return journal.executed(id);
      }
      Pause.millis(10);
    }
    return true;
  }

  /** Checks the history since {@link #begin} and says what it found; all calls must have ended. */
  void check(String run) {
    History history = new History(journal.facts(), SLACK, PATIENCE);
    List<String> found = history.violations();
    runs++;
    calls += history.callCount();
    executions += history.executionCount();
    violations += found.size();
    latest = history.latest().compareTo(latest) > 0 ? history.latest() : latest;
    System.out.printf(
        "%s: %d calls %s, %d executions, %d violations%n",
        run, history.callCount(), history.endings(), history.executionCount(), found.size());
    found.forEach(one -> System.out.println("  VIOLATION " + one));
    Path file = keep(run);
    if (!found.isEmpty()) {
      System.out.println("  the history is in " + file);
    }
  }

  /** Writes the history since {@link #begin} to a file. */
  Path keep(String run) {
    Path file = folder.resolve("history-" + run.replaceAll("[^a-z0-9]+", "-") + ".log");
    journal.save(file);
    return file;
  }

  /** True where everything held. */
  boolean report() {
    System.out.printf(
        "checked: %d runs, %d calls, %d executions: exactly one ending each; executed at most once;"
            + " what was told as not sent never; a result only after an execution, and its own;"
            + " nothing executed more than %d ms after its deadline (latest %d ms); nothing"
            + " executed by an older owner's server once a newer one had started; violations %d%n",
        runs, calls, executions, SLACK.toMillis(), latest.toMillis(), violations);
    figures.print();
    return violations == 0;
  }

  @Override
  public void close() {
    cluster.close();
  }
}
