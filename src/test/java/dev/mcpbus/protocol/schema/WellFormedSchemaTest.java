package dev.mcpbus.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WellFormedSchemaTest {

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{'type':['object','null'],'required':[]}",
        "{'properties':{'$ref':{'type':'string'},'type':{'enum':[1,null]},'not':{'type':'null'}}}",
        "{'properties':{'n':{'$ref':'#'}}}",
        "{'properties':{'n':{'$ref':'#/$defs/a~1b%20c'}},'$defs':{'a/b c':{'items':{'$ref':'#'}}}}",
        "{'$ref':'#/$defs/a','$defs':{'a':{'anyOf':[{'type':'null'},{'items':{'$ref':'#'}}]}}}",
        "{'$ref':'#named','$defs':{'a':{'$anchor':'named','type':'object'}}}",
        "{'$ref':'http://127.0.0.1:1/elsewhere'}",
        "{'items':[{'type':'string'},true],'additionalItems':false,'contains':{}}",
        "{'dependencies':{'a':['b'],'c':{'required':['d']}},'dependentRequired':{'a':['b']}}",
        "{'exclusiveMinimum':true,'minimum':1,'x-mine':{'type':'whatever'},'default':[{}]}"
      })
  void these_are_schemas(String schema) {
    assertThat(WellFormedSchema.fault(RawJson.of(json(schema)))).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{'type':'any'}|/type",
        "{'type':[]}|/type",
        "{'type':5}|/type",
        "{'properties':[]}|/properties",
        "{'properties':{'a':'string'}}|/properties/a",
        "{'items':{'items':{'type':'str'}}}|/items/items/type",
        "{'anyOf':{'type':'string'}}|/anyOf",
        "{'allOf':[{},{'required':'a'}]}|/allOf/1/required",
        "{'required':[1]}|/required",
        "{'enum':'a'}|/enum",
        "{'minLength':'1'}|/minLength",
        "{'uniqueItems':1}|/uniqueItems",
        "{'pattern':{}}|/pattern",
        "{'$ref':1}|/$ref",
        "{'$ref':'#/$defs/none'}|/$ref",
        "{'$ref':'#none'}|/$ref",
        "{'dependentRequired':{'a':{}}}|/dependentRequired/a",
        "{'$ref':'#'}|itself",
        "{'not':{'$ref':'#'}}|itself",
        "{'items':{'if':{'$ref':'#/items'}}}|itself",
        "{'$defs':{'a':{'oneOf':[{'$ref':'#/$defs/b'}]},'b':{'then':{'$ref':'#/$defs/a'}}}}|itself"
      })
  void these_are_none(String schema, String place) {
    assertThat(WellFormedSchema.fault(RawJson.of(json(schema)))).contains(place);
  }

  @Test
  void a_long_chain_of_references_is_judged_without_a_stack_overflow() {
    StringBuilder defs = new StringBuilder("{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
    for (int i = 0; i < 20_000; i++) {
      defs.append("\"d").append(i).append("\":{\"$ref\":\"#/$defs/d").append(i + 1).append("\"},");
    }
    String fault = WellFormedSchema.fault(RawJson.of(defs.append("\"d20000\":{}}}").toString()));
    assertThat(fault == null || fault.contains("too deep")).isTrue();
  }

  private static ArgumentValidator validator(String schema) {
    return ArgumentValidator.of(RawJson.of(json(schema)));
  }

  @Test
  void what_costs_too_much_is_not_begun() {
    JsonObject nested = new JsonObject();
    for (int i = 0; i < 60; i++) {
      nested = new JsonObject().put("a", nested);
    }
    ArgumentValidator doubling =
        validator("{'properties':{'a':{'allOf':[{'$ref':'#'},{'$ref':'#'}]}}}");
    ArgumentValidator.Violation violation = doubling.check(nested);
    assertThat(violation != null && violation.unchecked()).isTrue();
    assertThat(doubling.check(new JsonObject("{\"a\":{\"a\":{}}}"))).isNull();
    assertThat(doubling.checks()).isTrue();
  }

  @Test
  void a_pattern_gets_only_so_many_looks() {
    ArgumentValidator trap = validator("{'properties':{'a':{'pattern':'^(x+x+)+\\\\1y$'}}}");
    JsonObject bait = new JsonObject().put("a", "x".repeat(60));
    ArgumentValidator.Violation violation =
        trap.check(bait, ArgumentValidator.SMALL_EFFORT, () -> false);
    assertThat(violation != null && violation.unchecked()).isTrue();
    assertThat(trap.check(new JsonObject().put("a", "xxxxy"))).isNull();
    ArgumentValidator.Violation mismatch = trap.check(new JsonObject().put("a", "z"));
    assertThat(mismatch != null && !mismatch.unchecked()).isTrue();
  }

  @Test
  void a_tree_is_checked_to_its_leaves() {
    ArgumentValidator tree =
        validator(
            "{'type':'object','properties':{'n':{'type':'integer'},"
                + "'c':{'type':'array','items':{'$ref':'#'}}},'required':['n']}");
    assertThat(tree.check(new JsonObject(json("{'n':1,'c':[{'n':2,'c':[]}]}")))).isNull();
    ArgumentValidator.Violation wrong =
        tree.check(new JsonObject(json("{'n':1,'c':[{'n':2,'c':[{'n':'3'}]}]}")));
    assertThat(wrong == null ? "" : wrong.path()).isEqualTo("/c/0/c/0/n");
  }
}
