package dev.mcpbus.soak;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of the soak. Ends with 1 where something grew, or ended as it should not. */
@Command(name = "soak", mixinStandardHelpOptions = true, sortOptions = false)
public final class Soak implements java.util.concurrent.Callable<Integer> {

  @Option(names = "--jar", required = true, description = "The service under test.")
  private Path jar = Path.of("target/mcpbus.jar");

  @Option(names = "--out", required = true, description = "Where the figures go.")
  private Path out = Path.of("target/soak");

  @Option(names = "--echo", required = true, description = "The program of the stdio servers.")
  private Path echo = Path.of("target/soak/echo_stdio");

  @Option(names = "--every", description = "Seconds from one count to the next. Default: 60.")
  private int every = 60;

  @Option(names = "--minutes", description = "Of the mixture of everything. Default: 120.")
  private double minutes = 120;

  @Option(
      names = "--churn",
      paramLabel = "KIND",
      description = "One kind alone, a list with commas, or all, in place of the mixture.")
  private String churn = "";

  @Option(names = "--times", description = "How often the kind is done. Default: 10000.")
  private long times = 10_000;

  @Option(names = "--ci", description = "Everything in 7 minutes.")
  private boolean ci;

  /** See {@link Soak}. */
  public static void main(String[] args) {
    CommandLine line = new CommandLine(new Soak()).setOverwrittenOptionsAllowed(true);
    System.exit(line.execute(args));
  }

  @Override
  public Integer call() throws Exception {
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2));
    try {
      List<String> problems = new ArrayList<>();
      if (ci) {
        // Each has a service of its own, and both mostly wait until what they began has ended.
        CompletableFuture<List<String>> mixture =
            CompletableFuture.supplyAsync(
                () ->
                    new Mixture(vertx, setting())
                        .run(Duration.ofSeconds(216), Duration.ofSeconds(24)));
        try {
          problems.addAll(new ChurnRun(vertx, setting()).together(200));
        } finally { // its service ends with it
          problems.addAll(mixture.get());
        }
      } else if (churn.isEmpty()) {
        Duration all = Duration.ofMillis((long) (minutes * 60_000));
        problems.addAll(new Mixture(vertx, setting()).run(all, Duration.ofSeconds(every)));
      } else {
        problems.addAll(new ChurnRun(vertx, setting()).alone(churn, times));
      }
      problems.forEach(problem -> System.out.println("PROBLEM " + problem));
      System.out.println(problems.isEmpty() ? "nothing grew, every call ended" : "FAILED");
      return problems.isEmpty() ? 0 : 1;
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private SoakSetting setting() {
    return new SoakSetting(jar, out, echo);
  }
}
