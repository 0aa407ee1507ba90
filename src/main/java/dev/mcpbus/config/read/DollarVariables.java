package dev.mcpbus.config.read;

import dev.mcpbus.config.ConfigEnvironment;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Variables without braces, in files of programs that know them. Pure. */
final class DollarVariables {

  private static final Pattern DOLLAR = Pattern.compile("\\$([A-Za-z_][A-Za-z0-9_]*+)");

  /** Folders and files of programs to which {@code $NAME} is a variable. */
  private static final Set<String> WITH_DOLLARS =
      ConfigKeys.words(
          ".gemini .qwen .iflow .kiro .amazonq amazonq .copilot gemini-extension.json"
              + " qwen-extension.json");

  private DollarVariables() {}

  /**
   * The root of a file as it is; of a file of Gemini, in which {@code $NAME} means {@code ${NAME}},
   * with these in the entries of servers: where the variable has a value, or is the whole text.
   * Other texts with a dollar stay.
   */
  static ConfigNode braced(ConfigNode root, Path file, ConfigEnvironment environment) {
    Path path = file.toAbsolutePath().normalize();
    int names = path.getNameCount();
    return IntStream.range(Math.max(0, names - 4), names)
            .mapToObj(i -> path.getName(i).toString())
            .anyMatch(WITH_DOLLARS::contains)
        ? root.withServers(server -> server.with(braced(server.value(), environment)))
        : root;
  }

  private static ConfigNode braced(ConfigNode server, ConfigEnvironment environment) {
    ConfigNode env = server.get("env");
    return server.texts(
        text ->
            DOLLAR
                .matcher(text)
                .replaceAll(
                    found -> {
                      String name = found.group(1);
                      boolean isVariable =
                          environment.variable(name).isPresent()
                              || (env != null && env.get(name) != null)
                              || found.group().equals(text);
                      return Matcher.quoteReplacement(
                          isVariable ? "${" + name + "}" : found.group());
                    }));
  }
}
