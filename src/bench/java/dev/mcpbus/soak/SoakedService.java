package dev.mcpbus.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The process whose objects are counted: the jar with a heap of 256 MiB. */
final class SoakedService implements AutoCloseable {

  private static final Pattern BRIDGE = Pattern.compile("Bridge: https?://127\\.0\\.0\\.1:(\\d+)");
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Duration LAST_TABLE = Duration.ofSeconds(18);

  private final SoakBed bed;
  private final Process process;
  private final int port;

  private SoakedService(SoakBed bed, Process process) {
    this.bed = bed;
    this.process = process;
    this.port = awaitPort();
  }

  static SoakedService start(SoakBed bed, Path jar) {
    bed.prepare();
    Path folder = bed.folder();
    List<String> command =
        List.of(
            java(),
            "-Xmx256m",
            "-Duser.home=" + folder.toAbsolutePath(),
            "-jar",
            jar.toAbsolutePath().toString(),
            "--config",
            bed.file().getFileName().toString(),
            "--port",
            "0");
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().remove("MCPBUS_LOG");
    builder.environment().put("MCPBUS_PIN_FILE", folder.resolve("pins.json").toString());
    builder.redirectInput(Path.of("/dev/null").toFile());
    builder.redirectOutput(folder.resolve("out.log").toFile());
    builder.redirectError(folder.resolve("err.log").toFile());
    try {
      Process process = builder.start();
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
      return new SoakedService(bed, process);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  SoakBed bed() {
    return bed;
  }

  int port() {
    return port;
  }

  long pid() {
    return process.pid();
  }

  boolean runs() {
    return process.isAlive();
  }

  Path log() {
    return bed.folder().resolve("err.log");
  }

  private int awaitPort() {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < until && process.isAlive()) {
      try {
        String report = Files.readString(bed.folder().resolve("out.log"));
        Matcher found = BRIDGE.matcher(report);
        // After the last table, so that no server is still starting.
        boolean settled =
            report.lastIndexOf("  CONNECTION") > report.lastIndexOf("the table follows again")
                || System.nanoTime() > until - PATIENCE.toNanos() + LAST_TABLE.toNanos();
        if (settled && found.find()) {
          return Integer.parseInt(found.group(1));
        }
        Thread.sleep(100);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    process.destroyForcibly();
    throw new IllegalStateException("the service did not start; see the logs in " + bed.folder());
  }

  /** Live objects after a full collection, by the JDK's own tool. */
  LiveObjects objects() {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    ProcessBuilder builder =
        new ProcessBuilder(jcmd.toString(), Long.toString(pid()), "GC.class_histogram")
            .redirectErrorStream(true);
    try {
      Process tool = builder.start();
      try (var lines = tool.inputReader()) {
        return LiveObjects.parse(lines.lines());
      } finally {
        tool.waitFor(30, TimeUnit.SECONDS);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  long threads() {
    return status("Threads:");
  }

  /** Resident memory. */
  long residentKilobytes() {
    return status("VmRSS:");
  }

  private long status(String name) {
    try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(pid()), "status"))) {
      return lines
          .filter(line -> line.startsWith(name))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Open files and sockets. */
  long handles() {
    try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(pid()), "fd"))) {
      return open.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  long children() {
    return process.descendants().count();
  }

  /** The children that run this program. */
  List<ProcessHandle> children(Path program) {
    String path = program.toAbsolutePath().toString();
    return process
        .descendants()
        .filter(child -> child.info().command().filter(path::equals).isPresent())
        .toList();
  }

  /** Ends it as an operator does; it has 30 s. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IllegalStateException("the service did not end within 30 s of SIGTERM");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
