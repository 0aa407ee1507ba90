package dev.mcpbus.internals;

/**
 * The libraries that a program may leave out, because only some features need them. A feature calls
 * {@link #require} before it touches a class of its library, so its failure names the library.
 * Thread-safe.
 */
public enum OptionalLibrary {
  HAZELCAST(
      "A cluster",
      "Hazelcast",
      "com.hazelcast.core.HazelcastInstance",
      "io.vertx:vertx-hazelcast and com.hazelcast:hazelcast"),
  LOGBACK(
      "A change of log levels at run time",
      "Logback",
      "ch.qos.logback.classic.LoggerContext",
      "ch.qos.logback:logback-classic"),
  LUCENE(
      "The search of tools (mcp.tools.search, catalog.search)",
      "Lucene",
      "org.apache.lucene.index.IndexWriter",
      "org.apache.lucene:lucene-core and org.apache.lucene:lucene-analysis-common"),
  MCP_SDK(
      "A record of the MCP SDK, and a server of the SDK,",
      "the MCP SDK",
      "io.modelcontextprotocol.spec.McpSchema",
      "io.modelcontextprotocol.sdk:mcp"),
  MICROMETER(
      "GET /metrics (metrics)",
      "Micrometer",
      "io.micrometer.prometheusmetrics.PrometheusMeterRegistry",
      "io.micrometer:micrometer-registry-prometheus"),
  NIMBUS(
      "The login with tokens (auth.jwt), and OAuth with DPoP or a private key,",
      "nimbus-jose-jwt",
      "com.nimbusds.jose.JWSObject",
      "com.nimbusds:nimbus-jose-jwt"),
  OPENTELEMETRY(
      "Tracing (tracing)",
      "OpenTelemetry",
      "io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk",
      "io.opentelemetry:opentelemetry-sdk-extension-autoconfigure, opentelemetry-exporter-otlp and"
          + " opentelemetry-exporter-sender-jdk"),
  PICOCLI("The command line", "picocli", "picocli.CommandLine", "info.picocli:picocli"),
  RESILIENCE4J(
      "A circuit breaker (breaker)",
      "resilience4j",
      "io.github.resilience4j.circuitbreaker.CircuitBreaker",
      "io.github.resilience4j:resilience4j-circuitbreaker"),
  SNAKEYAML(
      "A configuration in YAML, or the SKILL.md of a skill over the bus,",
      "snakeyaml-engine",
      "org.snakeyaml.engine.v2.api.LoadSettings",
      "org.snakeyaml:snakeyaml-engine"),
  TOML(
      "A configuration in TOML",
      "jackson-dataformat-toml",
      "com.fasterxml.jackson.dataformat.toml.TomlFactory",
      "com.fasterxml.jackson.dataformat:jackson-dataformat-toml"),
  VERTX_WEB("HTTP (bridge)", "vertx-web", "io.vertx.ext.web.Router", "io.vertx:vertx-web");

  private final String feature;
  private final String library;
  private final String type;
  private final String coordinates;

  OptionalLibrary(String feature, String library, String type, String coordinates) {
    this.feature = feature;
    this.library = library;
    this.type = type;
    this.coordinates = coordinates;
  }

  /** Whether the class path has it. Looks each time: for starts and failures, not for each call. */
  public boolean isPresent() {
    try {
      Class.forName(type, false, OptionalLibrary.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /**
   * @throws IllegalStateException with {@link #missing} if the class path does not have it
   */
  public void require() {
    if (!isPresent()) {
      throw new IllegalStateException(missing());
    }
  }

  /** What needs the library, its Maven coordinates, and the remedy. */
  public String missing() {
    return feature
        + " needs "
        + library
        + ", which is not on the class path. Add "
        + coordinates
        + ", in the version that the pom of mcpbus names, or run mcpbus.jar, which holds every"
        + " library";
  }
}
