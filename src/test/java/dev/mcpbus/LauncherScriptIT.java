package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code src/scripts/mcpbus}: what it prints, and the archive of classes that it makes and uses.
 */
class LauncherScriptIT {

  private static final Path SCRIPT =
      Path.of(System.getProperty("mcpbus.basedir", "."), "src", "scripts", "mcpbus");
  private static final Path JAR =
      Path.of(System.getProperty("mcpbus.jar", "target/mcpbus.jar")).toAbsolutePath();
  private static final Duration ARCHIVE_TIME = Duration.ofSeconds(90);
  private static final String VERSION = "mcpbus \\d+\\.\\d+\\.\\d+\\S*\n";

  /** One run to the end. */
  private record Run(int code, String out, String err) {}

  @TempDir Path folder;
  private Path cache;
  private Path archives;

  @BeforeEach
  void prepare() throws IOException {
    cache = Files.createDirectory(folder.resolve("cache"));
    archives = cache.resolve("mcpbus");
  }

  private ProcessBuilder builder(Path script, String... args) {
    List<String> command = new ArrayList<>(List.of(script.toAbsolutePath().toString()));
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().put("MCPBUS_JAR", JAR.toString());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("XDG_CACHE_HOME", cache.toString());
    builder.environment().keySet().removeAll(List.of("MCPBUS_ARCHIVE", "MCPBUS_JAVA_OPTS"));
    return builder;
  }

  private Run run(ProcessBuilder builder) {
    Path out = folder.resolve("out-" + System.nanoTime());
    Path err = folder.resolve("err-" + System.nanoTime());
    try {
      Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      return new Run(process.exitValue(), Files.readString(out), Files.readString(err));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private List<Path> archives(String end) {
    if (!Files.isDirectory(archives)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(archives)) {
      return all.filter(file -> file.toString().endsWith(end)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitArchive() {
    Awaitility.await()
        .atMost(ARCHIVE_TIME)
        .until(() -> archives(".jsa").size() == 1 && archives(".lock").isEmpty());
  }

  /** The files in the memory of a service that the script starts; SIGTERM reaches it. */
  private String filesOfService() throws IOException, InterruptedException {
    Process service = builder(SCRIPT, "run", "--port", "0").redirectErrorStream(true).start();
    try (BufferedReader lines = service.inputReader()) {
      String line = lines.readLine();
      while (line != null && !line.startsWith("Bridge: ")) {
        line = lines.readLine();
      }
      assertThat(line).isNotNull();
      return Files.readString(Path.of("/proc/" + service.pid() + "/maps"));
    } finally {
      service.destroy();
      assertThat(service.waitFor()).isEqualTo(128 + 15);
    }
  }

  private void assertClean(Run run) {
    assertThat(run.out()).matches(VERSION);
    assertThat(run.err()).isEmpty();
    assertThat(run.code()).isZero();
  }

  @Tag("release")
  @Test
  void the_first_start_makes_an_archive_for_its_user_alone_and_the_next_ones_use_it()
      throws IOException, InterruptedException {
    // Several at a time: one of them makes it.
    List<Process> first = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      first.add(builder(SCRIPT, "--version").redirectErrorStream(true).start());
    }
    for (Process one : first) {
      assertThat(new String(one.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .matches(VERSION);
    }
    awaitArchive();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(archives)))
        .isEqualTo("rwx------");

    assertThat(filesOfService()).contains(archives(".jsa").get(0).toString());

    // Broken from here on: slower, and silent.
    Path archive = archives(".jsa").get(0);
    Files.delete(archive);
    Files.writeString(archive, "no archive");
    assertClean(run(builder(SCRIPT, "--version")));
  }

  @Test
  void it_starts_where_nothing_can_be_written_and_without_a_home() throws IOException {
    Files.delete(cache);
    Files.writeString(cache, "a file where the directory should be");
    assertClean(run(builder(SCRIPT, "--version")));
    assertThat(cache).isRegularFile();

    ProcessBuilder homeless = builder(SCRIPT, "--version");
    homeless.environment().keySet().removeAll(List.of("XDG_CACHE_HOME", "HOME"));
    assertClean(run(homeless));
  }

  @Tag("release")
  @Test
  void a_given_archive_is_used_and_none_is_made() throws IOException {
    Path archive = folder.resolve("mcpbus.jsa");
    ProcessBuilder make = builder(SCRIPT, "make-archive");
    make.environment().put("MCPBUS_ARCHIVE", archive.toString());
    assertThat(run(make)).isEqualTo(new Run(0, "", ""));
    assertThat(archive).isNotEmptyFile();

    ProcessBuilder use = builder(SCRIPT, "--version");
    use.environment().put("MCPBUS_ARCHIVE", archive.toString());
    assertClean(run(use));
    assertThat(archives).doesNotExist();

    ProcessBuilder nowhere = builder(SCRIPT, "make-archive");
    nowhere.environment().put("MCPBUS_ARCHIVE", folder.resolve("no/where.jsa").toString());
    Run failed = run(nowhere);
    assertThat(failed.code()).isEqualTo(1);
    assertThat(failed.err()).contains("\nmcpbus: the archive ", " cannot be made");
  }

  @Test
  void a_link_finds_the_jar_beside_the_script_and_arguments_pass_unchanged() throws IOException {
    Path home = Files.createDirectory(folder.resolve("a home"));
    Path script = Files.copy(SCRIPT, home.resolve("mcpbus"));
    Files.createSymbolicLink(home.resolve("mcpbus.jar"), JAR);
    Path link = Files.createSymbolicLink(folder.resolve("word"), Path.of("a home/mcpbus"));
    assertThat(Files.exists(script, LinkOption.NOFOLLOW_LINKS)).isTrue();
    ProcessBuilder linked = builder(link, "check", "--config", "a file; $(true).json");
    linked.environment().remove("MCPBUS_JAR");
    linked.environment().put("MCPBUS_ARCHIVE", "off");
    assertThat(run(linked).err()).contains("a file; $(true).json", "does not exist");
  }

  @Test
  void a_missing_jar_or_jvm_is_named_with_the_remedy() {
    ProcessBuilder jar = builder(SCRIPT, "--version");
    jar.environment().put("MCPBUS_JAR", "/nowhere/mcpbus.jar");
    assertThat(run(jar))
        .isEqualTo(
            new Run(
                1, "", "mcpbus: /nowhere/mcpbus.jar cannot be read; MCPBUS_JAR names the jar\n"));
    ProcessBuilder java = builder(SCRIPT, "--version");
    java.environment().put("JAVA_HOME", "/nowhere");
    assertThat(run(java).err()).contains("/nowhere/bin/java is missing", "JAVA_HOME");
  }
}
