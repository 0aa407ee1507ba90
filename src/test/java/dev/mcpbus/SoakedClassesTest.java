package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The soak finds classes by their names in histograms of the heap; no compiler sees that one was
 * renamed. Read from its source, because the quick loop compiles no {@code src/bench}.
 */
class SoakedClassesTest {

  private static final Path GROWTH =
      Path.of(System.getProperty("mcpbus.basedir", "."))
          .resolve("src/bench/java/dev/mcpbus/soak/Growth.java");

  private static final Pattern BOUNDED = Pattern.compile("Map\\.entry\\(\"([\\w.$]+)\"");

  @Test
  void each_class_that_fills_to_a_bound_is_there() throws IOException {
    List<String> names =
        BOUNDED.matcher(Files.readString(GROWTH)).results().map(found -> found.group(1)).toList();
    assertThat(names).contains("dev.mcpbus.bridge.EventRing$StoredEvent");
    for (String name : names) {
      assertThatCode(() -> Class.forName(name, false, getClass().getClassLoader()))
          .as(name)
          .doesNotThrowAnyException();
    }
  }
}
