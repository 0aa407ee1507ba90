package dev.mcpbus.config;

import dev.mcpbus.protocol.Sensitive;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Fills {@code ${...}} in the texts of one file. A variable that is not set and has no default is a
 * problem of the server that uses it, never an empty text.
 */
final class Substitution {

  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final String DEFAULT_MARK = ":-";

  private final ConfigEnvironment environment;
  private final Path folder;
  private final Map<String, String> inputDescriptions;
  private final ProblemCollector problems;
  private final Map<String, List<Sensitive>> brought = new HashMap<>();

  /**
   * @param folder what {@code ${workspaceFolder}} stands for
   * @param inputDescriptions of the inputs that the file declares, by id
   */
  Substitution(
      ConfigEnvironment environment,
      Path folder,
      Map<String, String> inputDescriptions,
      ProblemCollector problems) {
    this.environment = environment;
    this.folder = folder;
    this.inputDescriptions = Map.copyOf(inputDescriptions);
    this.problems = problems;
  }

  /**
   * A filled text.
   *
   * @param value to use
   * @param shown to show: what came from a variable is {@code ***}
   */
  record Filled(Sensitive value, String shown) {

    /** Of which nothing may be shown. */
    static Filled hidden(String value) {
      return new Filled(Sensitive.of(value), Sensitive.MASK);
    }

    /** What may be shown of the one whose text is {@code word}. */
    static String shown(Collection<Filled> all, String word) {
      Sensitive wanted = Sensitive.of(word);
      return all.stream()
          .filter(one -> one.value().equals(wanted))
          .findFirst()
          .map(Filled::shown)
          .orElse(Sensitive.MASK);
    }

    /** As it stands in the file. */
    static Filled plain(String text) {
      return new Filled(Sensitive.of(text), text);
    }

    /** What may be shown. */
    @Override
    public String toString() {
      return shown;
    }
  }

  /** What variables and inputs brought into the texts of that server. */
  List<Sensitive> brought(String server) {
    return brought.getOrDefault(server, List.of());
  }

  private Filled hidden(String value, @Nullable String server) {
    Filled filled = Filled.hidden(value);
    if (server != null) {
      brought.computeIfAbsent(server, name -> new ArrayList<>()).add(filled.value);
    }
    return filled;
  }

  Path folder() {
    return folder;
  }

  Path userHome() {
    return environment.userHome();
  }

  /** The text, or empty where it names something unknown; the problem is reported then. */
  Optional<Filled> fill(String raw, int line, @Nullable String server) {
    if (!raw.contains("${")) {
      return Optional.of(Filled.plain(raw));
    }
    StringBuilder value = new StringBuilder();
    StringBuilder shown = new StringBuilder();
    boolean complete = true;
    int at = 0;
    while (true) {
      int start = raw.indexOf("${", at);
      if (start < 0) {
        value.append(raw, at, raw.length());
        shown.append(raw, at, raw.length());
        return complete
            ? Optional.of(new Filled(Sensitive.of(value.toString()), shown.toString()))
            : Optional.empty();
      }
      value.append(raw, at, start);
      shown.append(raw, at, start);
      int end = raw.indexOf('}', start);
      if (end < 0) {
        problems.add(line, server, "a ${ is not closed", "Write ${NAME}");
        return Optional.empty();
      }
      Optional<Filled> one = variable(raw.substring(start + 2, end), line, server);
      complete &= one.isPresent();
      one.ifPresent(
          filled -> {
            value.append(filled.value.reveal());
            shown.append(filled.shown);
          });
      at = end + 1;
    }
  }

  private Optional<Filled> variable(String inside, int line, @Nullable String server) {
    int mark = inside.indexOf(DEFAULT_MARK);
    String fallback = mark < 0 ? null : inside.substring(mark + DEFAULT_MARK.length());
    String name = (mark < 0 ? inside : inside.substring(0, mark)).strip();
    String plain = place(name);
    if (plain != null) {
      return Optional.of(Filled.plain(plain));
    }
    if (name.startsWith("input:")) {
      return input(name.substring("input:".length()), fallback, line, server);
    }
    boolean prefixed = name.startsWith("env:");
    String variable = prefixed ? name.substring("env:".length()) : name;
    if (variable.isEmpty() || (!prefixed && !NAME.matcher(variable).matches())) {
      problems.add(
          line,
          server,
          "${" + MessageTexts.ascii(ServerNames.cut(name)) + "} is not known",
          "Known are ${VAR}, ${VAR:-default}, ${env:VAR}, ${input:id}, ${userHome},"
              + " ${workspaceFolder}, ${mcpbus:java} and ${mcpbus:jar}");
      return Optional.empty();
    }
    String found = environment.variables().get(variable);
    if (found != null && (fallback == null || !found.isEmpty())) {
      return Optional.of(hidden(found, server));
    }
    if (fallback != null) {
      return Optional.of(hidden(fallback, server));
    }
    String shown = MessageTexts.ascii(ServerNames.cut(variable));
    problems.add(
        line,
        server,
        "the variable " + shown + " is not set",
        "Set it in the environment, or give a default: ${" + shown + ":-value}");
    return Optional.empty();
  }

  /** Places are no secrets: they are shown as they are. */
  private @Nullable String place(String name) {
    return switch (name) {
      case "userHome" -> environment.userHome().toString();
      case "workspaceFolder" -> folder.toString();
      case "workspaceFolderBasename" -> String.valueOf(folder.getFileName());
      case "pathSeparator", "/" -> java.io.File.separator;
      case "mcpbus:java" -> environment.java();
      case "mcpbus:jar" -> environment.jar();
      default -> null;
    };
  }

  private Optional<Filled> input(
      String id, @Nullable String fallback, int line, @Nullable String server) {
    Optional<String> answer = environment.input(id).or(() -> Optional.ofNullable(fallback));
    if (answer.isEmpty()) {
      String description = inputDescriptions.getOrDefault(id, "");
      problems.add(
          line,
          server,
          "the input "
              + MessageTexts.quote(id)
              + (description.isEmpty()
                  ? ""
                  : " (" + MessageTexts.ascii(ServerNames.cut(description)) + ")")
              + " has no value",
          "Set the variable "
              + MessageTexts.ascii(ConfigEnvironment.inputVariable(ServerNames.cut(id))));
    }
    return answer.map(value -> hidden(value, server));
  }
}
