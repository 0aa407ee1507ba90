package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.read.ConfigSchema.DeclaredKey;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.ProtocolVersion;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.Validator;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code mcpbus.schema.json} says is what mcpbus does. */
class SchemaTest {

  @TempDir Path directory;

  private static void each(ConfigSchema schema, BiConsumer<String, DeclaredKey> check) {
    schema
        .keys()
        .forEach(
            (name, key) -> {
              check.accept(name, key);
              each(key.members(), check);
            });
  }

  @Test
  void every_key_has_a_description() {
    each(
        ConfigSchema.TOP,
        (name, key) -> assertThat(key.declared().getString("description")).as(name).isNotBlank());
  }

  @Test
  void words_of_our_own_are_those_that_contributing_explains() throws IOException {
    Set<String> used = new TreeSet<>();
    each(
        ConfigSchema.TOP,
        (name, key) ->
            key.declared().fieldNames().stream()
                .filter(x -> x.startsWith("x-"))
                .forEach(used::add));
    String page =
        Files.readString(
            Path.of(System.getProperty("mcpbus.basedir", ".")).resolve("CONTRIBUTING.md"));
    assertThat(used).isNotEmpty().allSatisfy(word -> assertThat(page).contains("`" + word + "`"));
  }

  @Test
  void a_file_that_writes_every_default_is_read_as_one_that_writes_none() {
    JsonObject all = defaults(ConfigSchema.TOP);
    all.remove("$schema");
    all.getJsonObject("metrics").remove("enabled"); // only a service that has Micrometer measures
    all.getJsonObject("auth").remove("audit"); // without "auth" nothing is written
    all.getJsonObject("auth").remove("jwt"); // its issuer has no default
    all.getJsonObject("auth").remove("signIn"); // nor has its provider
    all.remove("tracing"); // the defaults of OpenTelemetry
    all.put("mcpServers", new JsonObject());
    ConfigResult written = Sample.in(directory).json(all.encodePrettily());
    ConfigResult none =
        Sample.in(directory)
            .json("{\"mcpServers\": {}, \"auth\": {\"limits\": {}}, \"bridge\": {}}");
    assertThat(written.problems())
        .as(
            "\"must be an object\" where it need not: the record has no component of the key's name")
        .isEmpty();
    assertThat(all.getJsonObject("defaults").size()).isGreaterThan(20);
    same("", none.usable().orElseThrow(), written.usable().orElseThrow());
    same("", none.defaults(), written.defaults());
    assertThat(ConfigSchema.SETTINGS.key("protocolVersion").words())
        .isEqualTo(ProtocolVersion.supported());
  }

  private static JsonObject defaults(ConfigSchema schema) {
    JsonObject all = new JsonObject();
    schema
        .keys()
        .forEach(
            (name, key) -> {
              if (key.declared().containsKey("default")) {
                if (!key.declared().containsKey("x-same-as")) {
                  all.put(name, key.declared().getValue("default"));
                }
              } else if (key.declared().containsKey("properties")) {
                JsonObject inner = defaults(key.members());
                if (!inner.isEmpty()) {
                  all.put(name, inner);
                }
              }
            });
    return all;
  }

  private static void same(String where, Record one, Record other) {
    for (RecordComponent component : RecordCopy.components(one.getClass())) {
      Object a = RecordCopy.get(one, component);
      Object b = RecordCopy.get(other, component);
      if (a instanceof Record inner) {
        same(where + "." + component.getName(), inner, (Record) Objects.requireNonNull(b));
      } else {
        assertThat(b).as(where + "." + component.getName()).isEqualTo(a);
      }
    }
  }

  @Test
  void what_changes_only_after_a_restart_is_marked_in_the_schema() {
    Set<String> marked = new TreeSet<>();
    each(
        ConfigSchema.TOP,
        (name, key) -> {
          if (key.declared().containsKey("x-restart")) {
            marked.add(key.declared().getString("x-restart"));
          }
        });
    marked.add("auth"); // only where authentication begins or ends
    assertThat(marked).isEqualTo(new TreeSet<>(ConfigDiff.NEED_RESTART));
  }

