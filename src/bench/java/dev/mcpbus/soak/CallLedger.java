package dev.mcpbus.soak;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What was begun and how each ended. An ending is a word that its kind expects, or a failure. Calls
 * with a number are also counted where they are executed: none twice, and each that was answered,
 * once. Safe on every thread.
 */
final class CallLedger {

  private static final int EXAMPLES = 5;

  private static final class Account {
    private long begun;
    private long ended;
    private long failed;
    private final Map<String, Long> endings = new TreeMap<>();
    private final List<String> examples = new ArrayList<>();
  }

  private final Map<String, Account> accounts = new LinkedHashMap<>();
  private final Map<String, Integer> executions = new ConcurrentHashMap<>();
  private final List<String> violations = new ArrayList<>();

  synchronized void begin(String kind) {
    account(kind).begun++;
  }

  synchronized void end(String kind, String ending) {
    Account account = account(kind);
    account.ended++;
    account.endings.merge(ending, 1L, Long::sum);
  }

  synchronized void fail(String kind, Throwable failure) {
    Account account = account(kind);
    account.ended++;
    account.failed++;
    if (account.examples.size() < EXAMPLES) {
      String text = String.valueOf(failure.getMessage()).replaceAll("\\s+", " ");
      account.examples.add(
          failure.getClass().getSimpleName()
              + ": "
              + text.substring(0, Math.min(300, text.length())));
    }
  }

  private Account account(String kind) {
    return accounts.computeIfAbsent(kind, absent -> new Account());
  }

  /** The call of this number is about to be sent. */
  void expect(String number) {
    executions.put(number, 0);
  }

  /** A server of ours executes it. */
  void executed(String number) {
    executions.computeIfPresent(number, (same, times) -> times + 1);
  }

  /** Nothing more is expected of it. */
  void settle(String number, boolean answered) {
    Integer times = executions.remove(number);
    if (times == null || times > 1 || (answered && times != 1)) {
      synchronized (this) {
        if (violations.size() < EXAMPLES) {
          violations.add("call " + number + " was executed " + times + " times");
        }
      }
    }
  }

  synchronized long work() {
    return accounts.values().stream().mapToLong(account -> account.ended).sum();
  }

  synchronized long open() {
    return accounts.values().stream().mapToLong(account -> account.begun - account.ended).sum();
  }

  /** All that is wrong, in words; empty where every call ended, and as its kind expects. */
  synchronized List<String> problems() {
    List<String> problems = new ArrayList<>(violations);
    accounts.forEach(
        (kind, account) -> {
          if (account.begun != account.ended) {
            problems.add(kind + ": " + (account.begun - account.ended) + " calls never ended");
          }
          if (account.failed > 0) {
            problems.add(
                kind
                    + ": "
                    + account.failed
                    + " of "
                    + account.begun
                    + " ended otherwise: "
                    + account.examples);
          }
        });
    return problems;
  }

  synchronized String table() {
    StringBuilder text = new StringBuilder();
    text.append(String.format("%-28s %8s %8s %8s  %s%n", "kind", "begun", "ended", "failed", "as"));
    accounts.forEach(
        (kind, account) ->
            text.append(
                String.format(
                    "%-28s %8d %8d %8d  %s%n",
                    kind, account.begun, account.ended, account.failed, account.endings)));
    return text.toString();
  }
}
