package dev.mcpbus.internals;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.MultiMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The header {@code Accept} by RFC 9110. */
class AcceptedTypesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // header | weight of application/json | weight of text/event-stream
        "application/json, text/event-stream | 1 | 1",
        "application/json | 1 | 0",
        "text/event-stream | 0 | 1",
        "*/* | 1 | 1",
        "* | 1 | 1",
        "application/* | 1 | 0",
        "text/* | 0 | 1",
        "Text/Event-Stream | 0 | 1",
        "text/event-stream;charset=utf-8 | 0 | 1",
        "application/json;q=0.9, text/event-stream;q=0.8 | 0.9 | 0.8",
        "application/json; Q=0.5 , text/event-stream | 0.5 | 1",
        "application/json;q=0, */* | 0 | 1",
        "*/*, text/event-stream;q=0.0 | 1 | 0",
        "*/*;q=0.1, application/*;q=0.2, application/json;q=0.3 | 0.3 | 0.1",
        "text/html, application/xhtml+xml, */*;q=0.8 | 0.8 | 0.8",
        "text/html | 0 | 0",
        "application/jsonp, xtext/event-stream | 0 | 0",
        "application/json;x=\"a,text/event-stream;q=0\" | 1 | 0",
        "application/json;q=high | 1 | 0",
        "application/json;q=NaN | 1 | 0",
        "'' | 1 | 1",
        "' , ;q=0 ,' | 1 | 1",
      })
  void the_most_specific_range_decides(String header, double json, double stream) {
    AcceptedTypes accepted = AcceptedTypes.of(header);
    assertThat(accepted.weight("application/json")).isEqualTo(json);
    assertThat(accepted.weight("text/event-stream")).isEqualTo(stream);
  }

  @Test
  void fields_of_one_name_are_one_list_and_none_takes_everything() {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    assertThat(AcceptedTypes.of(headers).accepts("text/event-stream")).isTrue();
    headers.add("Accept", "application/json").add("Accept", "text/event-stream");
    assertThat(AcceptedTypes.of(headers).accepts("text/event-stream")).isTrue();
    assertThat(AcceptedTypes.of(headers).accepts("text/html")).isFalse();
  }

  @Test
  void a_range_with_an_asterisk_names_nothing() {
    assertThat(AcceptedTypes.of("*/*").names("text/html")).isFalse();
    assertThat(AcceptedTypes.of("text/html;q=0.5, */*").names("text/html")).isTrue();
    assertThat(AcceptedTypes.of("text/html;q=0").names("text/html")).isFalse();
  }
}
