package dev.mcpbus.connection.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SessionPreferencesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"{\"url\":null}|false", "{}|false", "{\"form\":null,\"url\":{}}|true"})
  void what_is_null_is_not_offered(String elicitation, boolean offered) {
    SessionPreferences preferences =
        new SessionPreferences(RawJson.of("{\"elicitation\":" + elicitation + "}"));
    JsonObject url = new JsonObject().put("mode", "url");
    assertThat(preferences.isConfigured(Methods.ELICITATION, url)).isEqualTo(offered);
    assertThat(preferences.isConfigured(Methods.ELICITATION, new JsonObject())).isTrue();
  }
}
