package dev.mcpbus.testing;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A program like the servers of a test, which mcpbus does not know: what is written to it lies in
 * its pipe for as long as the machine is busy with others. So a test can tell the lateness of
 * mcpbus from that of the machine.
 */
public final class PipeWitness implements AutoCloseable {

  private static final long EVERY_MILLIS = 20;

  private final Path log;
  private final Process process;
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final ScheduledFuture<?> writing;

  /**
   * @param uptimeMillis the clock of the machine, as /proc/uptime tells it
   */
  public static PipeWitness start(Path folder, LongSupplier uptimeMillis) throws IOException {
    return new PipeWitness(folder.resolve("witness.log"), uptimeMillis);
  }

  private PipeWitness(Path log, LongSupplier uptimeMillis) throws IOException {
    this.log = log;
    this.process =
        new ProcessBuilder(
                "sh",
                "-c",
                "while read -r at; do read -r now rest </proc/uptime; echo $at $now; done")
            .redirectOutput(log.toFile())
            .start();
    PrintStream pipe = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    this.writing =
        clock.scheduleAtFixedRate(
            () -> pipe.println(uptimeMillis.getAsLong()), 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Ends the witness; answers the longest time that a line lay in the pipe, in milliseconds. */
  public long endAndTellLatest() throws IOException {
    close();
    return Files.readAllLines(log).stream()
        .map(line -> line.split(" ", -1))
        .filter(line -> line.length == 2 && !line[1].isEmpty())
        .mapToLong(line -> (long) (Double.parseDouble(line[1]) * 1_000) - Long.parseLong(line[0]))
        .max()
        .orElseThrow();
  }

  @Override
  public void close() {
    writing.cancel(false);
    clock.shutdown();
    process.destroyForcibly().onExit().join();
  }
}
