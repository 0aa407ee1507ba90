package dev.mcpbus.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * How tests start the executable jar: quickly, by the first compiler alone and with an archive of
 * its classes, which the first of all test JVMs that needs it makes beside the jar.
 */
public final class ServiceJar {

  private static final List<String> FLAGS =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xlog:cds*=off");

  private static final Path HOME = Path.of(System.getProperty("java.home"));

  private static final long PATIENCE_MINUTES = 2;

  private ServiceJar() {}

  /**
   * The command line of {@code java -jar mcpbus.jar}, without arguments.
   *
   * @param jvm options for the JVM, such as {@code -Xmx256m}
   */
  public static List<String> command(List<String> jvm) {
    return command(HOME, jvm);
  }

  /**
   * The same with another JVM, which has no archive.
   *
   * @param home its folder, with {@code bin/java}
   */
  static List<String> command(Path home, List<String> jvm) {
    Path jar = Path.of(System.getProperty("mcpbus.jar", "target/mcpbus.jar")).toAbsolutePath();
    assertThat(Files.isRegularFile(jar))
        .as("%s is missing; build it with 'mvn -DskipTests package'", jar)
        .isTrue();
    List<String> command = java(home);
    if (home.equals(HOME)) {
      command.addAll(archive(jar));
    }
    command.addAll(jvm);
    command.addAll(List.of("-jar", jar.toString()));
    return command;
  }

  private static List<String> java(Path home) {
    List<String> command = new ArrayList<>();
    command.add(home.resolve("bin").resolve("java").toString());
    command.addAll(FLAGS);
    return command;
  }

  /** Options that name the archive. The JVM goes on without one that it does not take. */
  private static synchronized List<String> archive(Path jar) {
    Path archive = jar.resolveSibling("mcpbus.jsa");
    Path lock = jar.resolveSibling("mcpbus.jsa.lock");
    try (FileChannel channel =
            FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock held = channel.lock()) {
      assertThat(held.isValid()).isTrue();
      if (!Files.exists(archive)
          || Files.getLastModifiedTime(archive).compareTo(Files.getLastModifiedTime(jar)) < 0) {
        make(jar, archive);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return List.of("-XX:SharedArchiveFile=" + archive, "-Xshare:auto");
  }

  private static void make(Path jar, Path archive) throws IOException, InterruptedException {
    Path made = archive.resolveSibling("mcpbus.jsa.new");
    Path log = archive.resolveSibling("mcpbus.jsa.log");
    List<String> command = java(HOME);
    command.add("-XX:ArchiveClassesAtExit=" + made);
    command.addAll(List.of("-jar", jar.toString(), "archive-training"));
    Process process =
        new ProcessBuilder(command)
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    assertThat(process.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    Files.move(made, archive, StandardCopyOption.REPLACE_EXISTING);
  }
}
