package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the jar that people run is made of. */
class JarContentsIT {

  /** Groups whose jars are packed as they are; what Hazelcast packs into itself it renames. */
  private static final List<String> GROUPS =
      List.of("io.netty", "io.vertx", "ch.qos.logback", "io.modelcontextprotocol.sdk");

  /** The first release without the flaws in request parsing that were published in 2026. */
  private static final String NETTY_FLOOR = "4.2.20";

  @Test
  void the_bill_of_materials_names_what_is_in_the_jar_with_its_versions() throws IOException {
    try (JarFile jar = jar()) {
      Map<String, String> packed = packed(jar);

      assertThat(packed).hasSizeGreaterThan(20);
      assertThat(listed(jar)).containsAllEntriesOf(packed);
    }
  }

  @Test
  void the_jar_holds_one_netty_and_none_with_published_flaws() throws IOException {
    try (JarFile jar = jar()) {
      List<String> versions =
          packed(jar).entrySet().stream()
              .filter(e -> e.getKey().startsWith("io.netty:"))
              .filter(e -> !e.getKey().endsWith(":netty-tcnative-classes")) // counts by itself
              .map(Map.Entry::getValue)
              .distinct()
              .toList();

      assertThat(versions).hasSize(1);
      String version = versions.get(0).replace(".Final", "");
      assertThat(Runtime.Version.parse(version))
          .isGreaterThanOrEqualTo(Runtime.Version.parse(NETTY_FLOOR));
    }
  }

  @Test
  void the_runnable_jar_holds_the_libraries_that_are_optional_for_programs() throws IOException {
    List<String> optional =
        List.of(
            "ch/qos/logback/classic/LoggerContext",
            "com/fasterxml/jackson/dataformat/toml/TomlFactory",
            "com/hazelcast/core/HazelcastInstance",
            "com/nimbusds/jose/JWSObject",
            "io/github/resilience4j/circuitbreaker/CircuitBreaker",
            "io/micrometer/prometheusmetrics/PrometheusMeterRegistry",
            "io/modelcontextprotocol/spec/McpSchema",
            "io/opentelemetry/sdk/OpenTelemetrySdk",
            "io/vertx/ext/web/Router",
            "io/vertx/spi/cluster/hazelcast/HazelcastClusterManager",
            "org/apache/lucene/analysis/en/PorterStemFilter",
            "org/apache/lucene/index/IndexWriter",
            "org/snakeyaml/engine/v2/api/LoadSettings",
            "picocli/CommandLine",
            "reactor/core/publisher/Mono");
    try (JarFile runnable = jar();
        JarFile library = new JarFile(library().toFile())) {
      for (String type : optional) {
        assertThat(runnable.getEntry(type + ".class")).as(type).isNotNull();
        assertThat(library.getEntry(type + ".class")).as(type).isNull();
      }
      assertThat(library.getEntry("META-INF/LICENSE")).isNotNull();
    }
  }

  @Test
  void only_the_runnable_jar_sets_up_the_log() throws IOException {
    String setup = "META-INF/services/ch.qos.logback.classic.spi.Configurator";
    try (JarFile runnable = jar();
        JarFile library = new JarFile(library().toFile())) {
      assertThat(runnable.getEntry(setup)).isNotNull();
      assertThat(library.getEntry("dev/mcpbus/McpBus.class")).isNotNull();
      assertThat(library.getEntry(setup)).isNull();
      for (String file : List.of("logback.xml", "logback-test.xml")) {
        assertThat(library.getEntry(file)).as(file).isNull();
        assertThat(runnable.getEntry(file)).as(file).isNull();
      }
    }
  }

  /** The jar that programs embed, beside the runnable one. */
  private static Path library() throws IOException {
    Path folder = Path.of(System.getProperty("mcpbus.jar", "target/mcpbus.jar")).resolveSibling("");
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(
              file -> file.getFileName().toString().matches("mcpbus-\\d[^-]*(-SNAPSHOT)?\\.jar"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static JarFile jar() throws IOException {
    return new JarFile(System.getProperty("mcpbus.jar", "target/mcpbus.jar"));
  }

  private static Map<String, String> listed(JarFile jar) throws IOException {
    JsonObject sbom;
    try (InputStream in = jar.getInputStream(jar.getEntry("META-INF/sbom/mcpbus.cdx.json"))) {
      sbom = new JsonObject(Buffer.buffer(in.readAllBytes()));
    }
    Map<String, String> listed = new TreeMap<>();
    for (Object each : sbom.getJsonArray("components")) {
      JsonObject part = (JsonObject) each;
      listed.put(part.getString("group") + ":" + part.getString("name"), part.getString("version"));
    }
    return listed;
  }

  /** What each packed jar says of itself, in the file that Maven writes into it. */
  private static Map<String, String> packed(JarFile jar) throws IOException {
    Map<String, String> packed = new TreeMap<>();
    for (var entry : jar.stream().filter(e -> e.getName().endsWith("/pom.properties")).toList()) {
      Properties pom = new Properties();
      try (InputStream in = jar.getInputStream(entry)) {
        pom.load(in);
      }
      if (GROUPS.contains(pom.getProperty("groupId"))) {
        packed.put(
            pom.getProperty("groupId") + ":" + pom.getProperty("artifactId"),
            pom.getProperty("version"));
      }
    }
    return packed;
  }
}
