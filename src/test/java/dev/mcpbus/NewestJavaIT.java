package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.Javas;
import dev.mcpbus.testing.ServiceProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The executable jar on the newest long-term Java, where this machine has it beside 17. */
class NewestJavaIT {

  @TempDir Path folder;

  @Test
  void the_service_starts_calls_finds_and_ends_without_a_warning() throws IOException {
    Path java = Javas.newest();
    assumeTrue(java != null, "no Java 25 is here");
    Path file = folder.resolve("mcpbus.json");
    Files.writeString(
        file,
        new JsonObject()
            .put("mcpServers", new JsonObject().put("echo", EchoServer.shell()))
            .encode());
    try (ServiceProcess service =
        ServiceProcess.start(java, folder, List.of(), "--port", "0", "--config", file.toString())) {
      service.awaitReady("echo");
      JsonObject arguments = new JsonObject().put("call", "hello").put("deadline", 0);
      assertThat(service.callTool("echo", "echo", arguments).body()).contains("hello");
      assertThat(service.get("/api/tools/search?q=echo").body())
          .as("by Lucene, which says so where it has no vectors")
          .contains("echo");
      service.signal("TERM");
      service.awaitExit(Duration.ofSeconds(60));
      assertThat(service.errText().lines())
          .as("nothing but the log, and nothing in it to warn of")
          .isNotEmpty()
          .filteredOn(line -> !line.contains("BlockedThreadChecker")) // a busy machine
          .allMatch(line -> line.matches("20\\S+Z INFO .*"));
    }
  }
}
