package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code codes.md} against the table of failure codes. */
class CodesPageTest {

  @Test
  void the_table_has_each_code_with_its_numbers() throws IOException {
    List<String> rows = page().filter(line -> line.startsWith("| [`")).toList();
    assertThat(rows)
        .containsExactlyElementsOf(
            Arrays.stream(FailureCode.values()).map(CodesPageTest::row).toList());
  }

  @Test
  void each_code_has_a_section_that_says_what_to_do() throws IOException {
    assertThat(page().filter(line -> line.startsWith("### ")).map(line -> line.substring(4)))
        .containsExactlyElementsOf(
            Arrays.stream(FailureCode.values()).map(FailureCode::name).toList());
  }

  private static Stream<String> page() throws IOException {
    return Files.readAllLines(Path.of("src/docs/codes.md")).stream();
  }

  private static String row(FailureCode code) {
    String jsonRpc =
        code == FailureCode.UPSTREAM_ERROR ? "its own" : String.valueOf(code.jsonRpcCode());
    return String.format(
        "| [`%s`](#%s) | %d | %d | %s | %s |",
        code,
        code.name().toLowerCase(Locale.ROOT),
        code.busCode(),
        code.httpStatus(),
        jsonRpc,
        code.title());
  }
}
