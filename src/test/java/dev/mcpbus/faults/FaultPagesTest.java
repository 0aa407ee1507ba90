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

/** The pages of faults: no case without a test, no test that is not there. */
class FaultPagesTest {

  private static final Path PAGE = Path.of("src/docs/door-faults.md");
  private static final Path TESTS = Path.of("src/test/java");
  private static final Pattern ROW = Pattern.compile("\\| (D\\d+) \\|.*");
  private static final Path CATALOGUE = Path.of("src/docs/reliability.md");
  private static final Pattern CASE_ROW = Pattern.compile("\\| (\\d+) \\|.*");
  private static final Pattern CASE_TEST = Pattern.compile("void case_?0*(\\d+)_\\w+\\(");
  private static final Pattern CLASS_NAME = Pattern.compile("`(\\w+(?:Test|IT))`");
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

  @Test
  void the_catalogue_and_the_tests_name_each_other() throws IOException {
    TreeSet<String> written = new TreeSet<>();
    for (String line : Files.readAllLines(CATALOGUE)) {
      Matcher row = CASE_ROW.matcher(line);
      if (row.matches()) {
        CLASS_NAME
            .matcher(line)
            .results()
            .forEach(test -> written.add(row.group(1) + " " + test.group(1)));
      }
    }
    TreeSet<String> there = new TreeSet<>();
    sources()
        .forEach(
            (name, source) ->
                CASE_TEST
                    .matcher(source)
                    .results()
                    .forEach(test -> there.add(test.group(1) + " " + name)));
    // Mixed versions are what a whole class is about.
    there.add("93 MixedVersionsIT");
    assertThat(written).as("case and test class").isEqualTo(there);
    assertThat(written.stream().map(row -> row.split(" ", 2)[0]).distinct()).hasSize(119);
  }

  private static Map<String, String> sources() throws IOException {
    try (Stream<Path> files = Files.walk(TESTS)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .collect(
              Collectors.toMap(
                  file -> file.getFileName().toString().replace(".java", ""),
                  FaultPagesTest::text,
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
