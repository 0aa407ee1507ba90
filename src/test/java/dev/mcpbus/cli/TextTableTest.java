package dev.mcpbus.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextTableTest {

  private static final TextTable TABLE =
      new TextTable("ID", "LAST ERROR")
          .row("git", "")
          .row("docs", "CONNECT_FAILED: the server at docs.example cannot be reached");

  private static Terminal wide(int columns, boolean unicode) {
    return new Terminal(true, true, columns, false, unicode, true);
  }

  @Test
  void in_a_pipe_no_cell_is_cut() {
    assertThat(TABLE.lines(Terminal.NONE))
        .containsExactly(
            "ID    LAST ERROR",
            "git   -",
            "docs  CONNECT_FAILED: the server at docs.example cannot be reached");
  }

  @Test
  void on_a_terminal_the_widest_column_is_cut_to_the_width() {
    assertThat(TABLE.lines(wide(40, true)))
        .allMatch(line -> line.length() <= 40)
        .contains("docs  CONNECT_FAILED: the server at doc…");
    assertThat(TABLE.lines(wide(40, false))).contains("docs  CONNECT_FAILED: the server at do..");
  }

  @Test
  void the_name_in_the_first_column_is_cut_last() {
    TextTable table = new TextTable("TOOL", "TEXT").row("a".repeat(40), "b".repeat(60));
    assertThat(table.lines(wide(80, true)))
        .containsExactly(
            "TOOL" + " ".repeat(38) + "TEXT", "a".repeat(40) + "  " + "b".repeat(37) + "…");
    assertThat(table.lines(wide(50, true)).get(1)).hasSize(50).startsWith("a".repeat(31) + "…");
  }

  @Test
  void wide_letters_take_two_columns_and_marks_none() {
    assertThat(CellText.width("日本")).isEqualTo(4);
    assertThat(CellText.width("e\u0301")).isEqualTo(1);
    assertThat(CellText.cut("日本語", 5, "…")).isEqualTo("日本…");
    assertThat(new TextTable("A", "B").row("日本", "x").lines(wide(80, true)))
        .containsExactly("A     B", "日本  x");
  }

  @Test
  void text_of_a_server_cannot_control_the_terminal() {
    assertThat(new TextTable("A").row("a\u001b[31m\nb\u202e").lines(wide(80, true)))
        .containsExactly("A", "a\\u001b[31m b\\u202e");
  }

  @Test
  void a_colour_changes_no_width_and_is_there_on_a_terminal_with_colours_alone() {
    TextTable table = new TextTable("A", "B").row(new TableCell("x", TableCell.CellColor.BAD), "y");
    assertThat(table.lines(new Terminal(true, true, 80, true, true, true)))
        .containsExactly("A  B", "\u001b[31mx\u001b[0m  y");
    assertThat(table.lines(Terminal.NONE)).containsExactly("A  B", "x  y");
  }
}
