package dev.mcpbus.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.testing.SkillPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SkillsCommandTest {

  @TempDir Path folder;

  @Test
  void skills_lists_those_of_all_servers_or_of_one_and_reads_a_file() throws IOException {
    try (TestBus bus = TestBus.startWithBridge(new JsonObject())) {
      SkillPeer peer = new SkillPeer(bus.vertx(), true);
      String uri = peer.skill("acme/refunds", "Refunds", "examples/email.md", "Dear customer,\n");
      bus.add("shop", peer.peer().transport(), ConnectionOptions.DEFAULT, Duration.ofMillis(100));
      bus.awaitState("shop", "READY");
      Path key = Files.writeString(folder.resolve("key"), bus.bus().adminToken());
      List<String> to =
          List.of(
              "skills", "--url", "http://127.0.0.1:" + bus.port(), "--key-file", key.toString());

      assertThat(run(to).out()).contains("shop", uri, "Refunds");
      assertThat(run(to, "shop").out()).contains("shop", uri, "Refunds");
      assertThat(run(to, "shop", uri).out()).contains("name: refunds");
      assertThat(run(to, "shop", uri, "examples/email.md").out()).isEqualTo("Dear customer,\n");
      peer.gives("skill://acme/refunds/examples/email.md", "Evil");
      CommandRun refused = run(to, "shop", uri, "examples/email.md");
      assertThat(refused.code()).isNotZero();
      assertThat(refused.out() + refused.err()).contains("4 bytes").doesNotContain("Evil");
    }
  }

  private static CommandRun run(List<String> to, String... more) {
    List<String> all = new ArrayList<>(to);
    all.addAll(List.of(more));
    return new CommandRun(all.toArray(String[]::new));
  }
}
