package dev.mcpbus.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SchemaTest {

  @Test
  void every_key_of_ours_has_a_description() {
    for (ConfigSchema schema : List.of(ConfigSchema.TOP, ConfigSchema.SERVER, ConfigSchema.OAUTH)) {
      described(schema);
    }
  }

  private static void described(ConfigSchema schema) {
    schema
        .keys()
        .forEach(
            (name, key) -> {
              assertThat(key.declared().getString("description")).as(name).isNotBlank();
              described(key.members());
            });
  }

  private static List<ConfigProblem> check(String text) {
    ProblemCollector problems = new ProblemCollector("f.json");
    ParsedText parsed = JsoncParser.parse(text);
    ConfigSchemaCheck.check(java.util.Objects.requireNonNull(parsed.root()), problems);
    return problems.sorted();
  }

  @Test
  void what_only_the_schema_finds_gets_the_line_of_its_place() {
    assertThat(
            check(
                """
                {"mcpServers": {
                  "a/b": {"command": "x",
                    "args": ["1",
                      {}]},
                  "c d": {
                    "ping": {
                      "threshold": "x"}}}}
                """))
        .extracting(ConfigProblem::toString)
        .containsExactly(
            "f.json:4: server \"a/b\": \"args.1\" does not fit the schema: must be string,"
                + " number, boolean, not object. Compare it with mcpbus.schema.json",
            "f.json:7: server \"c d\": \"ping.threshold\" does not fit the schema: must be"
                + " integer, not string. Compare it with mcpbus.schema.json");
  }

  @Test
  void a_problem_that_the_reader_found_is_not_reported_twice() {
    ProblemCollector problems = new ProblemCollector("f.json");
    problems.add(1, "a", "known", "known");
    ParsedText parsed = JsoncParser.parse("{\"mcpServers\": {\"a\": {\"args\": 5}}}");
    ConfigSchemaCheck.check(java.util.Objects.requireNonNull(parsed.root()), problems);
    assertThat(problems.sorted()).hasSize(1);
  }

  @Test
  void a_file_that_fits_has_no_problem() {
    assertThat(check("{\"mcpServers\": {\"a\": {\"command\": \"x\", \"idleStop\": \"5m\"}}}"))
        .isEmpty();
  }
}
