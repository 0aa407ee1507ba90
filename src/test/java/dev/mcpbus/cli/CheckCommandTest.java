package dev.mcpbus.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckCommandTest {

  @TempDir Path folder;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @SuppressWarnings("NullAway") // check starts nothing
  private int check(String text, String... more) throws IOException {
    Path file = Files.writeString(folder.resolve("mcp.json"), text);
    CommandContext context =
        new CommandContext(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            InputStream.nullInputStream(),
            Map.of("PATH", "/bin:/nowhere"),
            folder,
            Terminal.NONE,
            null);
    String[] words = more.length == 0 ? new String[] {"check", "-c", file.toString()} : more;
    return McpBusCommand.create(context, List.of()).execute(words);
  }

  private String said(ByteArrayOutputStream stream) {
    return stream.toString(StandardCharsets.UTF_8).replace(folder + "/", "");
  }

  @Test
  void a_file_without_problems_lists_its_servers_and_warns_of_what_is_not_here()
      throws IOException {
    assertThat(
            check(
                """
                {"mcpServers": {
                  "Shell": {"command": "sh", "args": ["--version"]},
                  "Docs": {"url": "http://localhost:3000/mcp"},
                  "gone": {"command": "no-such-program"}}}
                """))
        .isZero();
    assertThat(said(out))
        .isEqualTo(
            """
            mcp.json: no problems, 3 servers, 1 warning about this machine
            ID     TYPE   TARGET
            shell  stdio  sh --version
            docs   http   http://localhost:3000/mcp
            gone   stdio  no-such-program
            """);
    assertThat(said(err))
        .isEqualTo(
            """
            mcp.json:4: server "gone": warning: command no-such-program was not found
                Install it, write its whole path, or set PATH in "env"; searched /bin, /nowhere
            """);
  }

  @Test
  void a_file_with_problems_says_them_all_and_ends_with_1() throws IOException {
    assertThat(check("{\"mcpServers\": {\"a\": {\"comand\": \"x\"}}")).isEqualTo(1);
    assertThat(said(out)).isEmpty();
    assertThat(said(err))
        .isEqualTo(
            """
            mcp.json:1:1: this { is not closed: the file ends on line 1
                  {"mcpServers": {"a":...
                  ^
                Add the missing }
            1 problem: 1 is fatal, so nothing is started.
            """);
  }

  @Test
  void the_file_may_be_named_without_an_option_as_for_import() throws IOException {
    String file = folder.resolve("mcp.json").toString();
    assertThat(check("{\"mcpServers\": {\"a\": {\"command\": \"sh\"}}}", "check", file)).isZero();
    assertThat(said(out)).startsWith("mcp.json: no problems, 1 server");
    assertThat(check("{\"mcpServers\": {", "run", file)).isEqualTo(1);
    assertThat(said(err)).contains("mcp.json:1");
  }
}
