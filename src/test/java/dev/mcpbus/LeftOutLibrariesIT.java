package dev.mcpbus;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.OptionalLibrary;
import dev.mcpbus.testing.EmbeddedProgram;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that embeds mcpbus runs without each optional library, and without all of them. */
class LeftOutLibrariesIT {

  /** What every program needs, by the beginnings of file names. */
  private static final List<String> NEEDED =
      List.of(
          "vertx-core-",
          "vertx-json-schema-",
          "netty-",
          "jackson-core-2",
          "jna-",
          "slf4j-api-",
          "jspecify-");

  private static final Map<OptionalLibrary, List<String>> JARS =
      Map.ofEntries(
          entry(OptionalLibrary.HAZELCAST, List.of("hazelcast-", "vertx-hazelcast-")),
          entry(OptionalLibrary.LOGBACK, List.of("logback-")),
          entry(OptionalLibrary.LUCENE, List.of("lucene-")),
          entry(
              OptionalLibrary.MCP_SDK,
              List.of(
                  "mcp-2",
                  "mcp-core-",
                  "mcp-json-",
                  "reactor-core-",
                  "reactive-streams-",
                  "jackson-core-3",
                  "jackson-databind-3",
                  "jackson-annotations-")),
          entry(OptionalLibrary.MICROMETER, List.of("micrometer-", "prometheus-metrics-")),
          entry(OptionalLibrary.NIMBUS, List.of("nimbus-jose-jwt-")),
          entry(OptionalLibrary.OPENTELEMETRY, List.of("opentelemetry-")),
          entry(OptionalLibrary.PICOCLI, List.of("picocli-")),
          entry(OptionalLibrary.RESILIENCE4J, List.of("resilience4j-")),
          entry(OptionalLibrary.SNAKEYAML, List.of("snakeyaml-engine-")),
          entry(OptionalLibrary.TOML, List.of("jackson-dataformat-toml-", "jackson-databind-2")),
          entry(
              OptionalLibrary.VERTX_WEB,
              List.of("vertx-web-", "vertx-auth-common-", "vertx-eventbus-bridge-common-")));

  @TempDir Path folder;

  @Test
  void without_any_of_them() throws Exception {
    assertThat(run(Set.of(OptionalLibrary.values()), "NONE")).contains("FAILURE none");
  }

  @Test
  void the_page_says_how_many_jars_a_program_needs() throws IOException {
    List<String> needed =
        entries().stream()
            .map(File::new)
            .filter(LeftOutLibrariesIT::isNeeded)
            .map(File::getName)
            .toList();

    assertThat(Files.readString(Path.of("src/docs/embedding.md")))
        .contains(needed.size() + " jars beside mcpbus");
  }

  @Test
  void without_hazelcast() throws Exception {
    assertThat(without(OptionalLibrary.HAZELCAST)).contains("com.hazelcast:hazelcast");
  }

  @Test
  void without_logback() throws Exception {
    assertThat(run(Set.of(OptionalLibrary.LOGBACK), "LOGBACK")).contains("FAILURE none");
  }

  @Test
  void without_lucene() throws Exception {
    assertThat(without(OptionalLibrary.LUCENE)).contains("org.apache.lucene:lucene-core");
  }

  @Test
  void without_the_sdk_and_reactor() throws Exception {
    assertThat(without(OptionalLibrary.MCP_SDK)).contains("io.modelcontextprotocol.sdk:mcp");
  }

  @Test
  void without_micrometer() throws Exception {
    assertThat(without(OptionalLibrary.MICROMETER))
        .contains("io.micrometer:micrometer-registry-prometheus");
  }

  @Test
  void without_opentelemetry() throws Exception {
    assertThat(without(OptionalLibrary.OPENTELEMETRY))
        .contains("io.opentelemetry:opentelemetry-sdk-extension-autoconfigure");
  }

  @Test
  void without_picocli() throws Exception {
    String output = run(Set.of(OptionalLibrary.PICOCLI), "PICOCLI");

    assertThat(output).contains(OptionalLibrary.PICOCLI.missing(), "info.picocli:picocli");
    assertThat(output).contains("exit code 1");
  }

  @Test
  void without_yaml_and_toml() throws Exception {
    assertThat(run(Set.of(OptionalLibrary.SNAKEYAML, OptionalLibrary.TOML), "SNAKEYAML"))
        .contains(OptionalLibrary.SNAKEYAML.missing(), "org.snakeyaml:snakeyaml-engine")
        .contains(OptionalLibrary.TOML.missing(), "jackson-dataformat-toml");
  }

  @Test
  void without_tokens() throws Exception {
    assertThat(without(OptionalLibrary.NIMBUS)).contains("com.nimbusds:nimbus-jose-jwt");
  }

  @Test
  void without_http() throws Exception {
    assertThat(without(OptionalLibrary.VERTX_WEB)).contains("io.vertx:vertx-web");
  }

  /** The main job works, and the feature that needs the library says what is missing. */
  private String without(OptionalLibrary library) throws Exception {
    String output = run(Set.of(library), library.name());
    assertThat(output).contains(library.missing());
    return output;
  }

  private String run(Set<OptionalLibrary> leftOut, String feature) throws Exception {
    Path yaml = Files.writeString(folder.resolve("mcp.yaml"), "mcp_servers: {}\n");
    Files.writeString(folder.resolve("mcp.toml"), "[mcp_servers]\n");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
    command.add(classPath(leftOut));
    command.add(EmbeddedProgram.class.getName());
    command.addAll(
        List.of(
            feature,
            Path.of("src/test/resources/echo-server.sh").toAbsolutePath().toString(),
            yaml.toString()));
    Path log = folder.resolve("output");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .redirectInput(new File("/dev/null"))
            .start();
    int code = process.waitFor();
    String output = Files.readString(log) + "exit code " + code;
    assertThat(output).as("the main job").contains("\"text\":\"one ", "\"text\":\"hello\"");
    assertThat(output).as("the facade").contains("TOOLS greet", "STOOD IN FOR a server");
    assertThat(output).doesNotContain("NoClassDefFoundError", "ClassNotFoundException");
    return output;
  }

  /** The class path of this test, with the jars of a program that leaves out some libraries. */
  private static String classPath(Set<OptionalLibrary> leftOut) {
    return entries().stream()
        .filter(entry -> !entry.endsWith(".jar") || isOurs(entry) || isKept(entry, leftOut))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static List<String> entries() {
    return List.of(System.getProperty("java.class.path").split(File.pathSeparator));
  }

  private static boolean isOurs(String entry) {
    return new File(entry).getName().startsWith("mcpbus");
  }

  private static boolean isKept(String entry, Set<OptionalLibrary> leftOut) {
    return isNeeded(new File(entry))
        || JARS.entrySet().stream()
            .filter(library -> !leftOut.contains(library.getKey()))
            .flatMap(library -> library.getValue().stream())
            .anyMatch(new File(entry).getName()::startsWith);
  }

  private static boolean isNeeded(File jar) {
    return Stream.of(NEEDED).flatMap(List::stream).anyMatch(jar.getName()::startsWith);
  }
}
