package dev.mcpbus.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeOptions;
import io.vertx.core.json.JsonObject;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SchemaTest {

  private static final JsonObject SCHEMA = ConfigSchemaCheck.schema();

  private static JsonObject properties(String... path) {
    JsonObject at = SCHEMA;
    for (String step : path) {
      at = at.getJsonObject(step);
    }
    return at.getJsonObject("properties");
  }

  private static Set<String> and(Set<String> keys, String... more) {
    Set<String> all = new HashSet<>(keys);
    all.addAll(List.of(more));
    return all;
  }

  @Test
  void every_key_is_in_the_schema_and_the_other_way_round() {
    Set<String> server = and(ConfigKeys.SERVER);
    server.addAll(ConfigKeys.FOREIGN);
    server.addAll(ToolRuleReader.KEYS);
    assertThat(properties("$defs", "server").fieldNames()).isEqualTo(server);
    assertThat(properties().fieldNames()).isEqualTo(ConfigKeys.TOP);
    for (String[] where : new String[][] {{"$defs", "server"}, {"properties", "defaults"}}) {
      JsonObject of = properties(where);
      assertThat(of.fieldNames()).containsAll(ConfigKeys.SETTINGS);
      Map<String, Set<String>> inner =
          Map.of(
              "limits", ConfigKeys.LIMITS,
              "ping", ConfigKeys.PING,
              "healthCheck", ConfigKeys.HEALTH_CHECK,
              "restart", ConfigKeys.RESTART);
      inner.forEach(
          (key, keys) ->
              assertThat(of.getJsonObject(key).getJsonObject("properties").fieldNames())
                  .isEqualTo(and(keys, "$comment")));
      JsonObject restart = of.getJsonObject("restart").getJsonObject("properties");
      assertThat(restart.getJsonObject("intensity").getJsonObject("properties").fieldNames())
          .isEqualTo(and(ConfigKeys.INTENSITY, "$comment"));
      assertThat(restart.getJsonObject("backoff").getJsonObject("properties").fieldNames())
          .isEqualTo(and(ConfigKeys.BACKOFF, "$comment"));
    }
    assertThat(properties("properties", "defaults").fieldNames())
        .isEqualTo(and(ConfigKeys.SETTINGS, "$comment"));
    assertThat(properties("$defs", "oauth").fieldNames())
        .isEqualTo(and(ConfigKeys.OAUTH, "$comment"));
    assertThat(properties("$defs", "oauth", "properties", "idJag").fieldNames())
        .isEqualTo(and(ConfigKeys.ID_JAG, "$comment"));
    assertThat(properties("$defs", "oauth", "properties", "workloadIdentity").fieldNames())
        .isEqualTo(and(ConfigKeys.WORKLOAD_IDENTITY, "$comment"));
    assertThat(properties("$defs", "server", "properties", "tls").fieldNames())
        .isEqualTo(and(ConfigKeys.TLS, "$comment"));
    assertThat(properties("properties", "bridge").fieldNames())
        .isEqualTo(and(ConfigKeys.BRIDGE, "$comment"));
    assertThat(properties("properties", "bridge", "properties", "tls").fieldNames())
        .isEqualTo(and(ConfigKeys.BRIDGE_TLS, "$comment"));
    assertThat(properties("properties", "cluster").fieldNames())
        .isEqualTo(and(ConfigKeys.CLUSTER, "$comment"));
    assertThat(properties("properties", "cluster", "properties", "tls").fieldNames())
        .isEqualTo(and(ConfigKeys.CLUSTER_TLS, "$comment"));
    assertThat(properties("properties", "catalog").fieldNames())
        .isEqualTo(and(ConfigKeys.CATALOG, "$comment"));
    assertThat(properties("properties", "metrics").fieldNames())
        .isEqualTo(and(ConfigKeys.METRICS, "$comment"));
    assertThat(properties("properties", "tracing").fieldNames())
        .isEqualTo(and(ConfigKeys.TRACING, "$comment"));
    assertThat(properties("properties", "supervisor").fieldNames())
        .isEqualTo(and(ConfigKeys.SUPERVISOR, "$comment"));
  }

  @Test
  void every_key_of_ours_has_a_description_and_every_default_is_the_real_one() {
    JsonObject server = properties("$defs", "server");
    for (String key : ConfigKeys.SERVER) {
      JsonObject of = server.getJsonObject(key);
      assertThat(of.containsKey("description") || of.containsKey("$ref")).as(key).isTrue();
    }
    ServerSettings real = ServerSettings.DEFAULT;
    assertThat(server.getJsonObject("requestTimeout").getLong("default"))
        .isEqualTo(real.connection().requestTimeout().toMillis());
    assertThat(server.getJsonObject("handshakeTimeout").getLong("default"))
        .isEqualTo(real.connection().handshakeTimeout().toMillis());
    assertThat(server.getJsonObject("maxCallDuration").getLong("default"))
        .isEqualTo(real.connection().maxCallDuration().toMillis());
    JsonObject health = server.getJsonObject("healthCheck").getJsonObject("properties");
    assertThat(health.getJsonObject("interval").getLong("default"))
        .isEqualTo(real.connection().healthInterval().toMillis());
    assertThat(server.getJsonObject("maxPending").getInteger("default"))
        .isEqualTo(real.connection().maxPending());
    assertThat(server.getJsonObject("maxStash").getInteger("default"))
        .isEqualTo(real.connection().maxStash());
    assertThat(server.getJsonObject("closeGrace").getLong("default"))
        .isEqualTo(real.closeGrace().toMillis());
    assertThat(server.getJsonObject("drain").getLong("default")).isEqualTo(real.drain().toMillis());
    assertThat(properties("properties", "bridge").getJsonObject("port").getInteger("default"))
        .isEqualTo(BridgeOptions.DEFAULT.port());
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

  @Test
  void every_default_of_the_bridge_is_the_real_one() {
    BridgeOptions real = BridgeOptions.DEFAULT;
    Map<String, Object> expected =
        Map.of(
            "host", real.host(),
            "port", real.port(),
            "maxBodyBytes", real.maxBodyBytes(),
            "maxHeaderBytes", real.limits().maxHeaderBytes(),
            "maxConnections", real.limits().maxConnections(),
            "maxStreams", real.limits().maxStreams(),
            "receiveTimeout", (int) real.receiveTimeout().toMillis(),
            "heartbeat", (int) real.limits().heartbeat().toMillis(),
            "eventBus", real.eventBus());
    expected.forEach(
        (key, value) ->
            assertThat(properties("properties", "bridge").getJsonObject(key).getValue("default"))
                .as(key)
                .isEqualTo(value));
  }
}
