package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code operations.md} has each variable of the environment that the code or a script reads. */
class VariablesPageTest {

  private static final Pattern IN_CODE = Pattern.compile("\"(MCPBUS_[A-Z_]+)\"");
  private static final Pattern IN_SCRIPT = Pattern.compile("\\$\\{?(MCPBUS_[A-Z_]+)");
  private static final Pattern IN_PAGE = Pattern.compile("`(MCPBUS_[A-Z_]+)");

  @Test
  void the_page_has_the_variables_of_the_code_and_no_others() throws IOException {
    Set<String> read = new TreeSet<>();
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
        collect(IN_CODE, file, read);
      }
    }
    collect(IN_SCRIPT, Path.of("src/scripts/mcpbus"), read);
    Set<String> told = new TreeSet<>();
    collect(IN_PAGE, Path.of("src/docs/operations.md"), told);
    assertThat(told).isEqualTo(read);
  }

  private static void collect(Pattern pattern, Path file, Set<String> into) throws IOException {
    pattern.matcher(Files.readString(file)).results().forEach(found -> into.add(found.group(1)));
  }
}
