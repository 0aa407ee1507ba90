package dev.mcpbus.config;

import dev.mcpbus.protocol.Glob;
import dev.mcpbus.protocol.Sensitive;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The values of the variables in a configuration. Injected, so that reading depends on nothing
 * else. Immutable.
 *
 * <p>A text gets the value of a variable only through {@link #variable}. Variables of mcpbus itself
 * ({@code MCPBUS_*}) are its keys and settings: no text gets them, because it may send them
 * elsewhere.
 *
 * @param variables of the process
 * @param inputs answers to {@code ${input:id}}; they precede the variable {@code MCPBUS_INPUT_<ID>}
 * @param userHome for {@code ${userHome}} and a leading {@code ~/} of paths
 * @param java for {@code ${mcpbus:java}}: the java program of this JVM
 * @param jar for {@code ${mcpbus:jar}}: the {@code -cp} argument with which java finds mcpbus
 * @param readable which variables a text may name, and which files an entry
 * @param caller values for {@code ${caller.NAME}}; null where no caller is known: the reference
 *     stays in the text
 */
public record ConfigEnvironment(
    Map<String, String> variables,
    Function<String, Optional<String>> inputs,
    Path userHome,
    String java,
    String jar,
    Predicate<String> readable,
    @Nullable Map<String, Sensitive> caller) {

  /**
   * The variable with what entries may use that callers add: globs of names of variables, and of
   * absolute paths of files, separated by blanks or commas.
   */
  public static final String LIST_VARIABLE = "MCPBUS_VARS";

  private static final String OWN = "MCPBUS_";
  private static final String INPUT = "MCPBUS_INPUT_";

  /** In a sealed environment, the value of each variable that has one. */
  public static final String VALUE_KEPT = "(the value stays in the environment)";

  public ConfigEnvironment {
    variables = Map.copyOf(variables);
    caller = caller == null ? null : Map.copyOf(caller);
  }

  /** An environment in which a text may name each variable but those of mcpbus itself. */
  public ConfigEnvironment(
      Map<String, String> variables,
      Function<String, Optional<String>> inputs,
      Path userHome,
      String java,
      String jar) {
    this(variables, inputs, userHome, java, jar, name -> !isOwn(name), null);
  }

  /** Whether a variable is a key or a setting of mcpbus; an answer to an input is none. */
  public static boolean isOwn(String name) {
    String upper = name.toUpperCase(Locale.ROOT);
    return upper.startsWith(OWN) && !upper.startsWith(INPUT);
  }

  /** The value of a variable for a text; empty if it has none, or must not get there. */
  public Optional<String> variable(String name) {
    return readable.test(name) ? Optional.ofNullable(variables.get(name)) : Optional.empty();
  }

  /**
   * The same environment for an entry that a caller adds, or pastes from elsewhere: it may name the
   * variables and files of {@value #LIST_VARIABLE} alone, and answers to inputs.
   */
  public ConfigEnvironment ofCaller() {
    List<String> globs =
        List.of(variables.getOrDefault(LIST_VARIABLE, "").strip().split("[\\s,]+"));
    return withReadable(
        name ->
            name.startsWith(INPUT)
                || (!isOwn(name) && globs.stream().anyMatch(glob -> names(glob, name))));
  }

  /**
   * Whether an item of the list names a variable, or a file at its real path. A pattern for
   * variables names no file; a path that the list has without a pattern may be a link, as those of
   * a volume of Kubernetes are.
   */
  private static boolean names(String glob, String name) {
    boolean isFile = glob.indexOf('/') >= 0 || glob.indexOf(File.separatorChar) >= 0;
    boolean wantsFile = name.indexOf('/') >= 0 || name.indexOf(File.separatorChar) >= 0;
    if (isFile != wantsFile) {
      return false;
    }
    if (Glob.matches(glob, name)) {
      return true;
    }
    try {
      return isFile && name.equals(Path.of(glob).toRealPath().toString());
    } catch (IOException | InvalidPathException none) {
      return false; // a pattern, or no such file
    }
  }

  /** The same environment for a text that stays in this process: it may name any variable. */
  public ConfigEnvironment withOwn() {
    return withReadable(name -> true);
  }

  /**
   * Where mcpbus keeps files of its own: admin tokens, tokens of servers, secrets of clusters; and
   * where the system shows its variables as files.
   */
  public List<Path> ownFolders() {
    List<Path> folders = new ArrayList<>(List.of(userHome.resolve(".mcpbus"), Path.of("/proc")));
    variables.forEach(
        (name, value) -> {
          boolean names = name.endsWith("_FILE") || name.endsWith("_FOLDER");
          if (names && isOwn(name) && !value.isBlank()) {
            folders.add(Path.of(value).toAbsolutePath());
          }
        });
    return folders;
  }

  private ConfigEnvironment withReadable(Predicate<String> other) {
    return new ConfigEnvironment(variables, inputs, userHome, java, jar, other, caller);
  }

  /** The environment of this process; inputs come from its variables alone. */
  public static ConfigEnvironment system() {
    return new ConfigEnvironment(
        System.getenv(),
        id -> Optional.empty(),
        Path.of(System.getProperty("user.home", ".")),
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        ownJar());
  }

  /**
   * The same environment without its values, for a reader whose result is shown: it tells which
   * variables and inputs have a value, and {@link #VALUE_KEPT} stands in place of each.
   */
  public ConfigEnvironment sealed() {
    Map<String, String> names = new HashMap<>();
    variables.forEach((name, value) -> names.put(name, value.isBlank() ? "" : VALUE_KEPT));
    return new ConfigEnvironment(
        names,
        inputs instanceof SealedInputs ? inputs : new SealedInputs(inputs),
        userHome,
        java,
        jar,
        readable,
        caller);
  }

  /** Whether the values of variables are left out: {@link #sealed}. */
  public boolean isSealed() {
    return inputs instanceof SealedInputs;
  }

  /** A sealed environment in which these variables have a value, too. */
  public ConfigEnvironment withSealed(Collection<String> names) {
    Map<String, String> all = new HashMap<>(variables);
    names.forEach(name -> all.put(name, VALUE_KEPT));
    return withVariables(all)
        .withReadable(name -> readable.test(name) || (names.contains(name) && !isOwn(name)));
  }

  /** Says which inputs have an answer, and not which. */
  private record SealedInputs(Function<String, Optional<String>> answers)
      implements Function<String, Optional<String>> {

    @Override
    public Optional<String> apply(String id) {
      return answers.apply(id).map(answer -> answer.isBlank() ? "" : VALUE_KEPT);
    }
  }

  /** Shows no value of a variable: each may be a secret. */
  @Override
  public String toString() {
    return "environment of " + variables.size() + " variables";
  }

  public ConfigEnvironment withVariables(Map<String, String> other) {
    return new ConfigEnvironment(other, inputs, userHome, java, jar, readable, caller);
  }

  public ConfigEnvironment withInputs(Function<String, Optional<String>> other) {
    return new ConfigEnvironment(variables, other, userHome, java, jar, readable, caller);
  }

  /**
   * The same environment for the connection of one caller.
   *
   * @param values by what stands behind {@code caller.}: {@code name}, {@code secret}, {@code
   *     header.} and a name in small letters
   */
  public ConfigEnvironment withCaller(Map<String, Sensitive> values) {
    return new ConfigEnvironment(
        variables, inputs, userHome, java, jar, readable, Map.copyOf(values));
  }

  /** The answer to an input of a VS Code file; empty if there is none. */
  public Optional<String> input(String id) {
    return inputs.apply(id).or(() -> Optional.ofNullable(variables.get(inputVariable(id))));
  }

  /** {@code api-key} becomes {@code MCPBUS_INPUT_API_KEY}. */
  public static String inputVariable(String id) {
    return INPUT + id.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
  }

  private static String ownJar() {
    CodeSource source = ConfigEnvironment.class.getProtectionDomain().getCodeSource();
    if (source != null && source.getLocation() != null) {
      try {
        File file = new File(source.getLocation().toURI());
        if (file.isFile()) {
          return file.getPath();
        }
      } catch (URISyntaxException | IllegalArgumentException e) {
        // Not loaded from a file: the class path below started this JVM.
      }
    }
    return System.getProperty("java.class.path", "");
  }
}
