package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code src/docs/door-faults.md}: no case without a test, no test that is not there. */
class DoorFaultsPageTest {

  private static final Path PAGE = Path.of("src/docs/door-faults.md");
  private static final Path TESTS = Path.of("src/test/java");
  private static final Pattern ROW = Pattern.compile("\\| (D\\d+) \\|.*");
  private static final Pattern NAMED = Pattern.compile("`(\\w+(?:Test|IT))\\.(\\w+)`");

  @Test
  void every_case_names_a_test_that_is_there() throws IOException {
    Map<String, String> sources = sources();
    List<String> missing = new ArrayList<>();
    TreeSet<String> cases = new TreeSet<>();
    for (String line : Files.readAllLines(PAGE)) {
      Matcher row = ROW.matcher(line);
      if (!row.matches()) {
        continue;
      }
      if (!cases.add(row.group(1))) {
        missing.add(row.group(1) + " stands twice");
      }
      Matcher test = NAMED.matcher(line);
      boolean named = false;
      while (test.find()) {
        named = true;
        String source = sources.getOrDefault(test.group(1), "");
        if (!source.contains(" " + test.group(2) + "(")) {
          missing.add(row.group(1) + ": " + test.group());
        }
      }
      if (!named) {
        missing.add(row.group(1) + " names no test");
      }
    }
    assertThat(missing).isEmpty();
    assertThat(cases).hasSizeGreaterThan(50);
  }

  private static Map<String, String> sources() throws IOException {
    try (Stream<Path> files = Files.walk(TESTS)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .collect(
              Collectors.toMap(
                  file -> file.getFileName().toString().replace(".java", ""),
                  DoorFaultsPageTest::text,
                  String::concat));
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
