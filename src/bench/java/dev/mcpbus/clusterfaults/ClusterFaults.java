package dev.mcpbus.clusterfaults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of the cluster's fault runs. */
@Command(
    name = "cluster-faults",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Three nodes, faults on purpose, and a check of all that was written down.",
    footer = "Exit codes: 0 all held; 1 a promise or a figure did not hold; 2 wrong usage.")
public final class ClusterFaults implements Callable<Integer> {

  enum Scenario {
    kill,
    stop,
    merge,
    partition,
    link,
    roll,
    balanced,
    leave,
    pair,
    all,
    change,
    join,
    disk,
    random,
    late,
    load,
    upgrade
  }

  /** Those that cut links, and nothing else. */
  private static final Set<Scenario> CUTS = EnumSet.of(Scenario.partition, Scenario.link);

  /** Without that of half an hour, and that which needs a jar of another version. */
  private static final Set<Scenario> USUAL =
      EnumSet.complementOf(EnumSet.of(Scenario.load, Scenario.upgrade));

  @Option(
      names = "--only",
      split = ",",
      description =
          "Some of: ${COMPLETION-CANDIDATES}, with commas. Default: all but load and upgrade.")
  private Set<Scenario> only = USUAL;

  @Option(
      names = "--runs",
      description =
          "Of each but random. Default: 20 of kill, 6 of link, 5 of stop and partition, 3 of"
              + " merge, balanced, change, join and disk, else 1.")
  private Integer runs;

  @Option(names = "--schedules", description = "Random ones. Default: ${DEFAULT-VALUE}.")
  private int schedules = 10;

  @Option(names = "--calls", description = "Of each schedule. Default: ${DEFAULT-VALUE}.")
  private int calls = 50;

  @Option(names = "--late-calls", description = "Of late. Default: ${DEFAULT-VALUE}.")
  private int lateCalls = 20_000;

  @Option(names = "--minutes", description = "Of load. Default: ${DEFAULT-VALUE}.")
  private int minutes = 30;

  @Option(
      names = "--drain",
      description = "Of the nodes of balanced, whose balancer looks once a second. Default: 5s.")
  private String drain = "5s";

  @Option(
      names = "--skew",
      description =
          "Seconds by which the first node's time of day is ahead, and the last's behind.")
  private long skew;

  @Option(names = "--seed", description = "Of the first schedule; the next has the next number.")
  private long seed = System.nanoTime() & 0xffffff;

  @Option(names = "--lenient", description = "Figures are printed, and decide nothing.")
  private boolean lenient;

  @Option(names = "--old", description = "The jar of an older version, of upgrade.")
  private Path old;

  @Option(names = "--namespaces", hidden = true)
  private boolean namespaces;

  @Option(names = "--out", hidden = true, required = true)
  private Path out;

  @Option(names = "--jar", hidden = true, required = true)
  private Path jar;

