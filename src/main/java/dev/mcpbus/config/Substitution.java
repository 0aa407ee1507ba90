package dev.mcpbus.config;

import dev.mcpbus.protocol.SecretRules;
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
 * Replaces {@code ${...}} in the texts of one file. A variable without value and default is a
 * problem of the server that uses it; it never becomes an empty text. Owned by one read.
 */
final class Substitution {

  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final String DEFAULT_MARK = ":-";
  private static final String PASSWORD = "password";

  private final ConfigEnvironment environment;
  private final Path folder;
  private final Map<String, ConfigNode> inputs;
  private final ProblemCollector problems;
  private final Map<String, List<Sensitive>> inserted = new HashMap<>();

  /**
   * @param folder the value of {@code ${workspaceFolder}}
   * @param inputs those that the file declares, by id
   */
  Substitution(
      ConfigEnvironment environment,
      Path folder,
      Map<String, ConfigNode> inputs,
      ProblemCollector problems) {
    this.environment = environment;
    this.folder = folder;
    this.inputs = Map.copyOf(inputs);
    this.problems = problems;
  }

  /**
   * A text after substitution.
   *
   * @param value to use
   * @param shown to show: {@code ***} in place of values of variables
   * @param open whether variables were left in {@code value}, because the environment is sealed;
   *     then nothing can be said about the value
   */
  record Filled(Sensitive value, String shown, boolean open) {

    /** A text in which nothing is left open. */
    Filled(Sensitive value, String shown) {
      this(value, shown, false);
    }

    /** A text that is hidden as a whole. */
    static Filled hidden(String value) {
      return new Filled(Sensitive.of(value), Sensitive.MASK);
    }

    /** The masked form of the text that is equal to {@code word}. */
    static String shown(Collection<Filled> all, String word) {
      Sensitive wanted = Sensitive.of(word);
      return all.stream()
          .filter(one -> one.value().equals(wanted))
          .findFirst()
          .map(Filled::shown)
          .orElse(Sensitive.MASK);
    }

    /** A text without variables. */
    static Filled plain(String text) {
      return new Filled(Sensitive.of(text), text);
    }

    /** The masked form. */
    @Override
    public String toString() {
      return shown;
    }
  }

  /** The secrets in the values that variables and inputs inserted into the texts of a server. */
  List<Sensitive> inserted(String server) {
    return inserted.getOrDefault(server, List.of());
  }

  /**
   * @param name of the variable or the input that has the value
   */
  private Filled hidden(String name, String value, @Nullable String server) {
    Filled filled = Filled.hidden(value);
    if (server != null) {
      inserted
          .computeIfAbsent(server, id -> new ArrayList<>())
          .addAll(SecretRules.in(name, filled.value));
    }
    return filled;
  }

  Path folder() {
    return folder;
  }

  Path userHome() {
    return environment.userHome();
  }

  /** The text after substitution; empty after a problem, such as an unknown variable. */
  Optional<Filled> fill(String raw, int line, @Nullable String server) {
    if (!raw.contains("${")) {
      return Optional.of(Filled.plain(raw));
    }
    StringBuilder value = new StringBuilder();
    StringBuilder shown = new StringBuilder();
    boolean complete = true;
    boolean[] open = {false};
    int at = 0;
    while (true) {
      int start = raw.indexOf("${", at);
      if (start < 0) {
        value.append(raw, at, raw.length());
        shown.append(raw, at, raw.length());
        return complete
            ? Optional.of(new Filled(Sensitive.of(value.toString()), shown.toString(), open[0]))
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
            open[0] |= filled.open;
          });
      at = end + 1;
    }
  }

  private Optional<Filled> variable(String inside, int line, @Nullable String server) {
    int mark = inside.indexOf(DEFAULT_MARK);
    String fallback = mark < 0 ? null : inside.substring(mark + DEFAULT_MARK.length());
    String name = (mark < 0 ? inside : inside.substring(0, mark)).strip();
    String plain = path(name);
    if (plain != null) {
      return Optional.of(Filled.plain(plain));
    }
    if (name.startsWith("input:")) {
      return input(name.substring("input:".length()), fallback, line, server)
          .map(filled -> kept(filled, inside));
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
      return Optional.of(kept(hidden(variable, found, server), inside));
    }
    if (fallback != null) {
      return Optional.of(hidden(variable, fallback, server));
    }
    String shown = MessageTexts.ascii(ServerNames.cut(variable));
    problems.add(
        line,
        server,
        "the variable " + shown + " is not set",
        "Set it in the environment, or give a default: ${" + shown + ":-value}");
    return Optional.empty();
  }

  /** The reference itself, where a sealed environment keeps the value. */
  private Filled kept(Filled filled, String inside) {
    return environment.isSealed() && filled.value.equals(Sensitive.of(ConfigEnvironment.VALUE_KEPT))
        ? new Filled(Sensitive.of("${" + inside + "}"), Sensitive.MASK, true)
        : filled;
  }

  /** Whether values of variables are left out, and files that entries name must not be read. */
  boolean isSealed() {
    return environment.isSealed();
  }

  /** Paths of this machine, which are shown unmasked. */
  private @Nullable String path(String name) {
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
    ConfigNode declared = inputs.get(id);
    Optional<String> answer = environment.input(id).or(() -> Optional.ofNullable(fallback));
    if (answer.isEmpty()) {
      String description =
          declared == null ? "" : RegistryInput.text(declared, "description").orElse("");
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
    String name = declared != null && RegistryInput.flag(declared, PASSWORD) ? PASSWORD : id;
    return answer.map(value -> hidden(name, value, server));
  }
}
