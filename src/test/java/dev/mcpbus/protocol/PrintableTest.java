package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTest {

  @Test
  void what_a_person_can_see_stays_as_it_is() {
    String text = "Grüße, 日本語, עברית, \uD83D\uDE80 and \\u0041 {\"a\": 1}";
    assertThat(Printable.line(text)).isEqualTo(text);
    assertThat(Printable.lines(text)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0x00, 0x07, 0x08, 0x1B, 0x7F, 0x85, 0x9B, 0xAD, 0x61C, 0x200B, 0x200E, 0x200F, 0x2028,
        0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2060, 0x2066, 0x2067, 0x2068, 0x2069,
        0xFEFF, 0xFE0F, 0x115F, 0x3164, 0x2800, 0xE000, 0xE0041, 0xE0100, 0xD800
      })
  void what_steers_a_terminal_or_hides_is_an_escape(int point) {
    String text = "a" + Character.toString(point) + "b";
    for (String shown : new String[] {Printable.line(text), Printable.lines(text)}) {
      assertThat(shown).startsWith("a\\u").endsWith("b").matches("[\\x20-\\x7e]+");
    }
  }

  @Test
  void a_line_has_no_break() {
    assertThat(Printable.line("a\r\nb\tc")).isEqualTo("a\\r\\nb\\u0009c");
  }

  @Test
  void several_lines_become_one() {
    assertThat(Printable.joined(" a b \r\n\n  c\td\re \n", " | ")).isEqualTo("a b | c\td | e");
    assertThat(Printable.joined(" ".repeat(1_000_000) + "\n", " | ")).isEmpty();
  }

  @Test
  void a_line_that_follows_cannot_pose_as_a_first_one() {
    assertThat(Printable.lines("a\n2026 INFO b\r\n\tat c\n"))
        .isEqualTo("a\n    2026 INFO b\n    \tat c\n");
    assertThat(Printable.lines("a\rb")).isEqualTo("a\\rb");
  }
}
