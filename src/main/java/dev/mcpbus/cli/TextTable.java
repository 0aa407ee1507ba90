package dev.mcpbus.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A table for people: columns as wide as their widest cell, two spaces between them, no lines.
 * Where it is wider than the terminal, the widest columns are cut. Not safe for several threads.
 */
public final class TextTable {

  private static final int GAP = 2;

  /** Below this width a column says nothing; the table then is wider than the terminal. */
  private static final int MIN_WIDTH = 6;

  private final List<String> headings;
  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(String... headings) {
    this.headings = List.of(headings);
  }

  /** Adds a row; text of peers is made printable here. An empty cell shows as {@code -}. */
  public TextTable row(Object... cells) {
    rows.add(
        Arrays.stream(cells)
            .map(cell -> cell == null ? "" : CellText.clean(String.valueOf(cell)))
            .map(cell -> cell.isEmpty() ? "-" : cell)
            .toList());
    return this;
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /**
   * The lines, the headings first.
   *
   * @param columns at most so wide, {@link Terminal#UNBOUNDED} for no bound
   * @param end of a cell that is cut
   */
  public List<String> lines(int columns, String end) {
    int[] widths = fitted(columns);
    List<String> lines = new ArrayList<>();
    lines.add(line(headings, widths, end));
    rows.forEach(row -> lines.add(line(row, widths, end)));
    return lines;
  }

  private int[] fitted(int columns) {
    int[] widths = new int[headings.size()];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = headings.get(i).length();
      for (List<String> row : rows) {
        widths[i] = Math.max(widths[i], CellText.width(row.get(i)));
      }
    }
    long excess =
        Arrays.stream(widths).asLongStream().sum() + (long) GAP * (widths.length - 1) - columns;
    for (; excess > 0; excess--) {
      int widest = 0;
      for (int i = 1; i < widths.length; i++) {
        widest = widths[i] >= widths[widest] ? i : widest;
      }
      if (widths[widest] <= MIN_WIDTH) {
        break;
      }
      widths[widest]--;
    }
    return widths;
  }

  private static String line(List<String> cells, int[] widths, String end) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      String cell = CellText.cut(cells.get(i), widths[i], end);
      line.append(cell).append(" ".repeat(widths[i] - CellText.width(cell) + GAP));
    }
    return line.toString().stripTrailing();
  }
}
