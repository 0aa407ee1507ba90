package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.OwnTelemetry;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.observability.metrics.ProgramMeters;
import dev.mcpbus.observability.tracing.ProgramTraces;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.ToolResult;
import dev.mcpbus.testing.TestBus;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.lang.reflect.Executable;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A program's own registry of meters and OpenTelemetry, and metrics without HTTP. */
class OwnTelemetryTest {

  private static final List<String> OPTIONAL = List.of("micrometer", "opentelemetry", "prometheus");

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() {
    TestBus.await(vertx.close());
  }

  /** Has answered a call of a server when it returns. */
  private McpBus called(McpBus.Options options) {
    RawServer server =
        RawServer.of("greeter", "1")
            .tool(
                "greet",
                "",
                new JsonObject().put("type", "object"),
                (request, arguments) -> Future.succeededFuture(ToolResult.text("hello")));
    McpBus bus =
        TestBus.await(
            McpBus.start(
                vertx,
                options.withServer(
                    "greeter", Servers.transport(server.inMemory(vertx.getOrCreateContext())))));
    TestBus.await(bus.awaitReady(Duration.ofSeconds(30)));
    TestBus.await(bus.server("greeter").callTool("greet", new JsonObject(), CallOptions.DEFAULT));
    return bus;
  }

  private static McpBus.Options with(OwnTelemetry own) {
    return McpBus.Options.of().withTelemetry(own);
  }

  @Test
  void metrics_are_read_without_http() {
    McpBus bus = called(McpBus.Options.of().withMetrics(true));

    assertThat(TestBus.await(bus.metrics()))
        .contains("mcpbus_ready 1.0", "mcpbus_connections{server=\"greeter\",state=\"ready\"} 1.0");
  }

  @Test
  void without_metrics_the_failure_says_how_to_have_them() {
    McpBus bus = called(McpBus.Options.of());

    assertThatThrownBy(() -> TestBus.await(bus.metrics()))
        .isInstanceOf(McpFailure.class)
        .hasMessageContaining("\"metrics\": {\"enabled\": true}");
  }

  @Test
  void a_registry_for_prometheus_has_the_metrics_beside_the_programs() {
    PrometheusMeterRegistry own = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    own.counter("orders").increment();
    McpBus bus = called(with(ProgramMeters.of(own)));

    assertThat(names(TestBus.await(bus.metrics())))
        .isEqualTo(names(own.scrape()))
        .contains("orders_total", "mcpbus_ready");
    assertThat(own.scrape())
        .contains("mcp_client_operation_duration_seconds_count", "server=\"greeter\"")
        .as("the program has its meters of the JVM itself")
        .doesNotContain("jvm_");
    TestBus.await(bus.close());
    assertThat(own.scrape()).contains("orders_total").doesNotContain("mcpbus_");
    assertThat(own.isClosed()).isFalse();
  }

  /** Their values move between two readings. */
  private static Set<String> names(String page) {
    return page.lines()
        .filter(line -> line.startsWith("# TYPE "))
        .map(line -> line.split(" ", -1)[2])
        .collect(Collectors.toSet());
  }

  @Test
  void any_other_registry_has_meters_of_the_same_names() {
    MeterRegistry own = new SimpleMeterRegistry();
    McpBus bus = called(with(ProgramMeters.of(own)));

    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              var calls = own.find("mcp.client.operation.duration").functionTimer();
              return calls != null
                  && calls.count() >= 1
                  && own.get("mcpbus.ready").gauge().value() == 1;
            });
    TestBus.await(bus.close());
    assertThat(own.getMeters()).isEmpty();
    assertThat(own.isClosed()).isFalse();
  }

  @Test
  void spans_go_to_the_programs_opentelemetry_which_stays_open() {
    List<String> spans = new CopyOnWriteArrayList<>();
    List<String> ends = new CopyOnWriteArrayList<>();
    SpanExporter exporter =
        new SpanExporter() {
          @Override
          public CompletableResultCode export(Collection<SpanData> ended) {
            ended.forEach(span -> spans.add(span.getName()));
            return CompletableResultCode.ofSuccess();
          }

          @Override
          public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
          }

          @Override
          public CompletableResultCode shutdown() {
            ends.add("shutdown");
            return CompletableResultCode.ofSuccess();
          }
        };
    OpenTelemetrySdk own =
        OpenTelemetrySdk.builder()
            .setTracerProvider(
                SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exporter))
                    .build())
            .build();
    McpBus bus = called(with(ProgramTraces.of(own)));

    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(spans).contains("tools/call greet"));
    TestBus.await(bus.close());
    assertThat(ends).isEmpty();
    own.close();
  }

  @Test
  void a_telemetry_of_another_kind_is_refused() {
    assertThatThrownBy(() -> with(new OwnTelemetry() {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ProgramMeters");
  }

  /** A container that makes a bean of a class, and Mockito, ask it for all its methods. */
  @Test
  void core_classes_are_linked_without_the_optional_libraries() throws Exception {
    List<URL> path = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (OPTIONAL.stream().noneMatch(Path.of(entry).getFileName().toString()::contains)) {
        path.add(Path.of(entry).toUri().toURL());
      }
    }
    try (URLClassLoader program =
        new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      assertThatThrownBy(() -> program.loadClass(MeterRegistry.class.getName()))
          .isInstanceOf(ClassNotFoundException.class);
      for (Class<?> core :
          List.of(
              McpBus.class,
              McpBus.Options.class,
              BusSettings.class,
              Servers.class,
              VerticleTree.class,
              OwnTelemetry.class)) {
        Class<?> linked = program.loadClass(core.getName());
        assertThat(
                Arrays.stream(linked.getDeclaredMethods())
                    .map(Executable::toGenericString)
                    .toList())
            .hasSameSizeAs(core.getDeclaredMethods());
        assertThat(linked.getMethods()).hasSameSizeAs(core.getMethods());
        assertThat(linked.getDeclaredConstructors()).hasSameSizeAs(core.getDeclaredConstructors());
        assertThat(linked.getDeclaredFields()).hasSameSizeAs(core.getDeclaredFields());
      }
    }
  }
}
