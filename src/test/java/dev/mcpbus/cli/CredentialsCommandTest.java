package dev.mcpbus.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CredentialsCommandTest {

  private static final JsonObject SERVERS =
      new JsonObject()
          .put(
              "git",
              new JsonObject().put("type", "bus").put("address", "no.one").put("lazy", true));

  private static CommandRun run(TestBus bus, String in, String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--url", "http://127.0.0.1:" + bus.port()));
    return new CommandRun(
        Path.of("/dev/null/home"),
        Map.of("MCPBUS_ADMIN_FOLDER", "/nowhere"),
        in,
        all.toArray(String[]::new));
  }

  @Test
  void a_secret_is_read_from_stdin_listed_without_its_value_and_removed() {
    try (TestBus bus = TestBus.startWithBridge(SERVERS)) {
      assertThat(run(bus, "", "credentials").err()).contains("Nothing is stored for local");
      CommandRun set = run(bus, "canary-secret\n", "credentials", "set", "git");
      assertThat(set.out()).as(set.err()).contains("The secret for git is stored.");
      CommandRun list = run(bus, "", "credentials");
      assertThat(list.out()).contains("git", "secret");
      JsonObject json = new JsonObject(run(bus, "", "credentials", "list", "--json").out());
      assertThat(json.getJsonArray("credentials")).hasSize(1);
      assertThat(run(bus, "", "credentials", "remove", "git").out()).contains("is removed");
      assertThat(run(bus, "", "credentials", "remove", "git").out()).contains("Nothing was stored");
      assertThat(set.out() + set.err() + list.out() + json).doesNotContain("canary");
    }
  }

  @Test
  void logout_forgets_what_is_stored_for_the_server() {
    try (TestBus bus = TestBus.startWithBridge(SERVERS)) {
      run(bus, "x", "credentials", "set", "git");
      assertThat(run(bus, "", "logout", "git").out()).contains("You are logged out at git.");
      assertThat(run(bus, "", "logout", "git").out()).contains("You were not logged in at git.");
    }
  }

  @Test
  void what_cannot_be_is_said_and_no_secret_is_taken_from_an_argument() {
    try (TestBus bus = TestBus.startWithBridge(SERVERS)) {
      for (CommandRun wrong :
          List.of(
              run(bus, "", "credentials", "set", "git"),
              run(bus, "x", "credentials", "set"),
              run(bus, "", "credentials", "list", "git"),
              run(bus, "x", "credentials", "set", "git", "--of", "bob"),
              run(bus, "", "credentials", "set", "git", "canary-secret"),
              run(bus, "", "credentials", "forget", "git"),
              run(bus, "x", "credentials", "set", "nowhere"))) {
        assertThat(wrong.code()).isNotZero();
        assertThat(wrong.err()).isNotEmpty().doesNotContain("\tat ");
      }
      assertThat(run(bus, "", "credentials", "--of", "bob").err()).contains("admin right");
      assertThat(run(bus, "", "credentials").err()).contains("Nothing is stored");
    }
  }

  @Test
  void a_call_before_the_secret_is_stored_says_how_to_store_it() {
    JsonObject entry =
        new JsonObject()
            .put("url", "http://127.0.0.1:9/mcp")
            .put("identity", "caller")
            .put("headers", new JsonObject().put("Authorization", "Bearer ${caller.secret}"));
    try (TestBus bus = TestBus.startWithBridge(new JsonObject().put("git", entry))) {
      CommandRun call = run(bus, "", "call", "git.add", "a=2", "b=3");
      assertThat(call.err()).contains("mcpbus credentials set git").doesNotContain("has no tool");
      JsonObject json =
          new JsonObject(run(bus, "", "call", "git.add", "a=2", "--json").err())
              .getJsonObject("error");
      assertThat(json.getString("code")).isEqualTo("AUTH_REQUIRED");
      assertThat(run(bus, "", "tools", "git.add").err()).contains("has no tool \"add\"");
    }
  }
}