  @Test
  void what_an_editor_refuses_is_a_problem_here() throws IOException {
    Validator judge =
        Validator.create(
            JsonSchema.of(ConfigSchema.declared()),
            new JsonSchemaOptions()
                .setDraft(Draft.DRAFT202012)
                .setBaseUri("https://mcpbus.invalid/")
                .setOutputFormat(OutputFormat.Flag));
    List<String> taken = new ArrayList<>();
    int refused = 0;
    for (String line : Files.readAllLines(ConfigGoldenTest.GOLDEN)) {
      JsonObject document =
          line.startsWith("file ") ? new JsonObject(line.substring(5)) : new JsonObject();
      if (document.containsKey("mcpServers")) {
        Object node = Objects.requireNonNull(ConfigNode.of(document).toJson());
        if (!Boolean.TRUE.equals(judge.validate(node).getValid())) {
          refused++;
          if (Sample.in(directory).json(document.encodePrettily()).problems().isEmpty()) {
            taken.add(line);
          }
        }
      }
    }
    assertThat(refused).isGreaterThan(500);
    assertThat(taken).isEmpty();
  }

  private static List<String> check(String text) {
    ProblemCollector problems = new ProblemCollector("f.json");
    ParsedText parsed = JsoncParser.parse(text);
    ConfigShape.check(Objects.requireNonNull(parsed.root()), problems);
    return problems.sorted().stream().map(ConfigProblem::toString).toList();
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
                      "threshold": "x"}}},
                 "supervisor": {
                   "strategy": "ONE"}}
                """))
        .containsExactly(
            "f.json:4: server \"a/b\": \"args[1]\" must be a string, a number or true or false,"
                + " not an object. Compare it with mcpbus.schema.json",
            "f.json:7: server \"c d\": \"ping.threshold\" must be a number, not a string. Compare"
                + " it with mcpbus.schema.json",
            "f.json:9: \"supervisor.strategy\" must be one of one-for-one, one-for-all,"
                + " rest-for-one, one_for_one, one_for_all, rest_for_one. Compare it with"
                + " mcpbus.schema.json");
  }

  @Test
  void what_an_object_must_have_and_a_list_may_have_holds_also_where_nobody_reads_it() {
    assertThat(
            check(
                """
                {"mcpServers": {
                  "a": {"command": "x",
                    "oauth": {"idJag": {"clientId": "c"}}},
                  "b": {"command": "x",
                    "tls": {"keyFile": "k"}},
                  "c": {"url": "https://h/mcp",
                    "oauth": {"scopes": ["s",
                      5]}},
                  "d": {"command": "x",
                    "tls": {"keyFile": "k", "certFile": "c"}, "pin": {"t": "h"},
                    "oauth": {"scopes": ["s"], "idJag": {"clientId": "c", "tokenEndpoint": "t"}}}}}
                """))
        .containsExactly(
            "f.json:3: server \"a\": \"oauth.idJag\" has no \"tokenEndpoint\". Compare it with"
                + " mcpbus.schema.json",
            "f.json:5: server \"b\": \"tls\" has \"keyFile\" and no \"certFile\". Compare it with"
                + " mcpbus.schema.json",
            "f.json:8: server \"c\": \"oauth.scopes[1]\" must be a string, not a number. Compare it"
                + " with mcpbus.schema.json");
  }

  @Test
  void a_problem_that_the_reader_found_is_not_reported_twice() {
    ProblemCollector problems = new ProblemCollector("f.json");
    problems.add(1, "a", "known", "known");
    ParsedText parsed = JsoncParser.parse("{\"mcpServers\": {\"a\": {\"args\": 5}}}");
    ConfigShape.check(Objects.requireNonNull(parsed.root()), problems);
    assertThat(problems.sorted()).hasSize(1);
  }

  @Test
  void a_file_that_fits_has_no_problem() {
    assertThat(check("{\"mcpServers\": {\"a\": {\"command\": \"x\", \"idleStop\": \"5m\"}}}"))
        .isEmpty();
  }
}
