package dev.mcpbus.spring;

import dev.mcpbus.McpBus;
import dev.mcpbus.ai.FrameworkOptions;
import dev.mcpbus.ai.langchain4j.McpBusToolProvider;
import dev.mcpbus.ai.spring.McpBusToolCallbackProvider;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeoutException;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Gives a Spring Boot application the beans {@link Vertx}, {@link McpBus}, {@link McpClient}, for
 * Spring AI a {@link McpBusToolCallbackProvider}, for LangChain4j a {@link McpBusToolProvider}, and
 * its servers in Actuator's health. Each one only where the application has none of its own. {@code
 * mcpbus.enabled=false} leaves all of it out.
 *
 * <p>The configuration is the file {@code mcpbus.config}, or what stands under {@code mcpbus} with
 * the keys of such a file. At the end of the application the bus closes after the web server, and
 * then Vert.x, if the application has not brought it.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "mcpbus.enabled", matchIfMissing = true)
@PublicApi
public class McpBusAutoConfiguration {

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(Vertx.class)
  static class VertxBeans {

    @Bean
    OwnedVertx mcpbusVertx() {
      return new OwnedVertx();
    }

    @Bean(destroyMethod = "")
    Vertx vertx(OwnedVertx owned) {
      return owned.vertx();
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(McpBus.class)
  static class BusBeans {

    @Bean
    @ConditionalOnMissingBean
    McpBus.Options mcpbusOptions(ConfigurableEnvironment environment) {
      return SpringDocument.options(environment);
    }

    @Bean
    McpBusLifecycle mcpbusLifecycle(Vertx vertx, McpBus.Options options) throws TimeoutException {
      return new McpBusLifecycle(vertx, options);
    }

    @Bean(destroyMethod = "")
    McpBus mcpBus(McpBusLifecycle lifecycle) {
      return lifecycle.bus();
    }
  }

  @Bean(destroyMethod = "")
  @ConditionalOnMissingBean
  McpClient mcpClient(McpBus bus) {
    return bus.client();
  }

  @Bean
  @ConditionalOnMissingBean
  FrameworkOptions mcpbusFrameworkOptions(ConfigurableEnvironment environment) {
    return SpringDocument.frameworkOptions(environment);
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.ai.tool.ToolCallbackProvider")
  static class SpringAiBeans {

    /**
     * @param client of the bus, so that the tools end before it
     */
    @Bean
    @ConditionalOnMissingBean
    McpBusToolCallbackProvider mcpbusToolCallbacks(
        Vertx vertx, McpClient client, FrameworkOptions options) {
      return McpBusToolCallbackProvider.create(vertx, options);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "dev.langchain4j.service.tool.ToolProvider")
  static class LangChainBeans {

    /**
     * @param client of the bus, so that the tools end before it
     */
    @Bean
    @ConditionalOnMissingBean
    McpBusToolProvider mcpbusToolProvider(Vertx vertx, McpClient client, FrameworkOptions options) {
      return McpBusToolProvider.create(vertx, options);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
  static class HealthBeans {

    @Bean
    @ConditionalOnMissingBean(name = "mcpbusHealthIndicator")
    @ConditionalOnEnabledHealthIndicator("mcpbus")
    McpBusHealthIndicator mcpbusHealthIndicator(McpBus bus) {
      return new McpBusHealthIndicator(bus);
    }
  }
}
