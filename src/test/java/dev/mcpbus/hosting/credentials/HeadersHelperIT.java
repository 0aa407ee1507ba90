package dev.mcpbus.hosting.credentials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.ChildEnvironment;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class HeadersHelperIT {

  /** Variables that the shell itself sets. */
  private static final Set<String> OF_THE_SHELL = Set.of("PWD", "OLDPWD", "SHLVL", "_");

  @Test
  void the_helper_finds_what_a_child_finds_and_nothing_else_of_ours() {
    assertThat(System.getenv().keySet())
        .as("variables of this JVM that must not be handed on")
        .anyMatch(name -> !ChildEnvironment.of(System.getenv()).containsKey(name));
    Vertx vertx = Vertx.vertx();
    try {
      Map<String, Sensitive> headers =
          TestBus.await(
              new HeadersHelper(
                      vertx,
                      Sensitive.of(
                          "printf '{\"Names\":\"%s\",\"Url\":\"%s\"}'"
                              + " \"$(env | grep -o '^[A-Za-z_0-9]*=' | tr '=\\n' '  ')\""
                              + " \"$MCP_SERVER_URL\""),
                      Sensitive.of("https://h/mcp"),
                      Duration.ofSeconds(10))
                  .run());
      Set<String> names =
          new TreeSet<>(
              Set.of(Objects.requireNonNull(headers.get("Names")).reveal().trim().split(" +")));
      names.removeAll(OF_THE_SHELL);
      Set<String> given = new TreeSet<>(ChildEnvironment.of(System.getenv()).keySet());
      given.add("MCP_SERVER_URL");
      assertThat(names).isEqualTo(given);
      assertThat(headers).containsEntry("Url", Sensitive.of("https://h/mcp"));
    } finally {
      TestBus.await(vertx.close());
    }
  }
}
