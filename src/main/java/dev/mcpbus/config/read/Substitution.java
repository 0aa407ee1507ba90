package dev.mcpbus.config.read;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.protocol.SecretRules;
import dev.mcpbus.protocol.Sensitive;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Replaces {@code ${...}} in the texts of one file. A variable without value and default is a
 * problem of the server that uses it; it never becomes an empty text. Owned by one read.
 */
public record Substitution(
    ConfigEnvironment environment,
    Path folder,
    Map<String, ConfigNode> inputs,
    ProblemCollector problems,
    Map<String, List<Sensitive>> inserted,
    Map<String, Set<String>> ofCallers,
    List<Path> ours,
    EntryVariables own) {

  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final String DEFAULT_MARK = ":-";
  private static final String CALLER = "caller.";
  private static final String HEADER = "header.";
  private static final Set<String> CALLER_NAMES = Set.of("name", "secret");

  /** {@code ${NAME:default}} of fast-agent and Spring; words such as {@code env:} are small. */
  private static final Pattern WITH_DEFAULT = Pattern.compile("(?s)[A-Z][A-Z0-9_]*+:[^-?+=].*+");

  private static final String OR_FILE = ", or write the server into the configuration file";
  private static final String PASSWORD = "password";
  private static final int MAX_DEPTH = 4;

  /** Variables that other programs set: the folder of the project, or of the plug-in. */
  private static final Set<String> SET_BY_PROGRAMS =
      Set.of("CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT");

  /** The names of the folder of the file. */
  public static final List<String> FOLDER =
      Stream.concat(
              Stream.of("workspaceFolder", "workspaceRoot", "cwd", "extensionPath"),
              SET_BY_PROGRAMS.stream())
          .toList();

  /** {@code $NAME} of Gemini and shells, {@code $env:NAME}; a reference with braces is none. */
  private static final Pattern DOLLAR =
      Pattern.compile("\\$(?:env:)?([A-Z_][A-Z0-9_]++)(?![A-Za-z0-9_])");

  /** {@code {env:NAME}} of opencode, {@code {{NAME}}}, and {@code <NAME>}, which people fill in. */
  private static final Pattern BRACED =
      Pattern.compile(
          "(?<!\\$)\\{(?:env:|\\{ ?(?:env\\.)?)([A-Z_][A-Z0-9_]{2,63}) ?}}?"
              + "|(?<![^\\s=:/])<([A-Za-z][A-Za-z0-9_ -]{2,63})>(?![^\\s/?&])");

  /** {@code %NAME%} of Windows; two hex digits are an escape of a URL. */
  private static final Pattern PERCENT =
      Pattern.compile("%([A-Z_][A-Z0-9_]{2,63}|AppData|LocalAppData|UserProfile|ProgramFiles)%");

  /**
   * @param folder the value of {@code ${workspaceFolder}}
   * @param inputs those that the file declares, by id
   */
  Substitution(
      ConfigEnvironment environment,
      Path folder,
      Map<String, ConfigNode> inputs,
      ProblemCollector problems) {
    this(
        environment,
        folder,
        Map.copyOf(inputs),
        problems,
        new HashMap<>(),
        new HashMap<>(),
        new ArrayList<>(environment.ownFolders()),
        EntryVariables.NONE);
  }

  /**
   * The variables that the entry itself sets for its program.
   *
   * @param values by name
   * @param use what the texts do with them
   */
  record EntryVariables(Map<String, Filled> values, EntryUse use) {

    static final EntryVariables NONE = new EntryVariables(Map.of(), EntryUse.FIRST);

    enum EntryUse {
      /** Their values stand before those of the process. */
      FIRST,
      /** They stand in for variables that the process does not have. */
      LAST,
      /** Their names stay in the text, which a shell reads: it has the values. */
      BY_SHELL
    }
  }

  /** For the texts of one entry, which may name the variables that it sets. */
  Substitution with(EntryVariables variables) {
    return new Substitution(
        environment, folder, inputs, problems, inserted, ofCallers, ours, variables);
  }

  /**
   * A text after substitution.
   *
   * @param value to use
   * @param shown to show: {@code ***} in place of values of variables
   * @param open whether variables were left in {@code value}, because the environment is sealed;
   *     then nothing can be said about the value
   */
  public record Filled(Sensitive value, String shown, boolean open) {

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
    public static Filled plain(String text) {
      return new Filled(Sensitive.of(text), text);
    }

    /** The masked form. */
    @Override
    public String toString() {
      return shown;
    }
  }

  /** For a text that stays in this process: {@link ConfigEnvironment#withOwn}. */
  Substitution withOwn() {
    return new Substitution(
        environment.withOwn(), folder, inputs, problems, inserted, ofCallers, ours, own);
  }

  /** No entry may name a file below this folder: mcpbus keeps its own files there. */
  void keepFrom(Path folder) {
    ours.add(folder);
  }

  /**
   * Why an entry may not name this file for mcpbus to read, with the remedy; null where it may.
   * What is in the file could go to the server, or to an address that the entry names.
   */
  @Nullable List<String> whyNotRead(Path file) {
    if (isSealed() && file.toString().contains("${")) {
      return null; // it has a variable, whose value is left out
    }
    Path real = isSealed() ? file.toAbsolutePath() : real(file);
    for (Path folder : ours) {
      if (real.startsWith(real(folder)) || file.startsWith(folder)) {
        return List.of("is one of mcpbus's own files, or of its process", "Name another file");
      }
    }
    return environment.readable().test(real.toString())
        ? null
        : List.of(
            "names a file, which a server that a caller adds may not",
            "Start mcpbus with " + ConfigEnvironment.LIST_VARIABLE + "=PATH" + OR_FILE);
  }

  /** Where a link leads; where there is nothing, the name decides. */
  private static Path real(Path file) {
    try {
      return file.toRealPath();
    } catch (IOException none) {
      return file.toAbsolutePath();
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

  Path userHome() {
    return environment.userHome();
  }

  /** The text after substitution; empty after a problem, such as an unknown variable. */
  Optional<Filled> fill(String raw, int line, @Nullable String server) {
    foreign(raw, line, server);
    return fill(raw, line, server, MAX_DEPTH);
  }

  /**
   * @param depth how often a default may have a variable with a default
   */
  private Optional<Filled> fill(String raw, int line, @Nullable String server, int depth) {
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
      int end = end(raw, start);
      if (end < 0) {
        problems.add(line, server, "a ${ is not closed", "Write ${NAME}");
        return Optional.empty();
      }
      Optional<Filled> one = variable(raw.substring(start + 2, end), line, server, depth);
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

  /** The brace that closes a reference; a default in it may have references of its own. */
  private static int end(String raw, int start) {
    int within = 0;
    for (int i = start; i < raw.length(); i++) {
      if (raw.startsWith("${", i)) {
        within++;
      } else if (raw.charAt(i) == '}' && --within == 0) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Tells of the forms of other programs, which reach the server as they are written: {@code $NAME}
   * and {@code %NAME%}. Only names are told that are certainly no part of a secret.
   */
  private void foreign(String raw, int line, @Nullable String server) {
    if (server == null || own.use() == EntryVariables.EntryUse.BY_SHELL) {
      return;
    }
    for (Pattern form : List.of(DOLLAR, PERCENT, BRACED)) {
      Matcher found = form.matcher(raw);
      while (found.find()) {
        String name =
            found.group(1) == null
                ? found.group(2).toUpperCase(Locale.ROOT).replaceAll("[ -]", "_")
                : found.group(1);
        boolean isKnown = own.values().containsKey(name) || environment.variable(name).isPresent();
        boolean isWhole = found.end() - found.start() == raw.length();
        if (isKnown || isWhole || form == BRACED || (form == PERCENT && !raw.contains("://"))) {
          problems.note(
              line,
              server,
              found.group() + " stays as it is written",
              "Write ${" + name + "} for the value of the variable");
        }
      }
    }
  }

  private Optional<Filled> variable(String inside, int line, @Nullable String server, int depth) {
    int mark = inside.indexOf(DEFAULT_MARK);
    int length = DEFAULT_MARK.length();
    if (mark < 0 && WITH_DEFAULT.matcher(inside).matches()) {
      mark = inside.indexOf(':');
      length = 1;
    }
    String fallback = mark < 0 ? null : inside.substring(mark + length);
    String name = (mark < 0 ? inside : inside.substring(0, mark)).strip();
    // VS Code may name one of several folders; mcpbus has one.
    String plain = path(name.startsWith("workspaceFolder:") ? "workspaceFolder" : name);
    if (plain != null) {
      return Optional.of(Filled.plain(plain));
    }
    if (name.startsWith("input:")) {
      return input(name.substring("input:".length()), fallback, line, server)
          .map(filled -> kept(filled, inside));
    }
    if (name.startsWith(CALLER)) {
      return caller(name.substring(CALLER.length()), line, server);
    }
    boolean prefixed = name.startsWith("env:");
    String variable = prefixed ? name.substring("env:".length()) : name;
    if (variable.isEmpty() || (!prefixed && !NAME.matcher(variable).matches())) {
      problems.add(
          line,
          server,
          "${" + MessageTexts.ascii(MessageTexts.cut(name)) + "} is not known",
          "Known are ${VAR}, ${VAR:-default}, ${env:VAR}, ${input:id}, ${userHome},"
              + " ${workspaceFolder}, ${mcpbus:java} and ${mcpbus:jar}");
      return Optional.empty();
    }
    Filled set = own.values().get(variable);
    if (set != null && own.use() == EntryVariables.EntryUse.BY_SHELL) {
      return Optional.of(Filled.plain("${" + (prefixed ? variable : inside) + "}"));
    }
    String found = environment.variable(variable).orElse(null);
    boolean isSet = set != null && (fallback == null || !set.value.isBlank());
    if (set != null && isSet && (found == null || own.use() == EntryVariables.EntryUse.FIRST)) {
      return Optional.of(
          new Filled(hidden(variable, set.value.reveal(), server).value, Sensitive.MASK, set.open));
    }
    if (found != null && (fallback == null || !found.isEmpty())) {
      return Optional.of(kept(hidden(variable, found, server), inside));
    }
    if (SET_BY_PROGRAMS.contains(variable)) {
      return Optional.of(Filled.plain(folder.toString()));
    }
    if (fallback != null) {
      return byDefault(variable, fallback, line, server, depth);
    }
    String shown = MessageTexts.ascii(MessageTexts.cut(variable));
    List<String> why =
        ConfigEnvironment.isOwn(variable)
            ? List.of(
                "is mcpbus's own, and its value does not go elsewhere",
                "Give the value a variable whose name does not begin with MCPBUS_")
            : environment.readable().test(variable)
                ? List.of(
                    "is not set",
                    "Set it in the environment or in the entry's \"env\", or give a default: ${"
                        + shown
                        + ":-value}")
                : List.of(
                    "is not among those that an added server may use",
                    "Start mcpbus with " + ConfigEnvironment.LIST_VARIABLE + "=" + shown + OR_FILE);
    problems.add(line, server, "the variable " + shown + " " + why.get(0), why.get(1));
    return Optional.empty();
  }

  /** What the entry of a server of callers takes of the one whose connection it describes. */
  private Optional<Filled> caller(String name, int line, @Nullable String server) {
    boolean header = name.startsWith(HEADER) && name.length() > HEADER.length();
    if (server == null || !(header || CALLER_NAMES.contains(name))) {
      problems.add(
          line,
          server,
          "${caller." + MessageTexts.ascii(MessageTexts.cut(name)) + "} is not known",
          server == null
              ? "It can stand in the entry of a server alone"
              : "Known are ${caller.name}, ${caller.secret} and ${caller.header.NAME}");
      return Optional.empty();
    }
    String key = header ? name.toLowerCase(Locale.ROOT) : name;
    ofCallers.computeIfAbsent(server, id -> new TreeSet<>()).add(key);
    Map<String, Sensitive> values = environment.caller();
    if (values == null) { // of the server itself, which is never opened
      return Optional.of(new Filled(Sensitive.of("of-the-caller"), "${" + CALLER + name + "}"));
    }
    Sensitive value = values.get(key);
    return Optional.of(hidden(name, value == null ? "" : value.reveal(), server));
  }

  /** What the texts of a server take of its callers: names behind {@code caller.}. */
  Set<String> ofCallers(String server) {
    return ofCallers.getOrDefault(server, Set.of());
  }

  private Optional<Filled> byDefault(
      String variable, String text, int line, @Nullable String server, int depth) {
    if (depth == 0) {
      problems.add(line, server, "defaults stand in defaults too often", "Write one value");
      return Optional.empty();
    }
    return fill(text, line, server, depth - 1)
        .map(
            filled ->
                new Filled(
                    hidden(variable, filled.value.reveal(), server).value,
                    Sensitive.MASK,
                    filled.open));
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
      case "workspaceFolderBasename" -> String.valueOf(folder.getFileName());
      case "pathSeparator", "/" -> java.io.File.separator;
      case "mcpbus:java" -> environment.java();
      case "mcpbus:jar" -> environment.jar();
      default ->
          FOLDER.contains(name) && !SET_BY_PROGRAMS.contains(name) ? folder.toString() : null;
    };
  }

  private Optional<Filled> input(
      String id, @Nullable String fallback, int line, @Nullable String server) {
    ConfigNode declared = inputs.get(id);
    boolean isPassword = declared != null && RegistryInput.flag(declared, PASSWORD);
    Optional<String> answer = environment.input(id).or(() -> Optional.ofNullable(fallback));
    Optional<String> proposed =
        declared == null ? Optional.empty() : RegistryInput.text(declared, "default");
    if (answer.isEmpty() && proposed.isPresent()) {
      problems.note(
          line,
          server,
          "the input " + MessageTexts.quote(id) + " has its default",
          "Set the variable " + shownVariable(id) + " for another value");
      return Optional.of(
          isPassword ? hidden(PASSWORD, proposed.get(), server) : Filled.plain(proposed.get()));
    }
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
                  : " (" + MessageTexts.ascii(MessageTexts.cut(description)) + ")")
              + " has no value",
          "Set the variable " + shownVariable(id));
    }
    return answer.map(value -> hidden(isPassword ? PASSWORD : id, value, server));
  }

  private static String shownVariable(String id) {
    return MessageTexts.ascii(ConfigEnvironment.inputVariable(MessageTexts.cut(id)));
  }
}
