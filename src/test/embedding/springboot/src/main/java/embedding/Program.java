package embedding;

import dev.mcpbus.McpBus;
import dev.mcpbus.client.McpClient;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** An application of Spring Boot, whose beans mcpbus makes. */
@SpringBootApplication
public class Program {

  public static void main(String[] args) throws Exception {
    try (ConfigurableApplicationContext context =
        SpringApplication.run(
            Program.class,
            "--mcpbus.mcpServers.echo.command=sh",
            "--mcpbus.mcpServers.echo.args[0]=" + args[0])) {
      context.getBean(McpBus.class).awaitReady(Duration.ofSeconds(60)).await(60, TimeUnit.SECONDS);
      System.out.println(
          context
              .getBean(McpClient.class)
              .server("echo")
              .callTool("echo", Map.of("call", "embedded"))
              .await(60, TimeUnit.SECONDS)
              .text());
    }
  }
}
