package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ConfigReport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole text of each syntax error: place, cause, line with a caret and no value, remedy. */
class SyntaxTextsTest {

  @TempDir Path directory;

  private String report(String name, String text) {
    Sample sample = Sample.in(directory);
    List<ConfigProblem> problems = sample.read(name, text).problems();
    return ConfigReport.lines(problems).replace(directory + "/", "");
  }

  private String json(String text) {
    return report("mcp.json", text);
  }

  private String yaml(String text) {
    return report("mcp.yaml", text);
  }

  @Test
  void a_missing_comma_is_reported_where_it_is_missing() {
    assertThat(json("{\"mcpServers\": {\n\"a\": {\n  \"command\": \"secret\"\n  \"args\": []\n}}}"))
        .isEqualTo(
            """
            mcp.json:3:21: a comma is missing after this place
                    "command": "***"
                                   ^
                Add a comma
            """);
    assertThat(json("{\"mcpServers\": {\"a\": {\"args\": [\"x\" \"y\"]}}}"))
        .isEqualTo(
            """
            mcp.json:1:34: a comma is missing after this place
                  {"mcpServers": {"a": {"args": ["***" "***"]}}}
                                                     ^
                Add a comma
            """);
  }

  @Test
  void what_is_not_closed_is_reported_where_it_opens() {
    assertThat(json("{\n\"mcpServers\": {\n  \"a\": {\"command\": \"x\"\n"))
        .isEqualTo(
            """
            mcp.json:3:8: this { is not closed: the file ends on line 4
                    "a": {"command": "***"
                         ^
                Add the missing }
            """);
    assertThat(json("{\"mcpServers\": {\n  \"a\": {\"command\": \"npx,\n\"args\": []}}}"))
        .isEqualTo(
            """
            mcp.json:2:20: the text that begins here is not closed on its line
                    "a": {"command": "***
                                     ^
                Add the closing quote
            """);
    assertThat(json("{\"mcpServers\": {\"a\": [1, 2}}"))
        .isEqualTo(
            """
            mcp.json:1:27: a } stands here, but the [ of line 1, column 22 is open
                  {"mcpServers": {"a": [1, 2}}
                                            ^
                Write ] in its place, or remove it
            """);
    assertThat(json("{\"a\": 1 /* note")).contains("the comment that begins here is not closed");
  }

  @Test
  void what_follows_the_end_is_reported() {
    assertThat(json("{\"mcpServers\": {}}\n}"))
        .isEqualTo(
            """
            mcp.json:2:1: one } too many: the file has ended before it
                  }
                  ^
                Remove it
            """);
    assertThat(json("{\"mcpServers\": {}}\n{}"))
        .startsWith("mcp.json:2:1: something follows the end of the JSON\n");
  }

  @Test
  void words_of_other_languages_are_named_with_ours() {
    assertThat(json("{\"a\": True}"))
        .isEqualTo(
            """
            mcp.json:1:7: JSON writes this word in lower case
                  {"a": ***}
                        ^
                Write true, false or null
            """);
    assertThat(json("{\"a\": None}")).contains("JSON has no such value\n");
    assertThat(json("{\"a\": canary}"))
        .contains("a value must stand here; texts stand in double quotes\n")
        .doesNotContain("canary");
    assertThat(json("{a: 1}")).contains("a key must stand here, in double quotes\n");
    assertThat(json("{'a': 1}")).contains("JSON has no single quotes\n    ");
    assertThat(json("{\u201ca\u201d: 1}")).contains("a typographic quote stands here\n");
    assertThat(json("{\"a\": 1} # x")).contains("something follows the end of the JSON\n");
    assertThat(json("{\n# x\n\"a\": 1}")).contains("mcp.json:2:1: # begins no comment in JSON\n");
    assertThat(json("{\"a\": 01}")).contains("this is not a number in JSON's form\n");
    assertThat(json("<html>")).contains("this is not JSON but looks like HTML or XML\n");
  }

  @Test
  void a_key_without_colon_or_value_is_reported() {
    assertThat(json("{\"a\" 1}")).contains("mcp.json:1:6: a colon is missing after the key\n");
    assertThat(json("{\"a\" = 1}")).contains("an equals sign stands where a colon must stand\n");
    assertThat(json("{\"a\"}")).contains("this key has no value\n");
    assertThat(json("{\"a\": }")).contains("the value of this key is missing\n");
    assertThat(json("{\"a\": 1,, \"b\": 2}"))
        .contains("a comma stands here without an entry before it\n");
    assertThat(json("{\"a\": [\"b\": 2]}")).contains("a colon stands in a list\n");
  }

  @Test
  void a_backslash_of_a_windows_path_is_explained() {
    assertThat(json("{\"a\": \"C:\\Users\\x\"}"))
        .isEqualTo(
            """
            mcp.json:1:10: a backslash inside a text begins an escape, and this is none
                  {"a": "***"}
                        ^
                Write two backslashes, or / in a path
            """);
    assertThat(json("{\"a\": \"x\ty\"}")).contains("a tab stands inside a text\n");
  }

