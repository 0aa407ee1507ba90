package dev.mcpbus.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Operation.Scope;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OperationTableTest {

  /** Methods that only servers send. */
  private static final Set<String> OF_SERVERS =
      Set.of(
          Methods.ACKNOWLEDGED,
          Methods.MESSAGE,
          Methods.TOOLS_CHANGED,
          Methods.RESOURCES_CHANGED,
          Methods.RESOURCE_UPDATED,
          Methods.PROMPTS_CHANGED,
          Methods.ROOTS_LIST,
          Methods.SAMPLING,
          Methods.ELICITATION,
          Methods.TASKS_STATUS,
          Methods.TASKS_CHANGED);

  private static RawJson json(String text) {
    return RawJson.of(text.replace('\'', '"'));
  }

  @Test
  void every_method_has_a_row_or_is_never_a_callers() throws IllegalAccessException {
    List<String> all = new ArrayList<>();
    for (Field field : Methods.class.getFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.getType() == String.class) {
        all.add((String) field.get(null));
      }
    }
    assertThat(all).hasSizeGreaterThan(30).containsAll(OF_SERVERS);
    assertThat(all)
        .allSatisfy(
            method ->
                assertThat(OperationTable.action(method) != null)
                    .as(method)
                    .isEqualTo(!OF_SERVERS.contains(method)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "tools/call|{'name':'t','arguments':{'name':'x'}}|CALL|t",
        "tools/call|{'arguments':{},'\\u006eame':'t\\u0031'}|CALL|t1",
        "prompts/get|{'name':'p'}|GET|p",
        "resources/read|{'uri':'u:1'}|READ|u:1",
        "resources/subscribe|{'uri':'u:1'}|SUBSCRIBE|u:1",
        "resources/unsubscribe|{'uri':'u:1'}|SUBSCRIBE|u:1",
        "completion/complete|{'ref':{'type':'ref/prompt','name':'p','uri':'u'}}|GET|p",
        "completion/complete|{'ref':{'type':'ref/resource','name':'p','uri':'u'}}|READ|u",
        "tools/list|{'name':'t'}|LIST|~~",
        "logging/setLevel|{'level':'debug'}|ADMIN|~~",
        "tasks/get|{'taskId':'x'}|CALL|~~",
        "ping|{}|LIST|~~"
      })
  void params_name_what_a_request_is_about(
      String method, String params, Action action, String item) {
    Operation expected = Operation.of(action, "a", item);
    assertThat(OperationTable.of("a", method, json(params))).isEqualTo(expected);
    String request = "{'method':'" + method + "','params':" + params + "}";
    assertThat(OperationTable.described("a", json(request))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "tools/call|{}",
        "tools/call|{'name':''}",
        "tools/call|{'name':['t']}",
        "resources/read|{'name':'t'}",
        "completion/complete|{'ref':'p'}",
        "completion/complete|{'ref':{'name':'p'}}",
        "completion/complete|{'ref':{'type':'ref/other','name':'p'}}",
        "completion/complete|{'ref':{'type':'ref/resource','name':'p'}}"
      })
  void an_operation_without_its_item_is_denied_if_there_are_policies(String method, String params) {
    Operation wanted = OperationTable.of("a", method, json(params));
    assertThat(wanted.scope()).isEqualTo(Scope.NAMELESS);
    assertThat(new Rights(List.of(), true, false).permits(wanted)).isTrue();
    assertThat(everything(true).permits(wanted)).isFalse();
    Operation none = OperationTable.described("a", json("{'params':" + params + "}"));
    assertThat(none.scope()).isEqualTo(Scope.NAMELESS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x/custom",
        "TOOLS/CALL",
        "tools/call ",
        "",
        "initialize",
        "server/discover",
        "subscriptions/listen",
        "sampling/createMessage",
        "notifications/message"
      })
  void a_method_without_a_row_needs_admin_and_is_denied_if_there_are_policies(String method) {
    for (Operation wanted :
        List.of(
            OperationTable.of("a", method, RawJson.EMPTY_OBJECT),
            OperationTable.described("a", json("{'method':'" + method + "'}")))) {
      assertThat(new Rights(List.of(), true, true).permits(wanted)).isTrue();
      assertThat(new Rights(List.of(), true, false).permits(wanted)).isFalse();
      assertThat(everything(true).permits(wanted)).isFalse();
    }
  }

  @Test
  void an_operation_on_everything_needs_admin_if_there_are_policies() {
    Operation whole = Operation.whole(Action.LIST, "a");
    assertThat(new Rights(List.of(), true, false).permits(whole)).isTrue();
    assertThat(everything(true).permits(whole)).isTrue();
    assertThat(everything(false).permits(whole)).isFalse();
  }

  private static Rights everything(boolean admin) {
    AuthOptions.Policy all =
        new AuthOptions.Policy(List.of(), List.of(), List.of(), Set.of(), AuthOptions.Effect.ALLOW);
    return new Rights(List.of(all), false, admin);
  }
}
