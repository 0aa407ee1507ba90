package dev.mcpbus.transport.stdio;

import static dev.mcpbus.transport.stdio.Peer.await;
import static dev.mcpbus.transport.stdio.Peer.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Sensitive;
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
        .hasMessageContaining(" is not executable: name a program, or allow it with chmod +x");
    assertThat(
            startFailure(
                vertx,
                RecordCopy.with(sh("cat"), "cwd", Sensitive.of(dir.resolve("missing").toString()))))
        .hasMessageContaining("working directory");
    Path noInterpreter = Files.writeString(dir.resolve("script"), "#!/no/such/interpreter\n");
    assertThat(noInterpreter.toFile().setExecutable(true)).isTrue();
    assertThat(startFailure(vertx, StdioOptions.of(noInterpreter.toString(), List.of())))
        .hasMessage(
            "cannot start "
                + noInterpreter
                + ": the program of its first line (#!), or its loader, does not exist:"
                + " No such file or directory (errno 2)");
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
            RecordCopy.with(
                RecordCopy.with(
                    StdioOptions.of("my-server", List.of()),
                    "env",
                    Sensitive.values(Map.of("PATH", path))),
                "cwd",
                Sensitive.of(dir.toString())));
    peer.request(1);
    await().until(() -> peer.messages.size() == 1);
    await().until(() -> peer.diagnostics().getString("stderr").contains(dir.toString()));
    peer.close();
  }

  @Test
  void a_file_that_is_no_program_is_called_that(Vertx vertx, @TempDir Path dir) throws Exception {
    Path hostname = Files.writeString(dir.resolve("hostname"), "vm\n");
    assertThat(hostname.toFile().setExecutable(true)).isTrue();
    Peer peer = Peer.open(vertx, StdioOptions.of(hostname.toString(), List.of()));
    assertThat(peer.ending().getMessage())
        .startsWith(
            hostname
                + ": exit code 127: the command is no program and was run as a shell script:"
                + " correct \"command\", or begin the script with #!; stderr: mcpbus: "
                + hostname
                + " has no #! line, so /bin/sh runs it\n");
    peer.close();
    Path binary = Files.write(dir.resolve("binary"), new byte[] {1, 2, 0, 3});
    assertThat(binary.toFile().setExecutable(true)).isTrue();
    assertThat(startFailure(vertx, StdioOptions.of(binary.toString(), List.of())))
        .hasMessage(
            binary + " is neither a program for this machine nor a script: correct \"command\"");
  }

  @Test
  void a_command_with_arguments_in_it_is_told_where_they_belong(Vertx vertx) throws Exception {
    assertThat(startFailure(vertx, StdioOptions.of("/no/such/node server.js", List.of())))
        .hasMessage(
            "command /no/such/node server.js does not exist: write the program alone in"
                + " \"command\", here /no/such/node, and each argument in \"args\"; no shell splits"
                + " the text");
    assertThat(startFailure(vertx, StdioOptions.of("/no/such/node", List.of())))
        .hasMessage("command /no/such/node does not exist: install it, or correct the path");
    Map<String, String> path = Map.of("PATH", "/no:/such");
    assertThat(
            startFailure(
                vertx,
                RecordCopy.with(
                    StdioOptions.of("nodejs", List.of()), "env", Sensitive.values(path))))
        .hasMessage(
            "command nodejs was not found: install it, write its whole path, or set PATH in"
                + " \"env\"; searched /no, /such");
  }

  @Test
  void an_exit_keeps_the_line_that_tells_why_and_says_what_to_do(Vertx vertx) throws Exception {
    String script =
        "printf 'throw err;\\n\\nError: Cannot find module ./x.js\\n' >&2;"
            + " printf '  at a\\n  at b\\n  at c\\n  at d\\n\\nNode.js v20\\n' >&2; exit 1";
    Peer peer = Peer.open(vertx, sh(script));
    assertThat(peer.ending())
        .hasMessage(
            "sh: exit code 1: install the server's packages, or correct the path in \"args\";"
                + " stderr: Error: Cannot find module ./x.js\n...\n  at d\n\nNode.js v20");
    peer.close();
  }

  @Test
  void an_exit_without_stderr_shows_what_stdout_said(Vertx vertx) throws Exception {
    Peer peer = Peer.open(vertx, sh("echo usage: server --stdio; exit 2"));
    assertThat(peer.ending()).hasMessage("sh: exit code 2; stdout: usage: server --stdio");
    assertThat(peer.diagnostics().getString("stdout")).isEqualTo("usage: server --stdio");
    peer.close();
  }

  @Test
  void a_child_gets_the_basics_and_its_own_environment_and_secrets_are_masked(Vertx vertx)
      throws Exception {
    Peer peer =
        Peer.open(
            vertx,
            RecordCopy.with(
                sh("env >&2; exit 3"),
                "env",
                Sensitive.values(Map.of("API_TOKEN", "very-secret-value"))));
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