  @Test
  void a_repeated_key_names_both_lines() {
    assertThat(json("{\"mcpServers\": {\n\"a\": {\"command\": \"x\"},\n\"a\": {}}}"))
        .isEqualTo(
            """
            mcp.json:3: the key "a" stands twice, on lines 2 and 3
                Remove or rename one of them
            """);
  }

  @Test
  void tabs_and_indentation_of_yaml_are_explained() {
    assertThat(yaml("mcp_servers:\n\ta:\n\t\tcommand: x\n"))
        .isEqualTo(
            """
            mcp.yaml:2:1: a tab indents this line, and YAML allows blanks alone
                Replace each tab by two blanks
            """);
    assertThat(yaml("mcp_servers:\n  a:\n    command: x\n   args: []\n"))
        .isEqualTo(
            """
            mcp.yaml:4:4: this line does not fit the keys above it
                     args: ***
                     ^
                Give the keys of one object the same number of blanks, and put a value with a colon in quotes
            """);
    assertThat(yaml("mcp_servers:\n  a:\n    command: x: y\n"))
        .isEqualTo(
            """
            mcp.yaml:3:15: a colon stands where no key can stand
                      command: ***
                               ^
                Give the keys of one object the same number of blanks, and put a value with a colon in quotes
            """);
  }

  @Test
  void a_key_of_yaml_that_is_indented_too_far_is_reported() {
    assertThat(yaml("mcp_servers:\n  a:\n    command: npx\n     args: [x]\n"))
        .isEqualTo(
            """
            mcp.yaml:4:10: this key is indented further than the one above, which has a value already
                       args: ***
                           ^
                Give the keys of one object the same number of blanks, and put a value with a colon in quotes
            """);
  }

  @Test
  void unclosed_texts_and_lists_of_yaml_are_reported_where_they_open() {
    assertThat(yaml("mcp_servers:\n  a:\n    command: \"x\n    args: []\n"))
        .startsWith("mcp.yaml:3:14: the quoted text that begins here is not closed\n");
    assertThat(yaml("mcp_servers:\n  a:\n    args: [x, y\n    command: z\n"))
        .startsWith(
            "mcp.yaml:3:11: the list that begins here with [ is not closed, or lacks a comma\n");
    assertThat(yaml("mcp_servers:\n  a: {command: x\n  b: 1\n"))
        .startsWith(
            "mcp.yaml:2:6: the object that begins here with { is not closed, or lacks a comma\n");
    assertThat(yaml("mcp_servers:\n  a:\n    command: @x\n"))
        .startsWith("mcp.yaml:3:14: no value can begin with this character\n");
    assertThat(yaml("mcp_servers:\n  a\n  b:\n")).contains("this key has no colon\n");
  }

  @Test
  void another_encoding_is_named_with_the_line_that_shows_it() throws IOException {
    Sample sample = Sample.in(directory);
    Path file = directory.resolve("mcp.json");
    Files.write(file, "{\n\"a\": \"\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(sample.texts(ConfigReader.read(file, sample.environment())))
        .containsExactly(
            "mcp.json: the file is not UTF-8: line 2 has the byte 0xE9. Save it as UTF-8");
    Files.write(file, "{}".getBytes(StandardCharsets.UTF_16));
    assertThat(sample.texts(ConfigReader.read(file, sample.environment())))
        .containsExactly("mcp.json: the file is UTF-16, not UTF-8. Save it as UTF-8");
    Files.write(file, "{}".getBytes(StandardCharsets.UTF_16LE));
    assertThat(sample.texts(ConfigReader.read(file, sample.environment())))
        .containsExactly(
            "mcp.json: the file has NUL characters: it is UTF-16, or no text. Save it as UTF-8");
    Files.writeString(file, "\uFEFF{\"mcpServers\": {}}");
    assertThat(ConfigReader.read(file, sample.environment()).problems()).isEmpty();
  }

  /** Whenever the parser refuses a text, our words explain it; they find nothing in good texts. */
  @Test
  void our_words_agree_with_the_parser_on_damaged_texts() throws IOException {
    String good =
        """
        {"mcpServers": { // note
          "a": {"command": "\\u0041x", "args": ["x", 1, -2.5e3], "lazy": true, "x": null},
         /* more */ "b": {"url": "http://h/p", "headers": {"k": "v",},},
        }}
        """;
    Random random = new Random(11);
    String alphabet = "{}[]\",:'*/#-+%.0et\n\t \\x=";
    JsonFactory factory =
        JsonFactory.builder()
            .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
            .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
            .build();
    for (int i = 0; i < 5_000; i++) {
      StringBuilder text = new StringBuilder(good);
      for (int n = random.nextInt(3); n >= 0; n--) {
        int at = random.nextInt(text.length());
        if (random.nextInt(4) == 0) {
          text.deleteCharAt(at);
        } else {
          text.setCharAt(at, alphabet.charAt(random.nextInt(alphabet.length())));
        }
      }
      assertThat(JsonSyntax.mistake(text.toString()).isPresent())
          .as(text.toString())
          .isEqualTo(!parses(factory, text.toString()));
    }
  }

  private static boolean parses(JsonFactory factory, String text) throws IOException {
    try (JsonParser parser = factory.createParser(text)) {
      parser.nextToken();
      parser.skipChildren();
      return parser.nextToken() == null;
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      return false;
    }
  }
}
