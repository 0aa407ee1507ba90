package dev.mcpbus.config;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What the variables of a configuration stand for. Passed in, so that a read depends on nothing
 * else.
 *
 * @param variables for {@code ${VAR}} and {@code ${env:VAR}}
 * @param inputs answers to {@code ${input:id}}; asked before the variable {@code MCPBUS_INPUT_<ID>}
 * @param userHome for {@code ${userHome}} and a leading {@code ~/} of paths
 * @param java for {@code ${mcpbus:java}}: this JVM's program
 * @param jar for {@code ${mcpbus:jar}}: what {@code -cp} needs to find mcpbus
 */
public record ConfigEnvironment(
    Map<String, String> variables,
    Function<String, Optional<String>> inputs,
    Path userHome,
    String java,
    String jar) {

  public ConfigEnvironment {
    variables = Map.copyOf(variables);
  }

  /** Of this process; no answers to inputs but those in its variables. */
  public static ConfigEnvironment system() {
    return new ConfigEnvironment(
        System.getenv(),
        id -> Optional.empty(),
        Path.of(System.getProperty("user.home", ".")),
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        ownJar());
  }

  /** Names no variable's value: any of them may be secret. */
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

  /** The answer to one input of a VS Code file; empty where nobody gave one. */
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
        // Not loaded from a file: the class path below is what started us.
      }
    }
    return System.getProperty("java.class.path", "");
  }
}
