package dev.mcpbus.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code completion}: prints the script with which a shell completes words of mcpbus. */
@Command(
    name = "completion",
    sortOptions = false,
    description = {
      "Prints a completion script for bash or zsh.",
      "For this shell: source <(mcpbus completion bash)"
    })
final class CompletionCommand implements Callable<Integer> {

  /** The shells that are known. */
  enum Shell {
    bash,
    zsh
  }

  private final CommandContext context;

  @Parameters(
      index = "0",
      paramLabel = "SHELL",
      description = "${COMPLETION-CANDIDATES}; the same script serves both.")
  @SuppressWarnings("UnusedVariable") // picocli checks the word; the script is one
  private Shell shell = Shell.bash;

  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  CompletionCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    String script = AutoComplete.bash("mcpbus", root);
    byte[] bytes = script.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    context.out().write(bytes, 0, bytes.length);
    context.out().flush();
    return ExitCode.DONE.code();
  }
}
