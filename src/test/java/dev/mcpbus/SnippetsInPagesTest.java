package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.read.ConfigReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * What a reader copies from a page works: configurations are read without a problem, and commands
 * are commands of ours with options that they have, or scripts that are there.
 */
class SnippetsInPagesTest {

  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w+)\\n(.*?)^```$");
  private static final Pattern INLINE = Pattern.compile("`(mcpbus [a-z][^`]*)`");
  private static final Pattern FILE =
      Pattern.compile("\"(?:cert|key|ca|secret)File\": \"([^\"]+)\"");

  /** The servers that parts of a configuration name. */
  private static final String NAMED =
      "{\"git\": {\"command\": \"git\"}, \"docs\": {\"command\": \"git\"}}";

  /** Programs of others; a page says what they are for. */
  private static final Set<String> FOREIGN =
      Set.of(
          "git", "mvn", "curl", "export", "claude", "docker", "kubectl", "openssl", "jcmd", "cd",
          "code");

  @Test
  void each_configuration_is_read_without_a_problem(@TempDir Path folder) throws IOException {
    List<String> wrong = new ArrayList<>();
    int found = 0;
    for (Path page : ClassNamesInPagesTest.pages()) {
      for (MatchResult block : BLOCK.matcher(Files.readString(page)).results().toList()) {
        boolean isLogLine = block.group(2).startsWith("{\"time\":");
        if (block.group(1).startsWith("json") && !isLogLine) {
          found++;
          wrong.addAll(problems(page, block.group(2), folder));
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(found).isGreaterThan(8);
  }

  private static List<String> problems(Path page, String text, Path folder) throws IOException {
    String whole = text.stripLeading().startsWith("{") ? text : "{" + text + "}";
    boolean isServer = !whole.contains("mcpServers") && !isTopLevel(whole);
    String file = isServer ? "{\"mcpServers\": " + whole + "}" : whole;
    if (whole.startsWith("{\"effect\"")) {
      file = "{\"auth\": {\"policies\": [" + whole + "]}}";
    }
    boolean isOfVsCode = file.matches("(?s)\\{ *\"servers\".*");
    if (!file.contains("mcpServers") && !isOfVsCode) {
      file = file.replaceFirst("\\{", "{\"mcpServers\": " + NAMED + ",");
    }
    file = file.replace("sha256:...", "sha256:" + "0f".repeat(32));
    for (MatchResult name : FILE.matcher(file).results().toList()) {
      Path target = folder.resolve(name.group(1).replaceFirst("^/", ""));
      Files.createDirectories(target.getParent());
      Files.writeString(target, "a-secret-of-at-least-thirty-two-characters\n");
      file = file.replace("\"" + name.group(1) + "\"", "\"" + target + "\"");
    }
    Path source = Files.writeString(folder.resolve("snippet.json"), file);
    ConfigResult result =
        ConfigReader.read(source, ConfigEnvironment.system().withVariables(variables(file)));
    return result.problems().stream().map(problem -> page + ": " + problem).toList();
  }

  /** Each variable that the configuration names has a value. */
  private static Map<String, String> variables(String file) {
    return Pattern.compile("\\$\\{([A-Z_]+)}")
        .matcher(file)
        .results()
        .collect(
            Collectors.toMap(found -> found.group(1), found -> "x".repeat(32), (one, two) -> one));
  }

  private static boolean isTopLevel(String text) {
    return text.matches(
        "(?s)\\{\\s*\"(gateway|bridge|auth|cluster|supervisor|catalog|defaults|metrics|tracing|servers)\".*");
  }

  @Test
  void each_command_is_one_of_ours_with_options_that_it_has() throws IOException {
    CommandLine ours = Main.commandLine();
    List<String> wrong = new ArrayList<>();
    int found = 0;
    for (Path page : ClassNamesInPagesTest.pages()) {
      String text = Files.readString(page);
      List<String> lines = new ArrayList<>();
      BLOCK
          .matcher(text)
          .results()
          .filter(block -> block.group(1).equals("sh"))
          .flatMap(block -> block.group(2).replace("\\\n", " ").lines())
          .forEach(lines::add);
      INLINE.matcher(text).results().map(inline -> inline.group(1)).forEach(lines::add);
      for (String line : lines) {
        found++;
        String mistake = mistake(ours, line);
        if (mistake != null) {
          wrong.add(page + ": " + line + ": " + mistake);
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(found).isGreaterThan(30);
  }

  private static @Nullable String mistake(CommandLine ours, String line) {
    String plain =
        line.replaceFirst(" +#.*", "").replaceFirst(" && .*", "").replace("...", "").strip();
    if (plain.isEmpty() || plain.startsWith("#")) {
      return null;
    }
    String[] words = plain.split("\\s+(?=(?:[^'\"]*['\"][^'\"]*['\"])*[^'\"]*$)");
    String program = words[0];
    if (program.startsWith("src/scripts/") && !program.endsWith("/mcpbus")) {
      return Files.isExecutable(Path.of(program)) ? null : "no such script";
    }
    if (program.equals("java") && words[1].equals("-cp")) {
      return Files.isReadable(Path.of(words[3])) ? null : "no such file";
    }
    int from =
        program.equals("mcpbus") || program.equals("src/scripts/mcpbus")
            ? 1
            : program.equals("java") && plain.contains(".jar") ? jar(words) + 1 : -1;
    if (from < 0) {
      return FOREIGN.contains(program) || program.matches("\\(cd|[A-Z_]+=.*")
          ? null
          : "an unknown program";
    }
    try {
      ours.parseArgs(List.of(words).subList(from, words.length).toArray(String[]::new));
      return null;
    } catch (CommandLine.ParameterException refused) {
      return refused.getMessage();
    }
  }

  private static int jar(String[] words) {
    int at = 0;
    while (!words[at].endsWith(".jar")) {
      at++;
    }
    return at;
  }
}
