package dev.mcpbus.transport.stdio;

import static dev.mcpbus.transport.stdio.Peer.await;
import static dev.mcpbus.transport.stdio.Peer.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** How a child is found, and what it is given. */
@ExtendWith(VertxExtension.class)
class ChildProcessStartIT {

  private static TransportException startFailure(Vertx vertx, StdioOptions options) {
    TransportException failure =
        catchThrowableOfType(TransportException.class, () -> Peer.open(vertx, options));
    assertThat(failure.reason()).isEqualTo(Reason.START_FAILED);
    assertThat(failure.reached()).isEqualTo(Reached.NO);
    return failure;
  }

  @Test
  void case_1_a_command_that_cannot_run_is_named_with_the_places_searched(
      Vertx vertx, @TempDir Path dir) throws Exception {
    assertThat(startFailure(vertx, StdioOptions.of("no-such-server", List.of())))
        .hasMessageContaining("no-such-server")
        .hasMessageContaining("/bin");
    Path plain = Files.writeString(dir.resolve("plain"), "not a program");
    assertThat(startFailure(vertx, StdioOptions.of(plain.toString(), List.of())))
        .hasMessageContaining(plain.toString())
        .hasMessageContaining("not an executable");
    assertThat(startFailure(vertx, sh("cat").withCwd(dir.resolve("missing"))))
        .hasMessageContaining("working directory");
    Path noInterpreter = Files.writeString(dir.resolve("script"), "#!/no/such/interpreter\n");
    assertThat(noInterpreter.toFile().setExecutable(true)).isTrue();
    assertThat(startFailure(vertx, StdioOptions.of(noInterpreter.toString(), List.of())))
        .hasMessageContaining("No such file");
  }

  @Test
  void a_command_is_looked_up_in_the_childs_path_and_runs_in_its_directory(
      Vertx vertx, @TempDir Path dir) throws Exception {
    // No "#!" on purpose: the shell runs it, as it would at a prompt.
    Path server = Files.writeString(dir.resolve("my-server"), "pwd >&2; exec cat");
    assertThat(server.toFile().setExecutable(true)).isTrue();
    String path = dir + ":" + System.getenv("PATH");
    Peer peer =
        Peer.open(
            vertx,
            StdioOptions.of("my-server", List.of()).withEnv(Map.of("PATH", path)).withCwd(dir));
    peer.request(1);
    await().until(() -> peer.messages.size() == 1);
    await().until(() -> peer.diagnostics().getString("stderr").contains(dir.toString()));
    peer.close();
  }

  @Test
  void a_child_gets_the_basics_and_its_own_environment_and_secrets_are_masked(Vertx vertx)
      throws Exception {
    Peer peer =
        Peer.open(vertx, sh("env >&2; exit 3").withEnv(Map.of("API_TOKEN", "very-secret-value")));
    assertThat(peer.ending()).hasMessageContaining("exit code 3");
    List<String> names =
        peer.diagnostics()
            .getString("stderr")
            .lines()
            .map(line -> line.replaceFirst("=.*", ""))
            .toList();
    assertThat(names)
        .contains("PATH", "API_TOKEN", "MCPBUS_RUN", "MCPBUS_LINEAGE")
        .isSubsetOf(
            "PATH HOME USER LOGNAME SHELL TERM LANG LC_ALL TMPDIR TZ API_TOKEN PWD OLDPWD SHLVL _"
                .concat(" MCPBUS_RUN MCPBUS_LINEAGE")
                .split(" "));
    assertThat(peer.diagnostics().getString("stderr"))
        .contains("API_TOKEN=***")
        .doesNotContain("very-secret");
    peer.close();
  }
}
