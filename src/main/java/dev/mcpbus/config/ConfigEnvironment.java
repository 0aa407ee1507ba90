package dev.mcpbus.config;

import dev.mcpbus.protocol.PublicApi;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The values of the variables in a configuration. Injected, so that reading depends on nothing
 * else. Immutable.
 *
 * @param variables for {@code ${VAR}} and {@code ${env:VAR}}
 * @param inputs answers to {@code ${input:id}}; they precede the variable {@code MCPBUS_INPUT_<ID>}
 * @param userHome for {@code ${userHome}} and a leading {@code ~/} of paths
 * @param java for {@code ${mcpbus:java}}: the java program of this JVM
 * @param jar for {@code ${mcpbus:jar}}: the {@code -cp} argument with which java finds mcpbus
 */
@PublicApi
public record ConfigEnvironment(
    Map<String, String> variables,
    Function<String, Optional<String>> inputs,
    Path userHome,
    String java,
    String jar) {

  /** In a sealed environment, the value of each variable that has one. */
  static final String VALUE_KEPT = "(the value stays in the environment)";

  public ConfigEnvironment {
    variables = Map.copyOf(variables);
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
  ConfigEnvironment sealed() {
    Map<String, String> names = new HashMap<>();
    variables.forEach((name, value) -> names.put(name, value.isBlank() ? "" : VALUE_KEPT));
    return new ConfigEnvironment(
        names,
        inputs instanceof SealedInputs ? inputs : new SealedInputs(inputs),
        userHome,
        java,
        jar);
  }

  /** Whether the values of variables are left out: {@link #sealed}. */
  boolean isSealed() {
    return inputs instanceof SealedInputs;
  }

  /** A sealed environment in which these variables have a value, too. */
  ConfigEnvironment withSealed(Collection<String> names) {
    Map<String, String> all = new HashMap<>(variables);
    names.forEach(name -> all.put(name, VALUE_KEPT));
    return withVariables(all);
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
    return new ConfigEnvironment(other, inputs, userHome, java, jar);
  }

  public ConfigEnvironment withInputs(Function<String, Optional<String>> other) {
    return new ConfigEnvironment(variables, other, userHome, java, jar);
  }

  /** The answer to an input of a VS Code file; empty if there is none. */
  Optional<String> input(String id) {
    return inputs.apply(id).or(() -> Optional.ofNullable(variables.get(inputVariable(id))));
  }

  /** {@code api-key} becomes {@code MCPBUS_INPUT_API_KEY}. */
  static String inputVariable(String id) {
    return "MCPBUS_INPUT_" + id.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
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
