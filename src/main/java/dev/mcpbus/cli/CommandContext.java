package dev.mcpbus.cli;

import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;

/**
 * What a command sees of the world outside; injected, so that tests have a world of their own.
 * Immutable.
 *
 * @param out for results; control characters in printed text do not reach a terminal
 * @param err for errors, notes and progress; likewise
 * @param in for answers and documents
 * @param variables environment variables
 * @param home the user's home directory
 * @param terminal what is at the other end of {@code out} and {@code err}
 * @param launcher starts mcpbus itself
 */
public record CommandContext(
    PrintStream out,
    PrintStream err,
    InputStream in,
    Map<String, String> variables,
    Path home,
    Terminal terminal,
    ServiceLauncher launcher) {

  public CommandContext {
    variables = Map.copyOf(variables);
  }

  /** Shows no variable: each may be a secret. */
  @Override
  public String toString() {
    return "CommandContext[" + home + "]";
  }
}
