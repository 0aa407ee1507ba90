package dev.mcpbus.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.EntryShape.ShapedEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries of lists in the shape that clients read. */
class EntryShapeTest {

  private static final String SCHEMA = "\"inputSchema\":{\"type\":\"object\"}";

  private static ShapedEntry tool(String members) {
    return EntryShape.of("tools", "name", RawJson.of("{\"name\":\"t\"," + members + "}"), false);
  }

  private static String mended(String members) {
    return tool(members).entry().toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"description\" : \"d\", \"title\":\"t\"",
        "\"icons\":[{\"src\":\"data:,\",\"sizes\":[\"any\"],\"theme\":\"dark\",\"x\":1}]",
        "\"annotations\":{\"title\":\"t\",\"readOnlyHint\":true,\"x\":null}",
        "\"execution\":{\"taskSupport\":\"optional\"},\"_meta\":{\"a\":null},\"other\":null",
        "\"outputSchema\":{\"type\":\"object\",\"properties\":{\"n\":{\"pattern\":\"^[a-z]{1,3}$\"}}}",
      })
  void what_has_the_right_shape_keeps_its_bytes(String members) {
    ShapedEntry shaped = tool(members + "," + SCHEMA);
    assertThat(shaped.entry()).hasToString("{\"name\":\"t\"," + members + "," + SCHEMA + "}");
    assertThat(shaped.legacy()).isEqualTo(shaped.entry());
    assertThat(shaped.problem()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "\"title\":null|",
        "\"title\":5|\"title\":\"5\",",
        "\"title\":{}|",
        "\"description\":null|",
        "\"description\":true|\"description\":\"true\",",
        "\"icons\":null|",
        "\"icons\":{\"src\":\"x\"}|",
        "\"icons\":[{\"src\":\"x\",\"theme\":\"blue\",\"mimeType\":null},{},7]|\"icons\":[{\"src\":\"x\"}],",
        "\"icons\":[{\"src\":\"x\",\"sizes\":\"48x48\"}]|\"icons\":[{\"src\":\"x\",\"sizes\":[\"48x48\"]}],",
        "\"_meta\":null|",
        "\"_meta\":[]|",
        "\"annotations\":null|",
        "\"annotations\":[]|",
        "\"annotations\":{\"title\":null,\"readOnlyHint\":\"true\",\"openWorldHint\":false}|\"annotations\":{\"openWorldHint\":false},",
        "\"execution\":null|",
        "\"execution\":{\"taskSupport\":\"never\"}|\"execution\":{},",
        "\"outputSchema\":null|",
        "\"outputSchema\":[]|",
      })
  void an_optional_member_of_another_type_is_mended_or_left_out(String wrong, String right) {
    String rest = right == null ? "" : right;
    assertThat(mended(wrong + "," + SCHEMA)).isEqualTo("{\"name\":\"t\"," + rest + SCHEMA + "}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "null|{\"type\":\"object\"}",
        "{}|{\"type\":\"object\"}",
        "[]|{\"type\":\"object\"}",
        "true|{\"type\":\"object\"}",
        "{\"type\":null}|{\"type\":\"object\"}",
        "{\"type\":[\"object\",\"null\"]}|{\"type\":\"object\"}",
        "{\"anyOf\":[{},{}]}|{\"type\":\"object\",\"anyOf\":[{},{}]}",
        "{\"type\":\"object\",\"properties\":null,\"required\":null}|{\"type\":\"object\"}",
        "{\"type\":\"object\",\"properties\":[]}|{\"type\":\"object\"}",
        "{\"type\":\"object\",\"required\":\"a\"}|{\"type\":\"object\",\"required\":[\"a\"]}",
        "{\"type\":\"object\",\"required\":[\"a\",null,1]}|{\"type\":\"object\",\"required\":[\"a\"]}",
        "{\"type\":\"object\",\"required\":true}|{\"type\":\"object\"}",
        "{\"type\":\"object\",\"required\":{\"0\":\"a\",\"2\":\"b\"}}|{\"type\":\"object\",\"required\":[\"a\",\"b\"]}",
        "{\"type\":\"object\",\"properties\":{\"a\":\"string\",\"b\":\"int\",\"c\":\"x\"}}|{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"},\"b\":{\"type\":\"integer\"},\"c\":{}}}",
        "{\"type\":\"object\",\"$schema\":null}|{\"type\":\"object\"}",
        "{\"type\":\"object\",\"properties\":{\"a\":true,\"b\":false,\"c\":null}}|{\"type\":\"object\",\"properties\":{\"a\":{},\"b\":{\"not\":{}},\"c\":{}}}",
      })
  void a_schema_of_arguments_is_one_of_an_object(String wrong, String right) {
    assertThat(tool("\"inputSchema\":" + wrong).entry().member("inputSchema")).hasToString(right);
  }

  @Test
  void a_text_that_was_cut_within_an_emoji_is_whole_for_clients() {
    String half = "\"description\":\"a \\ud83d\\ude00 \\\\ud83d \\ud83d\"," + SCHEMA;
    ShapedEntry shaped = tool(half);
    assertThat(shaped.entry())
        .hasToString("{\"name\":\"t\"," + half.replace("\\ud83d\"", "\\ufffd\"") + "}");
    assertThat(shaped.isMended()).isTrue();
    assertThat(tool(half.replace(" \\ud83d\"", "\"")).isMended()).isFalse();
    assertThat(resource(",\"name\":\"\\uDE00\"")).contains("\"name\":\"\\ufffd\"");
  }

  @Test
  void a_tool_without_a_schema_takes_any_object() {
    assertThat(EntryShape.of("tools", "name", RawJson.of("{\"name\":\"t\"}"), false).entry())
        .hasToString("{\"inputSchema\":{\"type\":\"object\"},\"name\":\"t\"}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"type\":\"string\"}", "{\"type\":5}", "[1]", "false", "7", "\"x\""})
  void a_schema_that_is_none_of_an_object_is_a_problem(String schema) {
    assertThat(tool("\"inputSchema\":" + schema).problem()).contains("inputSchema");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"array\"}",
        "{\"type\":\"object\",\"$ref\":\"https://x/y\"}",
        "{\"type\":\"object\",\"$ref\":\"#/$defs/none\"}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"enum\":[]}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"int\"}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"nullable\":true}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"exclusiveMinimum\":true}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"format\":5}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"format\":null}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\",\"nullable\":null}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"$async\":true}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"formatMinimum\":\"2020\"}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"$anchor\":\"a/b\"}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"pattern\":\"(?i)x\"}}}",
        "{\"type\":\"object\",\"patternProperties\":{\"(?P<n>x)\":{}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"$id\":\"x\"}}}",
        "{\"type\":\"object\",\"id\":\"x\"}",
      })
  void an_output_schema_that_clients_of_the_first_era_do_not_compile_is_not_shown_to_them(
      String schema) {
    ShapedEntry shaped = tool(SCHEMA + ",\"outputSchema\":" + schema);
    assertThat(shaped.entry().member("outputSchema")).hasToString(schema);
    assertThat(shaped.legacy()).hasToString("{\"name\":\"t\"," + SCHEMA + "}");
  }

  @Test
  void an_output_schema_shares_no_id_with_another_one() {
    assertThat(
            tool(SCHEMA + ",\"outputSchema\":{\"$id\":\"x\",\"type\":\"object\"}")
                .legacy()
                .member("outputSchema"))
        .hasToString("{\"type\":\"object\"}");
  }

  private static String resource(String members) {
    return EntryShape.of("resources", "uri", RawJson.of("{\"uri\":\"a:b\"" + members + "}"), false)
        .entry()
        .toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        ",\"name\":\"n\",\"size\":-5,\"annotations\":{\"audience\":[\"user\"],\"priority\":0.5,\"lastModified\":\"2025-01-12T15:00:58Z\"}|,\"name\":\"n\",\"size\":-5,\"annotations\":{\"audience\":[\"user\"],\"priority\":0.5,\"lastModified\":\"2025-01-12T15:00:58Z\"}",
        ",\"name\":\"n\",\"size\":null,\"mimeType\":null,\"description\":null,\"annotations\":null|,\"name\":\"n\"",
        ",\"name\":\"n\",\"size\":\"5\",\"mimeType\":[]|,\"name\":\"n\"",
        ",\"name\":\"n\",\"size\":1e30|,\"name\":\"n\"",
        ",\"name\":\"n\",\"size\":1234567890123456789012|,\"name\":\"n\"",
        ",\"name\":\"n\",\"annotations\":{\"audience\":\"user\",\"priority\":2}|,\"name\":\"n\",\"annotations\":{\"audience\":[\"user\"]}",
        ",\"name\":\"n\",\"annotations\":{\"audience\":[\"user\",\"all\"],\"lastModified\":\"2025-01-12\"}|,\"name\":\"n\",\"annotations\":{\"audience\":[\"user\"]}",
        ",\"name\":\"n\",\"annotations\":{\"lastModified\":\"2025-01-12T15:00Z\"}|,\"name\":\"n\",\"annotations\":{}",
        ",\"name\":\"n\",\"annotations\":{\"lastModified\":\"2025-02-30T00:00:00Z\"}|,\"name\":\"n\",\"annotations\":{}",
        ",\"name\":5|,\"name\":\"5\"",
      })
  void a_resource_is_mended(String wrong, String right) {
    assertThat(resource(wrong)).isEqualTo("{\"uri\":\"a:b\"" + right + "}");
  }

  @Test
  void a_resource_without_a_name_is_called_by_its_title_or_uri() {
    assertThat(resource("")).isEqualTo("{\"name\":\"a:b\",\"uri\":\"a:b\"}");
    assertThat(resource(",\"name\":null,\"title\":\"T\""))
        .isEqualTo("{\"name\":\"T\",\"uri\":\"a:b\",\"title\":\"T\"}");
  }

  private static String prompt(String arguments) {
    return String.valueOf(
        EntryShape.of(
                "prompts",
                "name",
                RawJson.of("{\"name\":\"p\",\"arguments\":" + arguments + "}"),
                false)
            .entry()
            .member("arguments"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "null|null",
        "5|null",
        "[]|[]",
        "[{\"name\":\"a\",\"x\":1}]|[{\"name\":\"a\",\"x\":1}]",
        "[{\"name\":\"a\",\"description\":null,\"required\":null}]|[{\"name\":\"a\"}]",
        "[{\"name\":\"a\",\"required\":\"yes\"},{\"description\":\"d\"},null]|[{\"name\":\"a\"}]",
        "{}|[]",
        "{\"a\":{\"type\":\"string\",\"description\":\"d\",\"required\":true},\"b\":\"x\"}|[{\"description\":\"d\",\"name\":\"a\",\"required\":true},{\"name\":\"b\"}]",
        "{\"type\":\"object\",\"properties\":{\"a\":{},\"b\":{}},\"required\":[\"b\"]}|[{\"name\":\"a\"},{\"required\":true,\"name\":\"b\"}]",
      })
  void arguments_of_a_prompt_are_a_list(String wrong, String right) {
    String shaped = prompt(wrong);
    assertThat(new io.vertx.core.json.JsonObject("{\"v\":" + shaped + "}"))
        .isEqualTo(new io.vertx.core.json.JsonObject("{\"v\":" + right + "}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "{\"type\":\"OBJECT\",\"properties\":{\"a\":{\"type\":\"int\",\"minimum\":null,\"required\":true}}}|{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":[\"str\",null]},\"required\":[\"a\"]}}|{\"type\":\"object\",\"properties\":{\"a\":{\"type\":[\"string\",\"null\"]}},\"required\":[\"a\"]}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"object\",\"properties\":[],\"default\":null}}}|{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"object\",\"default\":null}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"items\":{\"anyOf\":[{\"type\":\"float\"},null]},\"enum\":null}}}|{\"type\":\"object\",\"properties\":{\"a\":{\"items\":{\"anyOf\":[{\"type\":\"number\"},{}]}}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"unknown\"},\"b\":{\"type\":[\"any\",\"str\"]},\"d\":{\"type\":null,\"minimum\":1e400},\"c\":{\"type\":5,\"items\":\"string\"}}}|{\"type\":\"object\",\"properties\":{\"a\":{},\"b\":{\"type\":[\"string\"]},\"d\":{},\"c\":{\"items\":{\"type\":\"string\"}}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"minimum\":\"0\",\"maximum\":\"1.5\",\"minLength\":\"x\",\"exclusiveMinimum\":true,\"uniqueItems\":\"yes\",\"pattern\":5,\"enum\":{\"0\":1,\"2\":3}}}}|{\"type\":\"object\",\"properties\":{\"a\":{\"minimum\":0,\"maximum\":1.5,\"exclusiveMinimum\":true,\"enum\":[1,3]}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/Gone\",\"title\":\"A\"},\"b\":{\"$ref\":\"#/$defs/B\"},\"c\":{\"enum\":\"x\",\"anyOf\":{},\"not\":\"x\",\"$ref\":7}},\"$defs\":{\"B\":true}}|{\"type\":\"object\",\"properties\":{\"a\":{\"title\":\"A\"},\"b\":{\"$ref\":\"#/$defs/B\"},\"c\":{}},\"$defs\":{\"B\":true}}",
        "{\"type\":\"object\",\"allOf\":null,\"$defs\":[],\"required\":\"a\"}|{\"type\":\"object\",\"required\":[\"a\"]}",
      })
  void a_schema_is_mended_within(String wrong, String right) {
    RawJson mended = MendedSchema.of(RawJson.of(wrong));
    assertThat(mended).hasToString(right);
    assertThat(WellFormedSchema.fault(mended)).isNull();
  }

  @Test
  void what_is_no_object_is_a_problem_and_other_lists_are_left_alone() {
    assertThat(EntryShape.of("tools", "name", RawJson.of("7"), false).problem()).isNotNull();
    RawJson skill = RawJson.of("{\"uri\":null,\"title\":null}");
    assertThat(EntryShape.of("skills", "uri", skill, false).entry()).isSameAs(skill);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '\0',
      value = {
        "^[a-z0-9_-]+$~true",
        "(?:a|b){2,3}?~true",
        "(?=a)b~true",
        "\\d+\\.\\d~true",
        "a\\/b~true",
        "[^/\\-]~true",
        "x{3}~true",
        "~true",
        "(?i)a~false",
        "(?P<n>a)~false",
        "\\Aa\\Z~false",
        "a++~false",
        "a{2}+~false",
        "\\-~false",
        "[\\w-.]~false",
        "[a[b]]~false",
        "[]a]~false",
        "{a}~false",
        "a}~false",
        "]~false",
        "^*~false",
        "\\b+~false",
        "(?=a)*~false",
        "(~false",
        "[~false",
        "\\~false",
        "\\p{L}~false",
        "(?<n>a)~false",
      })
  void a_pattern_is_plain_where_the_engines_agree(String pattern, boolean plain) {
    assertThat(EcmaPattern.isPlain(pattern == null ? "" : pattern)).isEqualTo(plain);
  }
}
