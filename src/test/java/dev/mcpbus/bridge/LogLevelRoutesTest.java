package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bridge.BridgeFixture.Answer;
import dev.mcpbus.observability.logging.LogLevels;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /api/log-level}: an administrator changes levels, for good or for a time. */
@ExtendWith(VertxExtension.class)
class LogLevelRoutesTest {

  private static final String PATH = "/api/log-level";
  private static final String NAME = "dev.mcpbus.levels.Route";

  private static Answer put(BridgeFixture bridge, String body) {
    return bridge.send(HttpMethod.PUT, PATH, body, bridge.asAdmin());
  }

  private static @Nullable String level() {
    return Objects.requireNonNull(LogLevels.find()).all().get(NAME);
  }

  private static String change(String more) {
    return "{\"logger\":\"" + NAME + "\"," + more + "}";
  }

  @Test
  void a_level_is_set_shown_and_taken_away(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    Answer set = put(bridge, change("\"level\":\"debug\""));
    assertThat(set.status()).as(set.body()).isEqualTo(200);
    assertThat(new JsonObject(set.body()).getJsonObject("levels").getString(NAME))
        .isEqualTo("DEBUG");
    Answer shown = bridge.send(HttpMethod.GET, PATH, "", bridge.asAdmin());
    assertThat(shown.body()).contains("\"" + NAME + "\":\"DEBUG\"", "\"ROOT\":");
    assertThat(put(bridge, change("\"level\":null")).status()).isEqualTo(200);
    assertThat(level()).isNull();
  }

  @Test
  void after_its_time_the_level_before_the_first_change_is_back(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    put(bridge, change("\"level\":\"WARN\""));
    put(bridge, change("\"level\":\"TRACE\",\"seconds\":3600"));
    put(bridge, change("\"level\":\"DEBUG\",\"seconds\":1"));
    assertThat(level()).isEqualTo("DEBUG");
    await().until(() -> "WARN".equals(level()));
    put(bridge, change("\"level\":null"));
  }

  @Test
  void a_caller_without_the_admin_right_is_refused(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    MultiMap none = MultiMap.caseInsensitiveMultiMap();
    assertThat(bridge.send(HttpMethod.GET, PATH, "", none).status()).isIn(401, 403);
    assertThat(bridge.send(HttpMethod.PUT, PATH, change("\"level\":\"TRACE\""), none).status())
        .isIn(401, 403);
    assertThat(level()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{}|the body must be",
        "{\"logger\":1,\"level\":\"INFO\"}|the body must be",
        "{\"logger\":\"a b\",\"level\":\"INFO\"}|no name of a logger",
        "{\"logger\":\"a\",\"level\":\"LOUD\"}|there are TRACE, DEBUG",
        "{\"level\":null}|the root logger needs a level",
        "{\"logger\":\"a\",\"level\":\"INFO\",\"seconds\":0}|must be 1 to 86400"
      })
  void a_wrong_change_says_what_to_write(String body, String text, Vertx vertx) {
    Answer refused = put(new BridgeFixture(vertx), body);
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body()).contains(text);
  }
}