  public static void main(String[] args) {
    System.exit(new CommandLine(new ClusterFaults()).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    if (!namespaces && CUTS.containsAll(only)) {
      System.err.println("links cannot be cut here: the script says what it needs");
      return CommandLine.ExitCode.USAGE;
    }
    if (only.contains(Scenario.upgrade) && (old == null || !Files.isReadable(old))) {
      System.err.println("upgrade needs --old JAR; src/scripts/rolling-upgrade makes one");
      return CommandLine.ExitCode.USAGE;
    }
    // A long number in the path of an entry would look like a secret, and the entry not be kept.
    String name = "run-" + Long.toString(System.nanoTime() / 1_000_000 % 46_656, 36);
    Path folder = Files.createDirectory(out.resolve(name));
    Links links = namespaces ? Links.namespaces(Cluster.NODES) : Links.loopback();
    System.out.printf(
        "nodes in %s, %s; load %s%n",
        folder,
        namespaces
            ? "each in a network namespace of its own"
            : "all on the loopback: links cannot be cut",
        load());
    if (skew != 0) {
      System.out.printf("clocks of n1 and n%d are %d s apart%n", Cluster.NODES, 2 * skew);
    }
    boolean held = false;
    try (Bed bed = new Bed(folder, jar.toAbsolutePath(), links, skew)) {
      try {
        bed.cluster().start();
        held = run(bed);
      } catch (IllegalStateException e) {
        System.out.println("FAILED " + e);
        bed.keep("failed");
      }
      held &= bed.report();
      held &= lenient || bed.figures().areReached();
    }
    System.out.printf("load at the end %s; %s%n", load(), held ? "all held" : "NOT all held");
    return held ? 0 : 1;
  }

  private boolean run(Bed bed) {
    owner(bed, Scenario.kill, OwnerFaults.Kind.KILL, 20);
    owner(bed, Scenario.stop, OwnerFaults.Kind.STOP, 5);
    if (only.contains(Scenario.merge)) {
      OwnerFaults faults = new OwnerFaults(bed);
      for (int i = 1; i <= runsOr(3); i++) {
        faults.atMerge(i);
      }
    }
    if (namespaces) {
      owner(bed, Scenario.partition, OwnerFaults.Kind.PARTITION, 5);
    }
    if (namespaces && only.contains(Scenario.link)) {
      for (int i = 1; i <= runsOr(6); i++) {
        try (LinkFaults faults = new LinkFaults(bed)) {
          faults.run(i);
        }
      }
    }
    boolean held = true;
    if (only.contains(Scenario.roll)) {
      for (int i = 1; i <= runsOr(1); i++) {
        try (RollingRestart roll = new RollingRestart(bed, seed + i)) {
          held &= roll.run(i) || lenient;
        }
      }
    }
    if (only.contains(Scenario.balanced)) {
      try (BehindBalancer balanced = new BehindBalancer(bed, seed)) {
        held &= balanced.run(runsOr(3), drain) || lenient;
      }
    }
    WholeFaults whole = new WholeFaults(bed);
    for (int i = 1; i <= runsOr(1); i++) {
      if (only.contains(Scenario.leave)) {
        held &= whole.leave(i);
      }
      if (only.contains(Scenario.pair)) {
        whole.pair(i);
      }
      if (only.contains(Scenario.all)) {
        whole.all(i);
      }
    }
    if (only.contains(Scenario.change)) {
      try (ChangeFaults changes = new ChangeFaults(bed)) {
        for (int i = 1; i <= runsOr(3); i++) {
          held &= changes.run(i);
        }
      }
    }
    if (only.contains(Scenario.join)) {
      try (JoinFaults joins = new JoinFaults(bed)) {
        for (int i = 1; i <= runsOr(3); i++) {
          held &= joins.run(i);
        }
      }
    }
    if (namespaces && only.contains(Scenario.disk)) {
      DiskFaults disks = new DiskFaults(bed);
      for (int i = 1; i <= runsOr(3); i++) {
        held &= disks.run(i);
      }
    }
    if (only.contains(Scenario.late)) {
      try (LateFaults late = new LateFaults(bed, seed)) {
        late.run(lateCalls);
      }
    }
    if (only.contains(Scenario.upgrade)) {
      for (int i = 1; i <= runsOr(1); i++) {
        try (UpgradeFaults upgrade = new UpgradeFaults(bed, seed + i)) {
          held &= upgrade.run(i, old.toAbsolutePath(), jar.toAbsolutePath());
        }
      }
    }
    if (only.contains(Scenario.load)) {
      try (FullLoad load = new FullLoad(bed)) {
        held &= load.run(Duration.ofMinutes(minutes)) || lenient;
      }
    }
    if (only.contains(Scenario.random)) {
      for (int i = 0; i < schedules; i++) {
        try (Schedules all = new Schedules(bed)) {
          all.run(seed + i, calls);
        } catch (IllegalStateException e) {
          System.out.println("FAILED seed " + (seed + i) + ": " + e.getMessage());
          bed.keep("failed seed " + (seed + i));
          held = false;
          bed.cluster().restart();
        }
      }
    }
    return held;
  }

  private void owner(Bed bed, Scenario scenario, OwnerFaults.Kind kind, int usual) {
    if (only.contains(scenario)) {
      OwnerFaults faults = new OwnerFaults(bed);
      for (int i = 1; i <= runsOr(usual); i++) {
        faults.run(kind, i);
      }
    }
  }

  private int runsOr(int usual) {
    return runs == null ? usual : runs;
  }

  private static String load() {
    try {
      return Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0];
    } catch (IOException e) {
      return "unknown";
    }
  }
}
