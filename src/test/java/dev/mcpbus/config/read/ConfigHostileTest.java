package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigResult;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigHostileTest {

  @TempDir Path directory;

  private String only(ConfigResult result) {
    assertThat(result.usable()).isEmpty();
    List<String> texts = Sample.in(directory).texts(result);
    assertThat(texts).hasSize(1);
    return texts.get(0);
  }

  @Test
  void case_113_bad_json_names_the_line() {
    Sample sample = Sample.in(directory);
    assertThat(only(sample.json("{\n\"mcpServers\": {\n  oops\n}}")))
        .startsWith("mcp.json:3:3: a key must stand here, in double quotes");
    assertThat(only(sample.json("{\n\"mcpServers\": {")))
        .startsWith("mcp.json:2:15: this { is not closed: the file ends on line 2");
    assertThat(only(sample.json("{\"mcpServers\": {}}\n}"))).startsWith("mcp.json:2:1: one }");
    assertThat(only(sample.json(""))).startsWith("mcp.json:1: the file is empty");
  }

  @Test
  void case_113_bad_yaml_names_the_line() {
    Sample sample = Sample.in(directory);
    assertThat(only(sample.yaml("mcp_servers:\n  a: {command: x\n  b: 1\n")))
        .startsWith("mcp.yaml:2:6: the object that begins here with { is not closed");
    assertThat(only(sample.yaml("a: 1\n b: 2\n")))
        .startsWith("mcp.yaml:2:3: this key is indented further than the one above");
    assertThat(only(sample.yaml("a: *canary\n")))
        .startsWith("mcp.yaml:1: ")
        .doesNotContain("canary");
    assertThat(only(sample.yaml("a: 1\n---\nb: 1\n"))).startsWith("mcp.yaml:2: a second document");
    assertThat(only(sample.yaml("? [a]\n: 1\n"))).startsWith("mcp.yaml:1: a key must be a text");
    assertThat(only(sample.yaml("# nothing\n"))).startsWith("mcp.yaml:1: the file is empty");
  }

  @Test
  void a_syntax_error_shows_no_word_of_the_file() {
    Sample sample = Sample.in(directory);
    assertThat(only(sample.json("{\"mcpServers\": canary}"))).doesNotContain("canary");
    assertThat(only(sample.yaml("a: @canary\n"))).doesNotContain("canary");
  }

  @Test
  void case_114_a_yaml_bomb_is_refused_quickly() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for (int i = 1; i < 30; i++) {
      bomb.append("a%d: &a%d [%s*a%d]\n".formatted(i, i, ("*a" + (i - 1) + ",").repeat(9), i - 1));
    }
    ConfigResult result =
        Assertions.assertTimeout(
            Duration.ofSeconds(60), () -> Sample.in(directory).yaml(bomb.toString()));
    assertThat(only(result)).startsWith("mcp.yaml:").contains("more than 500000 values");
  }

  @Test
  void case_114_an_alias_of_itself_is_refused() {
    assertThat(only(Sample.in(directory).yaml("a: &a [*a]\n"))).startsWith("mcp.yaml:1: an alias");
  }

  @Test
  void case_114_tags_are_refused() {
    Sample sample = Sample.in(directory);
    for (String tag : List.of("!!java.net.URL [x]", "!local x", "!!str x", "!!map {}")) {
      assertThat(only(sample.yaml("mcp_servers:\n  a: " + tag + "\n")))
          .startsWith("mcp.yaml:2: YAML tags (!...) are refused");
    }
  }

  @Test
  void an_honest_alias_is_understood() {
    ConfigResult result =
        Sample.in(directory)
            .yaml("mcp_servers:\n  a: {command: x, env: &e {K: v}}\n  b: {command: x, env: *e}\n");
    assertThat(result.problems()).isEmpty();
    assertThat(result.usable().orElseThrow().servers()).hasSize(2);
  }

  @Test
  void nesting_is_bounded_in_both_formats() {
    Sample sample = Sample.in(directory);
    String deep = "[".repeat(100_000);
    assertThat(only(sample.json("{\"a\": " + deep))).contains("nesting deeper than 32");
    assertThat(only(sample.yaml("a: " + deep))).contains("nested deeper than 32");
  }

  @Test
  void a_missing_a_huge_and_an_unreadable_file_are_problems() throws IOException {
    ConfigEnvironment environment = Sample.in(directory).environment();
    assertThat(only(ConfigReader.read(directory.resolve("none.json"), environment)))
        .isEqualTo("none.json: the file does not exist. Create it, or name another");
    assertThat(only(ConfigReader.read(directory, environment))).contains("cannot be read");
    Path huge = directory.resolve("huge.json");
    Files.write(huge, new byte[9 * 1024 * 1024]);
    assertThat(only(ConfigReader.read(huge, environment))).contains("over 8 MiB");
    Path latin = directory.resolve("latin.json");
    Files.write(latin, "{\"\u00e9\": 1}".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(only(ConfigReader.read(latin, environment))).contains("not UTF-8");
  }

  @Test
  void a_file_without_end_is_not_read() {
    Sample sample = Sample.in(directory);
    assertThat(only(ConfigReader.read(Path.of("/dev/zero"), sample.environment())))
        .contains("cannot be read");
    ConfigResult result = sample.server("\"command\": \"x\"", "\"envFile\": \"/dev/zero\"");
    assertThat(sample.texts(result))
        .singleElement()
        .asString()
        .contains("envFile \"/dev/zero\" cannot be read");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mcp.json", "mcp.yaml"})
  void a_damaged_file_never_throws(String name) {
    String good =
        """
        {"mcpServers": {"a": {"command": "${HOME_SET}", "args": ["x", 1], "timeout": "5s"},
         "b": {"url": "http://h/p", "headers": {"k": "v"}, "restart": {"backoff": {"max": 5}}}}}
        """;
    Sample sample = Sample.in(directory);
    Random random = new Random(7);
    String alphabet = "{}[]\",:*&!|>-#%@${}0e.\n \\\u0000\uD800x";
    for (int i = 0; i < 2_000; i++) {
      StringBuilder text = new StringBuilder(good);
      for (int n = random.nextInt(4); n >= 0; n--) {
        int at = random.nextInt(text.length());
        text.setCharAt(at, alphabet.charAt(random.nextInt(alphabet.length())));
      }
      String damaged = text.toString().replace('\uD800', '?');
      ConfigResult result = sample.read(name, damaged);
      assertThat(result.usable().isPresent() || !result.problems().isEmpty()).isTrue();
    }
  }

  @Test
  void case_119_a_file_of_1000_servers_is_read_quickly() {
    StringBuilder text = new StringBuilder("{\"mcpServers\": {\n");
    for (int i = 0; i < 1_000; i++) {
      text.append(
          "\"server-%d\": {\"command\": \"x\", \"args\": [\"%d\"], \"timeout\": 5, \"ping\": {\"interval\": \"9s\"}},\n"
              .formatted(i, i));
    }
    ConfigResult result =
        Assertions.assertTimeout(
            Duration.ofSeconds(60), () -> Sample.in(directory).json(text.append("}}").toString()));
    assertThat(result.problems()).isEmpty();
    assertThat(result.usable().orElseThrow().servers()).hasSize(1_000);
  }
}
