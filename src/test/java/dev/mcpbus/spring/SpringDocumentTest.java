package dev.mcpbus.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Properties as a configuration document. */
class SpringDocumentTest {

  private final StandardEnvironment environment = new StandardEnvironment();

  private SpringDocumentTest with(Map<String, Object> properties) {
    int number = environment.getPropertySources().size();
    environment.getPropertySources().addLast(new MapPropertySource("s" + number, properties));
    return this;
  }

  private JsonObject document() {
    return SpringDocument.document(environment);
  }

  @Test
  void names_keep_their_spelling_and_values_their_types() {
    with(
        Map.of(
            "mcpbus.mcpServers.Git-Hub.env.API_KEY", "7",
            "mcpbus.mcpServers.Git-Hub.env.[a.b]", "007",
            "mcpbus.mcpServers.Git-Hub.args[1]", "b",
            "mcpbus.mcpServers.Git-Hub.args[0]", "a",
            "mcpbus.gateway.pageSize", 50,
            "mcpbus.catalog.search", "true",
            "mcpbus.tools.timeout", "5s",
            "mcpbus.enabled", "true",
            "mcpbusy.gateway.pageSize", "1"));
    assertThat(document())
        .isEqualTo(
            new JsonObject(
                """
                {"mcpServers": {"Git-Hub": {"env": {"API_KEY": 7, "a.b": "007"},
                 "args": ["a", "b"]}},
                 "gateway": {"pageSize": 50}, "catalog": {"search": true}}
                """));
  }

  @Test
  void the_first_source_has_a_property_and_a_list_as_a_whole() {
    with(
        Map.of(
            "mcpbus.mcpServers.x.args[0]", "only",
            "mcpbus.mcpServers.x.command", "${tool}",
            "tool", "npx"));
    with(
        Map.of(
            "mcpbus.mcpServers.x.args[0]", "a",
            "mcpbus.mcpServers.x.args[1]", "b",
            "mcpbus.mcpServers.x.command", "other",
            "mcpbus.mcpServers.x.cwd", "${unknown}"));
    assertThat(document())
        .isEqualTo(
            new JsonObject(
                """
                {"mcpServers": {"x": {"args": ["only"], "command": "npx", "cwd": "${unknown}"}}}
                """));
  }

  /** A value that mcpbus has put in is hidden wherever it shows the entry; a literal may not be. */
  @Test
  void variables_of_the_process_stay_for_mcpbus_in_entries() {
    String path = System.getenv("PATH");
    with(
        Map.of(
            "mcpbus.mcpServers.x.args[0]", "--${kind}=${PATH}",
            "mcpbus.mcpServers.x.args[1]", "${PATH:none} ${absent:none} \\${PATH}",
            "mcpbus.mcpServers.x.args[2]", "${of.path}",
            "mcpbus.gateway.x", "${PATH}",
            "kind", "dsn",
            "of.path", "/${PATH}"));
    assertThat(document())
        .isEqualTo(
            new JsonObject(
                    """
                    {"mcpServers": {"x": {"args": ["--dsn=${PATH}", "${PATH} none ${PATH}",
                     "/${PATH}"]}}}
                    """)
                .put("gateway", new JsonObject().put("x", path)));
  }

  @Test
  void a_value_with_members_is_refused() {
    with(Map.of("mcpbus.gateway", "x")).with(Map.of("mcpbus.gateway.pageSize", "5"));
    assertThatThrownBy(this::document)
        .hasMessage("of mcpbus.gateway.pageSize the part \"gateway\" has a value of its own, too");
  }
}
