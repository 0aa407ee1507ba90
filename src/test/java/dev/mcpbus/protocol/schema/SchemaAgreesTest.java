package dev.mcpbus.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.Validator;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The quick yes is never wrong: whatever it accepts, the general validator accepts too. */
@Tag("release")
class SchemaAgreesTest {

  private static final String[] TYPES = {
    "object", "array", "string", "integer", "number", "boolean", "null"
  };
  private static final String[] NAMES = {"a", "b", "c"};

  @Test
  void what_the_quick_check_accepts_the_validator_accepts() {
    Random random = new Random(7);
    int accepted = 0;
    for (int round = 0; round < 3_000; round++) {
      JsonObject schema = schema(random, 2);
      PlainSchema plain = PlainSchema.of(schema.copy());
      if (plain == null) {
        continue;
      }
      Validator validator =
          Validator.create(
              JsonSchema.of(schema.copy()),
              new JsonSchemaOptions().setBaseUri("mcp://test").setDraft(Draft.DRAFT202012));
      for (int i = 0; i < 10; i++) {
        Object value = value(random, 2);
        if (plain.accepts(value)) {
          accepted++;
          assertThat(validator.validate(value).getValid())
              .as("%s for %s", value, schema.encode())
              .isTrue();
        }
      }
    }
    assertThat(accepted).as("the comparison says something").isGreaterThan(1_000);
  }

  /** The keywords that are taken out of the schema decide as those of the validator do. */
  @Test
  void the_counted_schema_accepts_what_the_validator_accepts_and_nothing_else() {
    Random random = new Random(11);
    int accepted = 0;
    for (int round = 0; round < 4_000; round++) {
      JsonObject schema = rich(random, 2);
      ArgumentValidator own = ArgumentValidator.of(RawJson.of(schema));
      Validator validator =
          Validator.create(
              JsonSchema.of(schema.copy()),
              new JsonSchemaOptions().setBaseUri("mcp://test").setDraft(Draft.DRAFT202012));
      for (int i = 0; i < 10; i++) {
        Object value = value(random, 2);
        boolean accepts = own.check(value) == null;
        accepted += accepts ? 1 : 0;
        assertThat(accepts)
            .as("%s for %s", value, schema.encode())
            .isEqualTo(validator.validate(value).getValid());
      }
    }
    assertThat(accepted).as("the comparison says something").isGreaterThan(2_000);
  }

  /** Boolean schemas, references beside keywords, tuples, null, members named like keywords. */
  @Test
  void odd_schemas_of_both_drafts_are_decided_as_the_validator_decides() {
    Random random = new Random(13);
    int accepted = 0;
    int refused = 0;
    for (int round = 0; round < 6_000; round++) {
      boolean old = random.nextBoolean();
      JsonObject schema = (JsonObject) odd(random, 3, true);
      schema.put("$defs", new JsonObject().put("d", new JsonObject().put("minimum", 2)));
      if (old) {
        schema.put("$schema", "http://json-schema.org/draft-07/schema#");
      }
      ArgumentValidator own = ArgumentValidator.of(RawJson.of(schema));
      Validator validator =
          Validator.create(
              JsonSchema.of(schema.copy()),
              new JsonSchemaOptions()
                  .setBaseUri("mcp://test")
                  .setDraft(old ? Draft.DRAFT7 : Draft.DRAFT202012));
      for (int i = 0; i < 8; i++) {
        Object value = oddValue(random, 2);
        boolean accepts = own.check(value) == null;
        accepted += accepts ? 1 : 0;
        refused += accepts ? 0 : 1;
        assertThat(accepts)
            .as("%s for %s", value, schema.encode())
            .isEqualTo(validator.validate(value).getValid());
      }
    }
    assertThat(accepted).as("the comparison says something").isGreaterThan(2_000);
    assertThat(refused).as("the comparison says something").isGreaterThan(2_000);
  }

  private static final String[] ODD_NAMES = {"a", "properties", "pattern", "format", "\u00e9/~"};

