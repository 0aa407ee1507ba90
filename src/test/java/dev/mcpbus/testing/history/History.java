package dev.mcpbus.testing.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A whole run, checked against the promises of the cluster. Immutable. */
public final class History {

  /** A life of a server: one process that a node started. */
  private record Life(String server, String node, String pid, long start) {
    String name() {
      return node + "/" + pid;
    }
  }

  private static final class Call {
    private final List<Fact> invokes = new ArrayList<>();
    private final List<Fact> endings = new ArrayList<>();
    private final List<Fact> executions = new ArrayList<>();

    /** When its client hung up; 0 where it did not. */
    private long left;

    /** At its caller. */
    long deadline() {
      return Long.parseLong(invokes.get(0).word(3));
    }
  }

  private final Duration slack;
  private final Duration patience;
  private final Map<String, Call> calls = new LinkedHashMap<>();
  private final Map<String, List<Life>> lives = new TreeMap<>();
  private final List<Fact> executions = new ArrayList<>();
  private final Map<String, Long> arrivals = new HashMap<>();

  /**
   * @param slack how much later than its deadline a call may reach its server and still count as in
   *     time: a busy machine leaves requests in pipes
   * @param patience how much later than its deadline a call's ending may reach its caller
   */
  public History(Collection<Fact> facts, Duration slack, Duration patience) {
    this.slack = slack;
    this.patience = patience;
    facts.stream().sorted(Comparator.comparingLong(Fact::at)).forEach(this::add);
  }

  private void add(Fact fact) {
    switch (fact.kind()) {
      case "invoke" -> call(fact.word(0)).invokes.add(fact);
      case "arrive" -> arrivals.putIfAbsent(fact.word(0), fact.at());
      case "left" -> call(fact.word(0)).left = fact.at();
      case "ok", "fail" -> call(fact.word(0)).endings.add(fact);
      case "start" ->
          lives
              .computeIfAbsent(fact.word(0), server -> new ArrayList<>())
              .add(new Life(fact.word(0), fact.word(1), fact.word(2), fact.at()));
      case "execute" -> {
        call(fact.word(3)).executions.add(fact);
        executions.add(fact);
      }
      default -> {}
    }
  }

  private Call call(String id) {
    return calls.computeIfAbsent(id, absent -> new Call());
  }

  /** What was promised and did not hold, one sentence each, empty where all held. */
  public List<String> violations() {
    List<String> found = new ArrayList<>();
    calls.forEach((id, call) -> check(id, call, found));
    executions.forEach(execution -> checkLife(execution, found));
    return found;
  }

  private void check(String id, Call call, List<String> found) {
    if (call.invokes.size() != 1) {
      found.add(id + ": invoked " + call.invokes.size() + " times, not once");
      return;
    }
    if (call.endings.isEmpty() && call.left == 0) {
      found.add(id + ": no ending");
    } else if (call.endings.size() > 1) {
      found.add(id + ": " + call.endings.size() + " endings: " + call.endings);
    }
    if (call.executions.size() > 1) {
      found.add(id + ": executed " + call.executions.size() + " times: " + call.executions);
    }
    for (Fact execution : call.executions) {
      long late = execution.at() - deadlineAtNode(id, call);
      if (late > slack.toNanos()) {
        found.add(id + ": executed " + millis(late) + " ms after its deadline: " + execution);
      }
    }
    for (Fact execution : call.left == 0 ? List.<Fact>of() : call.executions) {
      long late = execution.at() - call.left;
      if (late > slack.toNanos()) {
        found.add(id + ": executed " + millis(late) + " ms after its client left: " + execution);
      }
    }
    for (Fact ending : call.endings) {
      checkEnding(id, call, ending, found);
      long late = ending.at() - call.deadline();
      if (late > patience.toNanos()) {
        found.add(id + ": ended " + millis(late) + " ms after its deadline: " + ending);
      }
    }
  }

  /** A node counts the time of a call from when its request arrives there. */
  private long deadlineAtNode(String id, Call call) {
    long invoked = call.invokes.get(0).at();
    return call.deadline() + Math.max(0, arrivals.getOrDefault(id, invoked) - invoked);
  }

  private static void checkEnding(String id, Call call, Fact ending, List<String> found) {
    if (ending.kind().equals("fail")) {
      if (ending.word(2).equals("no") && !call.executions.isEmpty()) {
        found.add(id + ": told as not sent, yet it was executed: " + ending + call.executions);
      }
      return;
    }
    if (call.executions.isEmpty()) {
      found.add(id + ": a result, but it was never executed: " + ending);
      return;
    }
    Fact execution = call.executions.get(0);
    String own = String.join(" ", execution.words());
    if (!String.join(" ", ending.words().subList(1, ending.words().size())).equals(own)) {
      found.add(id + ": the result is of another call: " + ending + ", not " + own);
    }
  }

  /** Once a server has a newer life, an older one must not act. */
  private void checkLife(Fact execution, List<String> found) {
    List<Life> all = lives.getOrDefault(execution.word(0), List.of());
    String name = execution.word(1) + "/" + execution.word(2);
    Life own =
        all.stream()
            .filter(life -> life.name().equals(name) && life.start <= execution.at())
            .max(Comparator.comparingLong(Life::start))
            .orElse(null);
    if (own == null) {
      found.add(execution.word(3) + ": executed by a server that never started: " + execution);
      return;
    }
    all.stream()
        .filter(life -> life.start > own.start && life.start < execution.at())
        .findFirst()
        .ifPresent(
            newer ->
                found.add(
                    execution.word(3)
                        + ": executed by "
                        + own.name()
                        + " "
                        + millis(execution.at() - newer.start)
                        + " ms after "
                        + newer.name()
                        + " took over "
                        + own.server));
  }

  private static long millis(long nanos) {
    return Duration.ofNanos(nanos).toMillis();
  }

  public int callCount() {
    return (int) calls.values().stream().filter(call -> !call.invokes.isEmpty()).count();
  }

  public int executionCount() {
    return executions.size();
  }

  /** How many processes served, over all servers. */
  public int lifeCount() {
    return lives.values().stream().mapToInt(List::size).sum();
  }

  /** How many calls ended how: {@code ok}, or a code and whether it was sent. */
  public Map<String, Integer> endings() {
    Map<String, Integer> counts = new TreeMap<>();
    for (Call call : calls.values()) {
      for (Fact ending : call.endings) {
        String how = ending.kind().equals("ok") ? "ok" : ending.word(1) + " sent:" + ending.word(2);
        counts.merge(how, 1, Integer::sum);
      }
    }
    return counts;
  }

  /** Of the latest execution after its deadline, 0 where none was late. */
  public Duration latest() {
    long latest = 0;
    for (Map.Entry<String, Call> each : calls.entrySet()) {
      for (Fact execution : each.getValue().executions) {
        if (!each.getValue().invokes.isEmpty()) {
          long deadline = deadlineAtNode(each.getKey(), each.getValue());
          latest = Math.max(latest, execution.at() - deadline);
        }
      }
    }
    return Duration.ofNanos(latest);
  }
}
