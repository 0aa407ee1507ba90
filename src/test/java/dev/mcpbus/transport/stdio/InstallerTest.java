package dev.mcpbus.transport.stdio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.transport.OutputListener.OutputStreamName;
import dev.mcpbus.transport.StdioOptions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InstallerTest {

  private static StdioOptions command(String line) {
    List<String> words = Arrays.asList(line.split("\\|"));
    return StdioOptions.of(words.get(0), words.subList(1, words.size()));
  }

  @ParameterizedTest
  @CsvSource({
    "npx|-y|server, npx",
    "/usr/local/bin/npx|server, npx",
    "C:\\node\\NPX.CMD|server, npx",
    "uvx|server, uvx",
    "bunx|server, bunx",
    "dnx|Server@1|--yes, dnx",
    "npm|exec|--|server, npm",
    "pnpm|dlx|server, pnpm",
    "uv|tool|run|server, uv",
    "uv|--directory|/x|run|server.py, uv",
    "pipx|run|server, pipx",
    "docker|run|-i|--rm|image, docker",
    "sudo|-n|docker|run|image, docker",
    "cmd|/c|npx|-y|server, npx",
    "env|A=b|npx|server, npx",
    "bash|-lc|cd /x && npx -y server, npx",
    "sh|-c|exec uvx server, uvx",
    "go|run|./cmd/server, go",
    "deno|run|-A|npm:server, deno",
    "op|run|--env-file|.env|--|npx|-y|server, npx",
    "doppler|run|-p|proj|-c|dev|--|uvx|server, uvx",
    "aws-vault|exec|prod|--|uvx|server, uvx",
    "timeout|60|npx|server, npx",
    "flatpak-spawn|--host|podman|run|-i|image, podman",
    "sudo|-u|me|docker|run|image, docker",
    "docker-compose|-f|a.yaml|run|-T|svc, docker-compose",
    "swift|run|server, swift",
  })
  void a_command_that_fetches_or_builds_is_known_by_its_name(String line, String name) {
    assertThat(Installer.of(command(line))).isEqualTo(name);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "node|npx",
        "python3|server.py|run",
        "npm|start",
        "docker|exec|-i|box",
        "uv|pip|list",
        "server|--with|npx",
        "sh|-c|exec server npx",
        "sh|-c|server npx",
        "env|/usr/bin/server|npx",
        "op|run|--|server|npx",
        "bash"
      })
  void case_3_any_other_starts_at_once(String line) {
    assertThat(Installer.of(command(line))).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "npm warn deprecated glob@7.2.3: old",
        "Need to install the following packages:",
        "Resolved 31 packages in 211ms",
        "   Building lxml==5.0",
        "Downloading numpy (16.3MiB)",
        "Installed 31 packages in 50ms",
        "Unable to find image 'example/mcp:1' locally",
        "1: Pulling from example/mcp",
        "0a1b2c3d4e5f: Pull complete",
        "Status: Downloaded newer image for example/mcp:1",
        "Copying blob sha256:0a1b",
        "creating virtual environment...",
        "go: downloading example.com/x v1.0.0",
        "   Compiling serde v1.0.0",
        " + anyio==4.11.0",
        " WARN  1 deprecated subdependency found: glob@7.2.3",
        " Container x-db-1  Creating",
        "Tool package Server@1 will be downloaded from source https://x."
      })
  void its_own_lines_say_that_it_goes_on(String line) {
    Installer installer = new Installer((from, text, isCut) -> {});
    say(installer, "The server listens on stdio");
    assertThat(installer.isBusy()).isFalse();
    say(installer, line);
    assertThat(installer.isBusy()).isTrue();
  }

  @Test
  void it_is_busy_until_another_line_comes_and_passes_all_lines_on() {
    List<String> passed = new ArrayList<>();
    Installer installer =
        new Installer((from, text, isCut) -> passed.add(new String(text, StandardCharsets.UTF_8)));
    assertThat(installer.isBusy()).isTrue();
    say(installer, "npm notice");
    say(installer, "   ");
    assertThat(installer.isBusy()).isTrue();
    say(installer, "GitHub MCP Server running on stdio");
    assertThat(installer.isBusy()).isFalse();
    assertThat(passed).hasSize(3);
  }

  private static void say(Installer installer, String line) {
    installer.line(OutputStreamName.STDERR, line.getBytes(StandardCharsets.UTF_8), false);
  }
}
