package dev.mcpbus.cli;

import dev.mcpbus.protocol.Printable;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what is wrong with a command line, and what was meant. Stateless. */
final class UsageErrors {

  private UsageErrors() {}

  /** Prints the error; returns the exit code. */
  static int report(CommandContext context, ParameterException wrong, String... args) {
    CommandLine line = wrong.getCommandLine();
    String message = meant(wrong);
    if (asksForJson(Arrays.asList(args))) {
      context.err().println(CommandFailure.usage(message).toJson().encode());
      return ExitCode.UNEXPECTED.code();
    }
    context.err().println("mcpbus: " + Printable.lines(message));
    context.err().print(line.getHelp().synopsisHeading() + line.getHelp().synopsis(0));
    context.err().println("More: " + line.getCommandSpec().qualifiedName() + " --help");
    return ExitCode.UNEXPECTED.code();
  }

  /** Whether the command line wants its errors as JSON. */
  static boolean asksForJson(List<String> args) {
    return args.contains("--json");
  }

  private static String meant(ParameterException wrong) {
    if (!(wrong instanceof UnmatchedArgumentException unmatched)
        || unmatched.getUnmatched().isEmpty()
        || unmatched.getUnmatched().get(0).startsWith("-")) {
      return String.valueOf(wrong.getMessage());
    }
    String word = unmatched.getUnmatched().get(0);
    if (word.matches("(?i).*\\.(json|jsonc|ya?ml)")) {
      return "\""
          + word
          + "\" is no command; to run that configuration: mcpbus run --config "
          + word;
    }
    List<String> near = unmatched.getSuggestions();
    return "\""
        + word
        + "\" is no command"
        + (near.isEmpty() ? "" : "; did you mean " + String.join(" or ", near) + "?");
  }
}
