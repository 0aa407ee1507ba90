package dev.mcpbus.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryCheckTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<YOUR_KEY>",
        "<your token here>",
        "YOUR_API_KEY",
        "your-api-key-here",
        "my-secret token",
        "Bearer YOUR_TOKEN",
        "Bearer <token>",
        "insert key here",
        "changeme",
        "xxxxxxxx",
        "***",
        "...",
        "sk-xxxxxxxx",
        "ghp_xxxx",
        "sk-..."
      })
  void a_value_of_an_example_is_a_placeholder(String value) {
    assertThat(EntryCheck.placeholder(env(value)))
        .isNotNull()
        .matches(found -> found.text().contains("\"KEY\" in \"env\""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"${API_KEY}", "sk-4f9aT0qv", "mydatabase", "yourself", "x", "production", "<"})
  void other_values_are_none(String value) {
    assertThat(EntryCheck.placeholder(env(value))).isNull();
  }

  @Test
  void headers_and_arguments_are_looked_at_too() {
    assertThat(
            EntryCheck.placeholder(
                new JsonObject().put("headers", new JsonObject().put("X-Key", "<KEY>"))))
        .isNotNull();
    assertThat(
            EntryCheck.placeholder(
                new JsonObject().put("args", new JsonArray().add("--key=YOUR_KEY_HERE"))))
        .isNotNull();
    assertThat(EntryCheck.placeholder(new JsonObject().put("args", "no array"))).isNull();
  }

  private static JsonObject env(String value) {
    return new JsonObject().put("env", new JsonObject().put("KEY", value));
  }
}
