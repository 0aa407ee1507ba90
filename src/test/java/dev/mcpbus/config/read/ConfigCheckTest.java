package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.read.ConfigCheck.ListedServer;
import dev.mcpbus.transport.CommandSearch;
import dev.mcpbus.transport.CommandSearch.Disk;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigCheckTest {

  private static final Disk DISK =
      disk(Set.of("/bin/node", "/opt/tool"), Set.of("/srv/a.js", "/bin/notes"));

  @TempDir Path directory;

  private static Disk disk(Set<String> programs, Set<String> files) {
    return new Disk() {
      @Override
      public boolean exists(Path path) {
        return isExecutable(path) || isDirectory(path) || files.contains(path.toString());
      }

      @Override
      public boolean isDirectory(Path path) {
        return Path.of("").toAbsolutePath().equals(path) || path.equals(Path.of("/srv"));
      }

      @Override
      public boolean isExecutable(Path path) {
        return programs.contains(path.toString());
      }
    };
  }

  private List<String> missing(String... lines) {
    ConfigResult result = Sample.in(directory).server(lines);
    assertThat(result.problems()).isEmpty();
    return new ConfigCheck(Map.of("PATH", "/bin:/usr/bin"), DISK)
        .missing(result.usable().orElseThrow()).stream()
            .map(problem -> problem.toString().replace(directory + "/", ""))
            .toList();
  }

  @Test
  void a_command_is_looked_up_as_at_the_start() {
    assertThat(missing("\"command\": \"node\"")).isEmpty();
    assertThat(missing("\"command\": \"/opt/tool\"")).isEmpty();
    assertThat(missing("\"command\": \"uvx\""))
        .containsExactly(
            "mcp.json:2: server \"one\": command uvx was not found. Install it, write its whole"
                + " path, or set PATH in \"env\"; searched /bin, /usr/bin");
    assertThat(missing("\"command\": \"node\"", "\"env\": {\"PATH\": \"/usr/bin\"}"))
        .containsExactly(
            "mcp.json:2: server \"one\": command node was not found. Install it, write its whole"
                + " path, or set PATH in \"env\"; searched /usr/bin");
    assertThat(missing("\"command\": \"notes\""))
        .containsExactly(
            "mcp.json:2: server \"one\": command /bin/notes is not executable. Name another, or"
                + " allow it with chmod +x");
    assertThat(missing("\"command\": \"bin/x\"", "\"cwd\": \"/srv\""))
        .containsExactly(
            "mcp.json:2: server \"one\": command /srv/bin/x does not exist. Correct the path, which"
                + " starts at \"cwd\"");
    assertThat(missing("\"command\": \"/srv\""))
        .containsExactly("mcp.json:2: server \"one\": command /srv is a directory. Name a program");
  }

  @Test
  void directories_scripts_and_certificates_are_looked_up() {
    assertThat(missing("\"command\": \"node\"", "\"cwd\": \"/nowhere\""))
        .containsExactly(
            "mcp.json:2: server \"one\": the working directory /nowhere does not exist. Create it,"
                + " or correct \"cwd\"");
    assertThat(missing("\"command\": \"node\"", "\"args\": [\"a.js\"]", "\"cwd\": \"/srv\""))
        .isEmpty();
    assertThat(
            missing(
                "\"command\": \"node\"", "\"args\": [\"-x\", \"dist/b.js\"]", "\"cwd\": \"/srv\""))
        .containsExactly(
            "mcp.json:2: server \"one\": the argument /srv/dist/b.js names a file that does not"
                + " exist. Correct the path in \"args\", or the directory in \"cwd\"");
    assertThat(missing("\"url\": \"https://h/mcp\"", "\"tls\": {\"caFile\": \"/ca.pem\"}"))
        .containsExactly(
            "mcp.json:2: server \"one\": \"tls.caFile\" names no file: /ca.pem. Create it, or"
                + " correct it");
  }

  @Test
  void a_long_path_is_shown_by_its_first_directories() {
    assertThat(
            CommandSearch.find("x", Map.of("PATH", "/1:/2:/3:/4:/5:/6:/7:/8"), null, DISK).remedy())
        .isEqualTo(
            "install it, write its whole path, or set PATH in \"env\"; searched /1, /2, /3, /4, /5,"
                + " /6 and 2 more directories of PATH");
  }

  @Test
  void no_secret_of_the_entry_is_shown() {
    assertThat(missing("\"command\": \"/x/${API_TOKEN}\"").get(0)).doesNotContain("canary");
  }

  @Test
  void the_list_names_ids_types_and_targets_without_secrets() {
    ConfigResult result =
        Sample.in(directory)
            .json(
                """
                {"mcpServers": {
                  "My Git": {"command": "python3.11", "args": ["-y", "x", "--token", "canary-1"]},
                  "docs": {"url": "https://u:canary@h/mcp?k=canary"},
                  "old": {"url": "http://h/sse"},
                  "sock": {"url": "tcp://h:1"},
                  "bus": {"address": "a.b"},
                  "off": {"command": "x", "disabled": true}}}
                """);
    assertThat(ConfigCheck.servers(result.usable().orElseThrow()))
        .containsExactly(
            new ListedServer("my-git", "stdio", "python3.11 -y x --token ***"),
            new ListedServer("docs", "http", "https://***@h/mcp?***"),
            new ListedServer("old", "sse", "http://h/sse"),
            new ListedServer("sock", "socket", "tcp://h:1"),
            new ListedServer("bus", "bus", "a.b"));
  }
}
