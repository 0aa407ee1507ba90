package dev.mcpbus.config;

import dev.mcpbus.protocol.PublicApi;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
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
