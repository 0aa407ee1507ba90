package dev.mcpbus.clusterfaults;

import dev.mcpbus.testing.FreePorts;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * An audit file on a disk of 64 KiB that fills up under calls, and is made larger then. By default
 * every call succeeds and every line is in the file in the end, whole; with {@code refuse} no call
 * reaches the server without a line that says so.
 */
final class DiskFaults {

  private static final String SERVER = "ledger-disk";
  private static final int CALLS = 400;
  private static final int AT_ONCE = 8;
  private static final Duration BUDGET = Duration.ofSeconds(5);
  private static final Duration AT_MOST = Duration.ofSeconds(30);

  private final Bed bed;
  private final int port = FreePorts.list(1).get(0);

  DiskFaults(Bed bed) {
    this.bed = bed;
  }

  /** True where no line was lost or torn and no call passed without its line. */
  boolean run(int number) {
    boolean goesOn = run(number, "continue");
    return run(number, "refuse") && goesOn;
  }

  private boolean run(int number, String onFailure) {
    Node node = bed.alone("disk-" + onFailure + "-" + number, port);
    Path disk = node.log().resolveSibling("audit");
    Path file = disk.resolve("audit.log");
    JsonObject audit =
        new JsonObject().put("on", true).put("file", file.toString()).put("onFailure", onFailure);
    node.configureAlone(
        new JsonObject()
            .put("auth", new JsonObject().put("audit", audit))
            .put("mcpServers", new JsonObject().put(SERVER, bed.cluster().entry(SERVER))));
    mount(disk, "size=64k");
    bed.begin();
    try {
      node.start();
      awaitServed(node);
      bed.fault("a disk of 64 KiB");
      List<Ending> endings = calls(node, CALLS);
      long ok = endings.stream().filter(Ending::isOk).count();
      long refused =
          endings.stream()
              .filter(one -> one.code().equals("UNAVAILABLE") && one.sent().equals("no"))
              .count();
      bed.fault("the disk has room");
      long from = System.nanoTime();
      mount(disk, "remount,size=4m");
      boolean whole = awaitLines(file, onFailure.equals("refuse") ? "BEGIN" : "", ok + 1, from);
      List<Ending> after = calls(node, AT_ONCE);
      boolean goesOn = after.stream().allMatch(Ending::isOk);
      System.out.printf(
          "  full disk, %s: %d of %d calls succeeded, %d were refused, lines %s, then %s%n",
          onFailure,
          ok,
          CALLS,
          refused,
          whole ? "whole and one for each" : "NOT one for each",
          goesOn ? "all goes on" : "NOT all goes on");
      return whole
          && goesOn
          && (onFailure.equals("refuse") ? ok + refused == CALLS && refused > 0 : ok == CALLS);
    } finally {
      node.end();
      unmount(disk);
      bed.check("disk " + onFailure + " " + number);
    }
  }

  private void awaitServed(Node node) {
    long from = System.nanoTime();
    while (!bed.caller().call(node, SERVER, BUDGET, Duration.ZERO).join().isOk()) {
      check(from, "the node does not serve");
    }
  }

  private static void check(long from, String what) {
    if (System.nanoTime() - from > AT_MOST.toNanos()) {
      throw new IllegalStateException("after " + AT_MOST.toSeconds() + " s: " + what);
    }
    Pause.millis(50);
  }

  private List<Ending> calls(Node node, int count) {
    List<Ending> endings = new ArrayList<>();
    while (endings.size() < count) {
      List<CompletableFuture<Ending>> some = new ArrayList<>();
      for (int i = 0; i < Math.min(AT_ONCE, count - endings.size()); i++) {
        some.add(bed.caller().call(node, SERVER, BUDGET, Duration.ZERO));
      }
      some.forEach(one -> endings.add(one.join()));
    }
    return endings;
  }

  /**
   * Waits until the file has a whole line for each call that succeeded, and no torn one.
   *
   * @param code of the lines that count; empty for those of outcomes
   */
  private boolean awaitLines(Path file, String code, long wanted, long from) {
    long found = -1;
    while (found != wanted && System.nanoTime() - from < AT_MOST.toNanos()) {
      Pause.millis(20);
      found = lines(file, code);
      if (found == -1) {
        return false;
      }
    }
    bed.figures()
        .add(
            "disk: all lines are there after it has room",
            Duration.ofSeconds(2),
            Duration.ofNanos(System.nanoTime() - from));
    return found == wanted;
  }

  /** How many whole lines of calls there are; -1 where one is torn. */
  private static long lines(Path file, String code) {
    try {
      String text = Files.readString(file, StandardCharsets.US_ASCII);
      long count = 0;
      for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
        String said = new JsonObject(line).getString("code", "");
        if (line.contains(SERVER) && (code.isEmpty() || said.equals(code))) {
          count++;
        }
      }
      return count;
    } catch (DecodeException torn) {
      return -1;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void mount(Path disk, String options) {
    try {
      Files.createDirectories(disk);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    command("mount", "-t", "tmpfs", "-o", options, "none", disk.toString());
  }

  private static void unmount(Path disk) {
    command("umount", disk.toString());
  }

  private static void command(String... words) {
    try {
      int code = new ProcessBuilder(words).inheritIO().start().waitFor();
      if (code != 0) {
        throw new IllegalStateException(String.join(" ", words) + " ended with " + code);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
