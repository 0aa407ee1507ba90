package dev.mcpbus.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

/** What a reference leads to, whatever a server writes into it. */
class SchemaReferencesTest {

  private static final JsonObject NUMBER = new JsonObject().put("type", "number");

  @Test
  void a_reference_leads_to_an_object_of_the_document() {
    JsonObject root =
        new JsonObject()
            .put("$defs", new JsonObject().put("a/b~c", NUMBER).put("text", "no schema"))
            .put("anyOf", new JsonArray().add(NUMBER));

    assertThat(SchemaReferences.target(root, "#/$defs/a~1b~0c")).isEqualTo(NUMBER);
    assertThat(SchemaReferences.target(root, "#/%24defs/a~1b~0c")).isEqualTo(NUMBER);
    assertThat(SchemaReferences.target(root, "#/anyOf/0")).isEqualTo(NUMBER);
    assertThat(SchemaReferences.target(root, "#")).isSameAs(root);
    for (String ref :
        new String[] {"#/$defs/text", "#/anyOf/1", "#/none", "#a", "http://x/#/$defs"}) {
      assertThat(SchemaReferences.target(root, ref)).as(ref).isNull();
    }
  }

  @Test
  void a_long_reference_is_one_like_others() {
    String name = "n".repeat(100_000);
    JsonObject root = new JsonObject().put("$defs", new JsonObject().put(name, NUMBER));

    assertThat(SchemaReferences.target(root, "#/$defs/" + name)).isEqualTo(NUMBER);
    assertThat(SchemaReferences.target(root, "#" + "/a".repeat(100_000))).isNull();
  }
}
