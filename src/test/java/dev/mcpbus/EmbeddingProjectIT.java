package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Maven project of its own that depends on the thin jar and on nothing else: Maven resolves,
 * compiles and packs it offline, then it runs. Its local repository is that of this build, by
 * links, with mcpbus added, so the build's own repository stays as it is. It uses the plug-ins of
 * this build alone.
 */
class EmbeddingProjectIT {

  @TempDir Path folder;

  /** JUnit warns of links that lead out of its folder. */
  @AfterEach
  void removeLinks() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path link : all.filter(Files::isSymbolicLink).toList()) {
        Files.delete(link);
      }
    }
  }

  @Tag("long")
  @Test
  void a_project_with_one_dependency_compiles_and_calls_a_tool() throws Exception {
    Path project = copyOf(Path.of("src/test/embedding"));
    Path repository = repository();

    run(
        project,
        "mvn",
        "-o",
        "-q",
        "-B",
        "-Dmaven.repo.local=" + repository,
        "-Dmcpbus.version=" + version(),
        "-Dnetty.version=" + property("netty.version"),
        "-Dcompiler-plugin.version=" + property("compiler-plugin.version"),
        "-Djar-plugin.version=" + property("jar-plugin.version"),
        "compiler:compile",
        "jar:jar");

    Path jar = project.resolve("target/embedding.jar");
    Files.createSymbolicLink(jar.resolveSibling("lib"), repository);
    String output =
        run(
            project,
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-jar",
            jar.toString(),
            Path.of("src/test/resources/echo-server.sh").toAbsolutePath().toString());
    assertThat(output).contains("\"text\":\"embedded ");
    assertThat(libraries(jar))
        .as("mcpbus, and the jars of src/docs/embedding.md")
        .hasSize(jarsOnThePage() + 1);
  }

  private static List<String> libraries(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return List.of(file.getManifest().getMainAttributes().getValue("Class-Path").split(" "));
    }
  }

  private static int jarsOnThePage() throws IOException {
    Matcher jars =
        Pattern.compile("(\\d+) jars beside mcpbus")
            .matcher(Files.readString(Path.of("src/docs/embedding.md")));
    assertThat(jars.find()).isTrue();
    return Integer.parseInt(jars.group(1));
  }

  /** The local repository of this build, by links, and mcpbus. */
  private Path repository() throws IOException, URISyntaxException {
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

  private Path copyOf(Path project) throws IOException {
    Path copy = folder.resolve("project");
    try (Stream<Path> all = Files.walk(project)) {
      for (Path one : all.toList()) {
        Files.copy(one, copy.resolve(project.relativize(one)));
      }
    }
    return copy;
  }

  private static String version() throws IOException {
    return first("<artifactId>mcpbus</artifactId>\\s*<version>([^<]+)");
  }

  private static String property(String name) throws IOException {
    return first("<" + Pattern.quote(name) + ">([^<]+)");
  }

  private static String first(String pattern) throws IOException {
    Matcher found = Pattern.compile(pattern).matcher(Files.readString(Path.of("pom.xml")));
    assertThat(found.find()).as(pattern).isTrue();
    return found.group(1);
  }

  private String run(Path where, String... command) throws IOException, InterruptedException {
    Path log = folder.resolve("output");
    Process process =
        new ProcessBuilder(new ArrayList<>(Arrays.asList(command)))
            .directory(where.toFile())
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