  private static Object odd(Random random, int depth, boolean root) {
    if (!root && (depth == 0 || random.nextInt(6) == 0)) {
      return random.nextInt(4) > 0 ? random.nextInt(5) > 0 : new JsonObject().put("minimum", 2);
    }
    JsonObject schema = new JsonObject();
    if (!root && random.nextInt(8) == 0) {
      schema.put("$ref", "#/$defs/d");
    }
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      JsonObject named = new JsonObject();
      for (String name : ODD_NAMES) {
        if (random.nextInt(3) == 0) {
          named.put(name, odd(random, depth - 1, false));
        }
      }
      JsonArray list = new JsonArray().add(odd(random, depth - 1, false));
      list.add(odd(random, depth - 1, false));
      Object one = odd(random, depth - 1, false);
      switch (random.nextInt(19)) {
        case 0 -> schema.put("properties", named);
        case 1 -> schema.put("patternProperties", new JsonObject().put("^p", one));
        case 2 -> schema.put("additionalProperties", one);
        case 3 -> schema.put("unevaluatedProperties", one);
        case 4 -> schema.put("propertyNames", new JsonObject().put("maxLength", 6));
        case 5 -> schema.put("items", one);
        case 6 -> schema.put("items", list).put("additionalItems", one);
        case 7 -> schema.put("prefixItems", list);
        case 8 -> schema.put("unevaluatedItems", one);
        case 9 -> schema.put("contains", one);
        case 10 -> schema.put("anyOf", list);
        case 11 -> schema.put("oneOf", list);
        case 12 -> schema.put("allOf", list);
        case 13 -> schema.put("not", one);
        case 14 -> schema.put("if", one).put("else", odd(random, depth - 1, false));
        case 15 -> schema.put("dependentSchemas", named);
        case 16 ->
            schema.put(
                "dependentRequired", new JsonObject().put("a", new JsonArray().add("format")));
        case 17 ->
            schema.put(
                "dependencies",
                new JsonObject()
                    .put("a", random.nextBoolean() ? one : new JsonArray().add("pattern")));
        default -> schema.put("required", new JsonArray().add("a"));
      }
    }
    return schema;
  }

  private static Object oddValue(Random random, int depth) {
    if (depth == 0 || random.nextInt(4) == 0) {
      return random.nextBoolean() ? random.nextInt(4) : "x";
    }
    if (random.nextInt(3) == 0) {
      JsonArray array = new JsonArray();
      for (int i = random.nextInt(4); i > 0; i--) {
        array.add(oddValue(random, depth - 1));
      }
      return array;
    }
    JsonObject object = new JsonObject();
    for (String name : ODD_NAMES) {
      if (random.nextBoolean()) {
        object.put(name, random.nextInt(5) == 0 ? null : oddValue(random, depth - 1));
      }
    }
    return object;
  }

  private static JsonObject rich(Random random, int depth) {
    JsonObject schema = schema(random, depth);
    if (random.nextInt(3) == 0) {
      switch (random.nextInt(6)) {
        case 0 -> schema.put("enum", new JsonArray().add("x").add(3).add(new JsonObject()));
        case 1 -> schema.put("const", random.nextBoolean() ? 3 : "x");
        case 2 -> schema.put("uniqueItems", true);
        case 3 -> schema.put("pattern", random.nextBoolean() ? "^x" : "y$");
        case 4 -> schema.put("format", random.nextBoolean() ? "date" : "uuid");
        default -> schema.put("patternProperties", new JsonObject().put("^a", schema(random, 0)));
      }
    }
    if (depth > 0 && random.nextInt(3) == 0) {
      String[] words = {"anyOf", "allOf", "oneOf"};
      JsonArray forms = new JsonArray().add(rich(random, depth - 1)).add(rich(random, depth - 1));
      schema.put(words[random.nextInt(words.length)], forms);
    }
    if (depth > 0 && random.nextInt(6) == 0) {
      schema.put(random.nextBoolean() ? "not" : "if", rich(random, depth - 1));
      schema.put("then", rich(random, depth - 1));
    }
    if (depth == 2 && random.nextInt(6) == 0) {
      schema.put("$defs", new JsonObject().put("d", rich(random, 0)));
      schema.put("items", new JsonObject().put("$ref", "#/$defs/d"));
    }
    if (depth > 0 && random.nextInt(6) == 0) {
      schema.put("unevaluatedProperties", random.nextBoolean());
    }
    return schema;
  }

  private static JsonObject schema(Random random, int depth) {
    JsonObject schema = new JsonObject();
    if (random.nextInt(4) > 0) {
      schema.put("type", TYPES[random.nextInt(depth == 0 ? 5 : TYPES.length)]);
    }
    if (random.nextInt(5) == 0) {
      schema.put("enum", new JsonArray().add("x").add("y"));
    }
    if (depth > 0 && random.nextBoolean()) {
      JsonObject properties = new JsonObject();
      for (String name : NAMES) {
        if (random.nextBoolean()) {
          properties.put(name, schema(random, depth - 1));
        }
      }
      schema.put("properties", properties);
      if (random.nextBoolean()) {
        schema.put("required", new JsonArray().add(NAMES[random.nextInt(NAMES.length)]));
      }
      if (random.nextBoolean()) {
        schema.put("additionalProperties", random.nextBoolean());
      }
    }
    if (depth > 0 && random.nextInt(3) == 0) {
      schema.put("items", schema(random, depth - 1));
    }
    return schema;
  }

  private static Object value(Random random, int depth) {
    return switch (random.nextInt(depth == 0 ? 5 : 8)) {
      case 0 -> "x";
      case 1 -> random.nextInt(5);
      case 2 -> random.nextBoolean() ? 1.5 : 3.0;
      case 3 -> random.nextBoolean();
      case 4 -> Long.MAX_VALUE - random.nextInt(3);
      case 5 -> {
        JsonArray array = new JsonArray();
        for (int i = random.nextInt(3); i > 0; i--) {
          array.add(value(random, depth - 1));
        }
        yield array;
      }
      default -> {
        JsonObject object = new JsonObject();
        for (String name : NAMES) {
          if (random.nextBoolean()) {
            object.put(name, value(random, depth - 1));
          }
        }
        yield object;
      }
    };
  }
}
