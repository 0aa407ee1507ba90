package dev.mcpbus;

import dev.mcpbus.cli.ExitCode;
import dev.mcpbus.testing.Compared;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/**
 * {@code cli.md} is what the commands say of themselves. After a change of a command run this test
 * with {@code -Dmcpbus.write=true}: it writes the page.
 */
class CliPageTest {

  private static final Path PAGE = Path.of("src/docs/cli.md");

  @Test
  void the_page_has_the_help_of_each_command() throws IOException {
    Compared.page(PAGE, page(Main.commandLine()), CliPageTest.class);
  }

  private static String page(CommandLine root) {
    StringBuilder page = new StringBuilder(introduction());
    section(page, "mcpbus", root);
    for (Map.Entry<String, CommandLine> each : root.getSubcommands().entrySet()) {
      section(page, each.getKey(), each.getValue());
    }
    return page.toString();
  }

  private static String introduction() {
    String codes =
        Arrays.stream(ExitCode.values())
            .map(code -> "| " + code.code() + " | " + code.meaning() + " |\n")
            .collect(Collectors.joining());
    return """
        # Command line

        `src/scripts/mcpbus COMMAND`, or `java -jar mcpbus.jar COMMAND`. A command talks over HTTP to the mcpbus of this machine, or to that of `--url`; `tools`, `call`, `read` and others start one for themselves if none runs. Without a command, mcpbus runs.

        **A file of others.** `conf/mcpbus.json` of the working directory may be another person's. A command that would start its servers (`tools`, `call`, `read`, `prompt`, `skills`, `status`, `doctor`, `--stdio`) asks first, and remembers the answer for this content of the file in `~/.mcpbus/consents`. Where no person can answer, it ends with code 3 and names the remedy: `--config conf/mcpbus.json`, which is consent. So is `mcpbus run`; what a running mcpbus applies of a change is agreed to as well.

        **The key** in `MCPBUS_KEY` goes to the host of `MCPBUS_URL`; without that variable, to the host of `--url`, or to the mcpbus on this machine. It does not go where a `conf/mcpbus.json` leads that you have not agreed to, and a configuration cannot name another machine: `--url` does. For one more host there is `--key-file`. Without a key a command comes with your [sign-in](sign-in.md#from-the-command-line) at exactly this origin (`mcpbus login`), else on this machine with the admin key.

        Tables are for people; `--json` prints one JSON document for programs, or one on each line with `-f`, and an error as one line on stderr: `{"error": {"code", "message", ...}}`. Long work shows its progress on a terminal, and Ctrl-C cancels it at the server.

        | exit code | |
        |---|---|
        """
        + codes;
  }

  private static void section(StringBuilder page, String name, CommandLine command) {
    command.getCommandSpec().usageMessage().width(100);
    String help =
        command
            .getUsageMessage(Ansi.OFF)
            .lines()
            .map(String::stripTrailing)
            .collect(Collectors.joining("\n"));
    page.append("\n## ").append(name).append("\n\n```\n").append(help).append("\n```\n");
  }
}
