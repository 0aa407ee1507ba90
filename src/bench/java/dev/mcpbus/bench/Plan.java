package dev.mcpbus.bench;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * How long to measure what.
 *
 * @param kinds who takes part
 * @param callers of the closed loops
 * @param idleMillis that a connection has been idle when it is weighed, at least
 * @param warmupMillis at 64 callers, before the first round
 * @param sdkWarmupMillis the same for the SDK over HTTP
 * @param rounds in which all take their turns
 * @param roundMillis of one contender at one number of callers
 * @param pacedMillis of the run at {@link #PER_SECOND}
 */
record Plan(
    Set<Kind> kinds,
    List<Integer> callers,
    long idleMillis,
    long warmupMillis,
    long sdkWarmupMillis,
    int rounds,
    long roundMillis,
    long pacedMillis) {

  static final int JUDGED = 64;
  static final int PER_SECOND = 1_000;

  /** Longer than a pooled connection outlives the handshake. */
  private static final long IDLE_MILLIS = 20_000;

  private static final List<Integer> CALLERS = List.of(1, 16, JUDGED, 256);

  static final String USAGE =
      """
      Usage: src/scripts/bench core [--quick|--short] [--only stdio|http|many|eras] [--callers N]

        --quick    every row, but too short to mean anything: for a smoke test
        --short    about two minutes
        --only     stdio: child processes; http: Streamable HTTP; many: 1,000 connections;
                   eras: both, with and without the handshake
        --callers  only so many callers at a time
      """;

  /**
   * @throws IllegalArgumentException where {@code args} are not as {@link #USAGE} says
   */
  static Plan of(List<String> args) {
    Plan plan =
        args.contains("--quick")
            ? new Plan(EnumSet.allOf(Kind.class), CALLERS, 0, 100, 100, 1, 60, 150)
            : args.contains("--short")
                ? new Plan(
                    EnumSet.allOf(Kind.class), CALLERS, IDLE_MILLIS, 5_000, 8_000, 3, 1_000, 3_000)
                : new Plan(
                    EnumSet.allOf(Kind.class),
                    CALLERS,
                    IDLE_MILLIS,
                    8_000,
                    20_000,
                    5,
                    1_000,
                    5_000);
    for (int i = 0; i < args.size(); i++) {
      switch (args.get(i)) {
        case "--quick", "--short" -> {}
        case "--only" -> plan = plan.only(value(args, ++i));
        case "--callers" -> plan = plan.callers(Integer.parseInt(value(args, ++i)));
        default -> throw new IllegalArgumentException("unknown option " + args.get(i));
      }
    }
    return plan;
  }

  private static final Set<Kind> ERAS =
      EnumSet.of(Kind.STDIO_BUS, Kind.STDIO_BUS_MODERN, Kind.HTTP_BUS, Kind.HTTP_BUS_MODERN);

  private static String value(List<String> args, int index) {
    if (index >= args.size()) {
      throw new IllegalArgumentException(args.get(index - 1) + " needs a value");
    }
    return args.get(index);
  }

  private Plan only(String group) {
    Set<Kind> some = EnumSet.noneOf(Kind.class);
    for (Kind kind : kinds) {
      boolean chosen =
          switch (group) {
            case "stdio" -> !kind.isHttp();
            case "http" -> kind.isHttp() && !kind.hasMany();
            case "many" -> kind == Kind.HTTP_BUS || kind.hasMany();
            case "eras" -> ERAS.contains(kind);
            default -> throw new IllegalArgumentException("--only stdio, http, many or eras");
          };
      if (chosen) {
        some.add(kind);
      }
    }
    return new Plan(
        some, callers, idleMillis, warmupMillis, sdkWarmupMillis, rounds, roundMillis, pacedMillis);
  }

  private Plan callers(int number) {
    return new Plan(
        kinds,
        List.of(number),
        idleMillis,
        warmupMillis,
        sdkWarmupMillis,
        rounds,
        roundMillis,
        pacedMillis);
  }

  /** Only a full plan weighs connections that have been idle. */
  boolean isQuick() {
    return idleMillis == 0;
  }

  long warmup(Kind kind) {
    return kind.isHttpSdk() ? sdkWarmupMillis : warmupMillis;
  }
}
