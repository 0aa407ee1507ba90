package dev.mcpbus.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.McpBus;
import dev.mcpbus.ai.FrameworkOptions;
import dev.mcpbus.ai.langchain4j.McpBusToolProvider;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.ToolCallResult;
import dev.mcpbus.testing.EchoServer;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.ToolCallbackProvider;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.IndicatedHealthDescriptor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Configuration;

/** The auto-configuration in contexts of Spring Boot, and in a whole application. */
class McpBusAutoConfigurationTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(McpBusAutoConfiguration.class));
  private final List<String> ended = new ArrayList<>();

  @AfterEach
  void forget() {
    System.clearProperty("org.springframework.boot.logging.LoggingSystem");
  }

  /** The server as properties, under the id {@code echo}. */
  private static String[] echo() {
    JsonObject entry = EchoServer.shell();
    JsonArray args = entry.getJsonArray("args");
    List<String> properties = new ArrayList<>();
    properties.add("mcpbus.mcpServers.echo.command=" + entry.getString("command"));
    for (int i = 0; i < args.size(); i++) {
      properties.add("mcpbus.mcpServers.echo.args[" + i + "]=" + args.getString(i));
    }
    return properties.toArray(String[]::new);
  }

  private static void ready(McpBus bus) {
    try {
      bus.awaitReady(PATIENCE).await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void an_application_gets_the_bus_its_client_and_the_tools() {
    runner
        .withPropertyValues(echo())
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              ready(context.getBean(McpBus.class));
              ToolCallResult answer =
                  context
                      .getBean(McpClient.class)
                      .server("echo")
                      .callTool("echo", new JsonObject().put("call", "hello"), CallOptions.DEFAULT)
                      .await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
              assertThat(answer.text()).contains("hello");
              ToolCallback[] tools = context.getBean(ToolCallbackProvider.class).getToolCallbacks();
              assertThat(Stream.of(tools).map(tool -> tool.getToolDefinition().name()))
                  .contains("echo__echo");
              assertThat(context).hasSingleBean(McpBusToolProvider.class);
            });
  }

  @Test
  void a_switch_leaves_all_of_it_out() {
    runner
        .withPropertyValues("mcpbus.enabled=false")
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(Vertx.class).doesNotHaveBean(McpBus.class);
              assertThat(context).doesNotHaveBean(McpClient.class);
              assertThat(context).doesNotHaveBean(ToolCallbackProvider.class);
              assertThat(context).doesNotHaveBean(HealthIndicator.class);
            });
  }

  @Test
  void frameworks_and_health_may_be_missing() {
    runner
        .withClassLoader(
            new FilteredClassLoader(
                "org.springframework.ai", "dev.langchain4j", "org.springframework.boot.health"))
        .run(
            context -> {
              assertThat(context).hasNotFailed().hasSingleBean(McpBus.class);
              assertThat(context.getBeanDefinitionNames())
                  .doesNotContain(
                      "mcpbusToolCallbacks", "mcpbusToolProvider", "mcpbusHealthIndicator");
            });
  }

  @Test
  void what_the_application_has_is_taken() {
    Vertx own = Vertx.vertx();
    FrameworkOptions options = FrameworkOptions.DEFAULT.withPatience(Duration.ZERO);
    runner
        .withBean(Vertx.class, () -> own, definition -> definition.setDestroyMethodName(""))
        .withBean(FrameworkOptions.class, () -> options)
        .withBean(
            McpBus.Options.class, () -> McpBus.Options.of().withServer("mine", EchoServer.shell()))
        .run(
            context -> {
              assertThat(context).hasSingleBean(Vertx.class).hasSingleBean(FrameworkOptions.class);
              McpBus bus = context.getBean(McpBus.class);
              ready(bus);
              assertThat(bus.eventBus()).isSameAs(own.eventBus());
              assertThat(bus.client().listServers().await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                  .containsExactly("mine");
            });
    // The bus has ended, and Vert.x has not.
    assertThat(own.executeBlocking(() -> "alive").await()).isEqualTo("alive");
    own.close().await();
  }

  @Test
  void the_file_is_the_configuration_and_nothing_stands_beside_it(@TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("mcpbus.json");
    Files.writeString(
        file,
        new JsonObject()
            .put("mcpServers", new JsonObject().put("filed", EchoServer.shell()))
            .encode());
    runner
        .withPropertyValues("mcpbus.config=" + file, "mcpbus.tools.timeout=5s")
        .run(
            context ->
                assertThat(
                        context
                            .getBean(McpClient.class)
                            .listServers()
                            .await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .containsExactly("filed"));
    runner
        .withPropertyValues("mcpbus.config=" + file, "mcpbus.gateway.pageSize=5")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("mcpbus.gateway stands beside it"));
  }

  @Test
  void a_key_in_springs_own_spelling_is_told() {
    runner
        .withPropertyValues("mcpbus.mcp-servers.git.command=git")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("as in a configuration file, mcpbus.mcpServers"));
  }

  @Test
  void a_mistake_is_named_as_in_a_file() {
    runner
        .withPropertyValues("mcpbus.gateway.pageSizes=5")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("\"gateway.pageSizes\""));
  }

  @Test
  void health_names_a_server_that_its_mistake_leaves_out() {
    runner
        .withPropertyValues("mcpbus.mcpServers.wrong.comand=npx")
        .run(
            context ->
                assertThat(context.getBean(HealthIndicator.class).health())
                    .satisfies(
                        health -> {
                          assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                          assertThat(health.getDetails().get("notReady"))
                              .asString()
                              .contains("wrong: left out");
                        }));
  }

  @Test
  void health_names_the_servers_that_are_down_and_why() throws Exception {
    System.setProperty("org.springframework.boot.logging.LoggingSystem", "none");
    try (ConfigurableApplicationContext context =
        new SpringApplicationBuilder(Application.class)
            .web(WebApplicationType.NONE)
            .properties(echo())
            .properties("management.endpoint.health.show-details=always")
            .run()) {
      ready(context.getBean(McpBus.class));
      HealthEndpoint endpoint = context.getBean(HealthEndpoint.class);
      assertThat(endpoint.healthForPath("mcpbus"))
          .isInstanceOfSatisfying(
              IndicatedHealthDescriptor.class,
              health -> {
                assertThat(health.getStatus()).isEqualTo(Status.UP);
                assertThat(health.getDetails()).containsExactly(Map.entry("echo", "connected"));
              });

      McpBus bus = context.getBean(McpBus.class);
      bus.add(
              "broken",
              new JsonObject()
                  .put("command", "/nowhere/at/all")
                  .put("env", new JsonObject().put("TOKEN", "s3cret")))
          .await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThatThrownBy(() -> bus.awaitReady(PATIENCE, "broken").await(60, TimeUnit.SECONDS))
          .isInstanceOfSatisfying(
              McpFailure.class, e -> assertThat(e.code()).isEqualTo(FailureCode.UNAVAILABLE));
      assertThat(endpoint.healthForPath("mcpbus"))
          .isInstanceOfSatisfying(
              IndicatedHealthDescriptor.class,
              health -> {
                assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                assertThat(health.getDetails()).containsEntry("echo", "connected");
                assertThat(health.getDetails().get("broken"))
                    .asString()
                    .contains("/nowhere/at/all");
                assertThat(health.getDetails().toString()).doesNotContain("s3cret");
              });
      assertThat(endpoint.health().getStatus()).isEqualTo(Status.DOWN);
    }
  }

  /** An application that has the jar on its class path, and says nothing of mcpbus. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Application {}

  @Test
  void the_bus_ends_after_the_web_server_and_before_its_vertx() {
    runner
        .withPropertyValues(echo())
        .withBean(WebServerLike.class, () -> new WebServerLike(ended))
        .run(
            context -> {
              McpBus bus = context.getBean(McpBus.class);
              ready(bus);
              context.getBean(WebServerLike.class).bus.set(bus);
              context.getBean(McpBusLifecycle.class);
              context.getBean(OwnedVertx.class);
              context.close();
              ended.add(bus.client().listServers().failed() ? "client over" : "client still calls");
            });
    assertThat(ended).containsExactly("web server, served true", "client over");
  }

  /** Stops in the phase of Spring Boot's web server, and calls a server before that. */
  private static final class WebServerLike implements SmartLifecycle {

    private final List<String> ended;
    private final AtomicReference<McpBus> bus = new AtomicReference<>();
    private boolean running;

    WebServerLike(List<String> ended) {
      this.ended = ended;
    }

    @Override
    public void start() {
      running = true;
    }

    @Override
    public void stop() {
      running = false;
      try {
        ToolCallResult last =
            Objects.requireNonNull(bus.get())
                .server("echo")
                .callTool("echo", new JsonObject().put("call", "last"))
                .await(60, TimeUnit.SECONDS);
        ended.add("web server, served " + last.text().contains("last"));
      } catch (TimeoutException e) {
        ended.add("web server, too late");
      }
    }

    @Override
    public boolean isRunning() {
      return running;
    }

    @Override
    public int getPhase() {
      return SmartLifecycle.DEFAULT_PHASE - 2_048;
    }
  }

  @Test
  void an_application_that_fails_in_its_start_leaves_no_thread() {
    List<Vertx> made = new ArrayList<>();
    runner
        .withBean(
            "late",
            String.class,
            () -> {
              throw new IllegalStateException("the application's own mistake");
            },
            definition -> definition.setDependsOn("mcpBus"))
        .withBean(Watcher.class, () -> new Watcher(made))
        .run(context -> assertThat(context).hasFailed());
    assertThat(made).hasSize(1);
    assertThatThrownBy(() -> made.get(0).executeBlocking(() -> "alive").await())
        .isInstanceOf(Exception.class);
  }

  @Test
  void an_application_that_fails_in_its_start_leaves_no_bus_in_its_own_vertx() {
    Vertx own = Vertx.vertx();
    runner
        .withBean(Vertx.class, () -> own, definition -> definition.setDestroyMethodName(""))
        .withBean(
            "late",
            String.class,
            () -> {
              throw new IllegalStateException("the application's own mistake");
            },
            definition -> definition.setDependsOn("mcpBus"))
        .run(context -> assertThat(context).hasFailed());
    assertThatThrownBy(
            () -> McpClient.create(own).listServers().await(PATIENCE.toSeconds(), TimeUnit.SECONDS))
        .isInstanceOf(McpFailure.class);
    own.close().await();
  }

  /** Remembers the Vert.x of a context. */
  private record Watcher(List<Vertx> made)
      implements org.springframework.beans.factory.config.BeanPostProcessor {
    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
      if (bean instanceof Vertx vertx) {
        made.add(vertx);
      }
      return bean;
    }
  }
}
