package dev.mcpbus.cli;

import dev.mcpbus.protocol.NearWords;
import dev.mcpbus.protocol.Printable;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what is wrong with a command line, and what was meant. Stateless. */
final class UsageErrors {

  private UsageErrors() {}

  /** Prints the error; returns the exit code. */
  static int report(CommandContext context, ParameterException wrong, String... args) {
    CommandLine line = wrong.getCommandLine();
    String message = meant(line, wrong);
    if (asksForJson(Arrays.asList(args))) {
      context.err().println(CommandFailure.usage(message).toJson().encode());
      return ExitCode.UNEXPECTED.code();
    }
    context.err().println("mcpbus: " + Printable.lines(message));
    if (unknownWord(wrong) == null) {
      context.err().print(line.getHelp().synopsisHeading() + line.getHelp().synopsis(0));
    }
    context.err().println("More: " + line.getCommandSpec().qualifiedName() + " --help");
    return ExitCode.UNEXPECTED.code();
  }

  /** Whether the command line wants its errors as JSON. */
  static boolean asksForJson(List<String> args) {
    return args.contains("--json");
  }

  /** Refuses options of {@code run} before another command, which would not read them. */
  static void checkOrder(ParseResult parsed) {
    if (parsed.hasSubcommand() && !parsed.matchedOptions().isEmpty()) {
      String option = parsed.matchedOptions().get(0).longestName();
      String command = parsed.subcommand().commandSpec().name();
      throw new ParameterException(
          parsed.subcommand().commandSpec().commandLine(),
          "write " + option + " behind the command: mcpbus " + command + " " + option + " ...");
    }
  }

  /** A word where a command was expected, null for every other mistake. */
  private static @Nullable String unknownWord(ParameterException wrong) {
    return wrong instanceof UnmatchedArgumentException unmatched
            && wrong.getCommandLine().getParent() == null
            && !unmatched.getUnmatched().isEmpty()
            && !unmatched.getUnmatched().get(0).startsWith("-")
        ? unmatched.getUnmatched().get(0)
        : null;
  }

  private static String meant(CommandLine line, ParameterException wrong) {
    String word = unknownWord(wrong);
    if (word == null) {
      return String.valueOf(wrong.getMessage());
    }
    if (word.matches("(?i).*\\.(json|jsonc|toml|ya?ml)")) {
      return "\""
          + word
          + "\" is no command; to run that configuration: mcpbus run --config "
          + word;
    }
    List<String> near = NearWords.of(word, line.getSubcommands().keySet());
    return "\""
        + word
        + "\" is no command"
        + (near.isEmpty() ? "" : "; did you mean " + String.join(" or ", near) + "?");
  }
}
