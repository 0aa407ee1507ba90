package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest {

  private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

  private static @Nullable TraceContext parent(String text) {
    return TraceContext.of(text, null, null);
  }

  @Test
  void a_valid_parent_state_and_baggage_are_kept() {
    TraceContext all = TraceContext.of(PARENT, "rojo=00f0,congo=t61", "userId=alice,b=DF%2028");
    assertThat(all)
        .isEqualTo(new TraceContext(PARENT, "rojo=00f0,congo=t61", "userId=alice,b=DF%2028"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00-aa-bb-01",
        "00-0AF7651916CD43DD8448EB211C80319C-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "ff-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
        "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-more",
        "01-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01more",
        "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-0g",
        "00_0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"
      })
  void any_other_parent_is_dropped_with_its_state(String text) {
    assertThat(parent(text)).isNull();
    assertThat(TraceContext.of(text, "rojo=1", null)).isNull();
    assertThat(TraceContext.of(text, "rojo=1", "a=b"))
        .isEqualTo(new TraceContext(null, null, "a=b"));
  }

  @Test
  void a_parent_of_a_later_version_may_be_longer() {
    String later = "01-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-what-comes";
    assertThat(parent(later)).isEqualTo(new TraceContext(later, null, null));
  }

  @Test
  void what_is_too_long_or_not_printable_is_dropped() {
    assertThat(TraceContext.of(PARENT, "a=" + "x".repeat(511), "b=" + "x".repeat(8_191)))
        .isEqualTo(new TraceContext(PARENT, null, null));
    assertThat(TraceContext.of(PARENT, "a=\u00e9", "b=\r\nx: y"))
        .isEqualTo(new TraceContext(PARENT, null, null));
    assertThat(TraceContext.of(null, null, " ")).isNull();
  }

  @Test
  void it_takes_the_place_of_the_one_in_meta_and_no_member_stands_twice() {
    RawJson meta =
        RawJson.of(
            "{\"traceparent\":\"x\",\"own\":1,\"tracestate\":\"old=1\",\"baggage\":\"kept=1\"}");
    RawJson changed = new TraceContext(PARENT, null, null).into(meta);
    assertThat(changed.toString())
        .isEqualTo("{\"traceparent\":\"" + PARENT + "\",\"own\":1,\"baggage\":\"kept=1\"}");
    assertThat(changed.ambiguity()).isNull();
    RawJson full = new TraceContext(PARENT, "new=1", "b=2").into(meta);
    assertThat(TraceContext.ofMeta(full)).isEqualTo(new TraceContext(PARENT, "new=1", "b=2"));
    assertThat(full.ambiguity()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "[]", "null", "{\"traceparent\":1}", "{\"traceparent\":{\"a\":1}}"})
  void meta_without_a_trace_gives_none(String meta) {
    assertThat(TraceContext.ofMeta(RawJson.of(meta))).isNull();
  }
}
