package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mcpbus.testing.Javas;
import io.vertx.core.Vertx;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The Maven projects of {@code src/test/embedding}, which depend on the thin jar and on what they
 * need besides: Maven resolves, compiles, tests and packs them, then each program runs on the Java
 * of this build and on the newest. Their local repository is that of this build, by links, with
 * mcpbus added. They use the plug-ins of this build alone.
 */
@Tag("release")
class EmbeddingProjectsIT {

  private static final Path PROJECTS = Path.of("src/test/embedding");
  private static final String ECHO =
      Path.of("src/test/resources/echo-server.sh").toAbsolutePath().toString();

  @TempDir static Path folder;

  private static Path built;
  private static Path repository;

  @BeforeAll
  static void build() throws Exception {
    repository = repository();
    built = copyOf(PROJECTS);
    maven("compiler:compile", "compiler:testCompile", "surefire:test", "jar:jar");
    for (String project : projects()) {
      if (Files.isDirectory(built.resolve(project).resolve("target"))) {
        Files.createSymbolicLink(built.resolve(project).resolve("target/lib"), repository);
      }
    }
  }

  /** JUnit warns of links that lead out of its folder. */
  @AfterAll
  static void removeLinks() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path link : all.filter(Files::isSymbolicLink).toList()) {
        Files.delete(link);
      }
    }
  }

  static List<String> projects() throws IOException {
    try (Stream<Path> all = Files.list(PROJECTS)) {
      return all.filter(Files::isDirectory)
          .map(project -> project.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  /** Those with a program; the others have tests, which Maven has run. */
  static List<String> programs() throws IOException {
    return projects().stream()
        .filter(project -> Files.exists(PROJECTS.resolve(project).resolve("src/main")))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("programs")
  void a_program_calls_a_tool(String project) throws Exception {
    assertCalls(Javas.present(), List.of("-jar", jar(project).toString()));
  }

  @ParameterizedTest
  @MethodSource("programs")
  void a_program_calls_a_tool_on_the_newest_java(String project) throws Exception {
    Path newest = Javas.newest();
    assumeTrue(newest != null, "no Java 25 is here");
    assertCalls(newest, List.of("-jar", jar(project).toString()));
  }

  @Test
  void on_the_module_path() throws Exception {
    Path jar = jar("modulepath");
    List<String> path = new ArrayList<>(libraries(jar));
    path.replaceAll(library -> jar.resolveSibling(library).toString());
    path.add(jar.toString());
    assertCalls(
        Javas.present(),
        List.of(
            "-p",
            String.join(File.pathSeparator, path),
            "--add-modules",
            "ALL-MODULE-PATH",
            "-m",
            "embedding/embedding.Program"));
  }

  @Test
  void on_a_runtime_of_the_modules_that_the_page_names() throws Exception {
    Path runtime = folder.resolve("runtime");
    run(
        Javas.present().resolve("bin/jlink").toString(),
        "--add-modules",
        onThePage("jlink --add-modules ([\\w.,]+)"),
        "--output",
        runtime.toString());
    assertCalls(runtime, List.of("-jar", jar("plain").toString()));
  }

  @Test
  void the_tests_of_a_project_pass_on_the_newest_java() throws Exception {
    Path newest = Javas.newest();
    assumeTrue(newest != null, "no Java 25 is here");
    maven("-pl", "junit5", "-Djvm=" + newest.resolve("bin/java"), "surefire:test");
  }

  @Test
  void a_program_needs_the_jars_of_the_page() throws IOException {
    assertThat(libraries(jar("plain")))
        .hasSize(Integer.parseInt(onThePage("(\\d+) jars beside mcpbus")) + 1);
  }

  private static void assertCalls(Path java, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(java.resolve("bin/java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(arguments);
    command.add(ECHO);
    assertThat(run(command.toArray(String[]::new))).contains("embedded ");
  }

  private static Path jar(String project) {
    return built.resolve(project).resolve("target").resolve(project + ".jar");
  }

  private static List<String> libraries(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return List.of(file.getManifest().getMainAttributes().getValue("Class-Path").split(" "));
    }
  }

  private static String onThePage(String pattern) throws IOException {
    return first(Path.of("src/docs/embedding.md"), pattern);
  }

  /** The local repository of this build, by links, and mcpbus. */
  private static Path repository() throws IOException, URISyntaxException {
    Path present =
        Path.of(Vertx.class.getProtectionDomain().getCodeSource().getLocation().toURI())
            .resolve("../../../../..")
            .normalize();
    Path made = Files.createDirectories(folder.resolve("repository"));
    link(present, made, "dev");
    link(present.resolve("dev"), Files.createDirectories(made.resolve("dev")), "mcpbus");
    String version = version();
    Path place = Files.createDirectories(made.resolve("dev/mcpbus/mcpbus").resolve(version));
    Path thin = Path.of("target", "mcpbus-" + version + ".jar");
    assertThat(thin).as("the thin jar; build it with 'mvn -DskipTests package'").exists();
    Files.copy(thin, place.resolve(thin.getFileName()));
    Files.copy(Path.of("pom.xml"), place.resolve("mcpbus-" + version + ".pom"));
    return made;
  }

  private static void link(Path from, Path to, String except) throws IOException {
    try (Stream<Path> all = Files.list(from)) {
      for (Path one : all.filter(each -> !each.endsWith(except)).toList()) {
        Files.createSymbolicLink(to.resolve(one.getFileName()), one);
      }
    }
  }

  private static Path copyOf(Path projects) throws IOException {
    Path copy = folder.resolve("projects");
    try (Stream<Path> all = Files.walk(projects)) {
      for (Path one : all.toList()) {
        Files.copy(one, copy.resolve(projects.relativize(one)));
      }
    }
    return copy;
  }

  private static String version() throws IOException {
    return first(Path.of("pom.xml"), "<artifactId>mcpbus</artifactId>\\s*<version>([^<]+)");
  }

  private static String first(Path file, String pattern) throws IOException {
    Matcher found = Pattern.compile(pattern).matcher(Files.readString(file));
    assertThat(found.find()).as(pattern).isTrue();
    return found.group(1);
  }

  /** With the versions of this build. */
  private static void maven(String... goals) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("mvn", "-q", "-B"));
    command.add("-f");
    command.add(built.resolve("pom.xml").toString());
    command.add("-Dmaven.repo.local=" + repository);
    command.add("-Dmcpbus.version=" + version());
    command.add("-Decho=" + ECHO);
    Matcher versions =
        Pattern.compile("<([\\w-]+(?:\\.version)?)>([\\w.-]+)</\\1>")
            .matcher(first(Path.of("pom.xml"), "(?s)<properties>(.*?)</properties>"));
    while (versions.find()) {
      if (versions.group(1).endsWith(".version")) {
        command.add("-D" + versions.group(1) + "=" + versions.group(2));
      }
    }
    command.addAll(List.of(goals));
    run(command.toArray(String[]::new));
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Path log = folder.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .redirectInput(new File("/dev/null"))
            .start();
    boolean ended = process.waitFor(3, TimeUnit.MINUTES);
    process.destroyForcibly();
    String output = Files.readString(log);
    assertThat(ended && process.exitValue() == 0).as("%s\n%s", command[0], output).isTrue();
    return output;
  }
}
