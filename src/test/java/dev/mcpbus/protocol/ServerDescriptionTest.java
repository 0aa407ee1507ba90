package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ServerDescriptionTest {

  private static ServerDescription of(String members) {
    return ServerDescription.ofInitialize(
        RawJson.of("{\"protocolVersion\":\"2025-11-25\"," + members + "}"));
  }

  @Test
  void lists_show_the_first_part_of_long_texts_and_the_names_of_long_capabilities() {
    String text = "a".repeat(200_000);
    ServerDescription server =
        of(
            "\"instructions\":\"I\\u00e9"
                + text
                + "\",\"serverInfo\":{\"name\":\""
                + text
                + "\",\"version\":\"1\"},\"capabilities\":{\"tools\":{},\"x\":{\"y\":\""
                + text
                + "\"}}");

    assertThat(server.instructions()).isEqualTo("I\u00e9" + text);
    assertThat(server.capabilities().getJsonObject("x").getString("y")).isEqualTo(text);
    assertThat(ServerDescription.shown(server.instructions()))
        .hasSizeLessThan(5_000)
        .endsWith("... (200002 characters)");
    assertThat(server.shownInfo().name()).hasSizeLessThan(5_000);
    assertThat(server.shownInfo().version()).isEqualTo("1");
    assertThat(server.shownCapabilities().encode()).isEqualTo("{\"tools\":{},\"x\":{}}");
  }

  @Test
  void a_handshake_of_usual_length_is_shown_as_it_is() {
    ServerDescription server = of("\"capabilities\":{\"tools\":{\"listChanged\":true}}");
    assertThat(server.shownCapabilities()).isSameAs(server.capabilities());
    assertThat(ServerDescription.shown(server.instructions())).isNull();
    assertThat(server.serverInfo()).isEqualTo(new Implementation("", ""));
  }

  @Test
  void capabilities_that_would_become_too_many_objects_count_as_none() {
    ServerDescription server =
        of("\"capabilities\":{\"x\":[" + "{},".repeat(400_000) + "{}]},\"serverInfo\":[]");
    assertThat(server.capabilities()).isEmpty();
    assertThat(server.raw().member("capabilities")).isNotNull();
  }
}
