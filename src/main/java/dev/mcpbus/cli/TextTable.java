package dev.mcpbus.cli;

import static dev.mcpbus.cli.TableCell.CellColor.NONE;

import dev.mcpbus.cli.TableCell.CellColor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table for people: columns as wide as their widest cell, two spaces between them, no lines.
 * Where it is wider than the terminal, the widest columns are cut. Not safe for several threads.
 */
public final class TextTable {

  private static final int GAP = 2;

  /** The first column names the row, so it is cut only where the others have this width. */
  private static final int COMFORTABLE_WIDTH = 16;

  /** Below this width a column says nothing; the table then is wider than the terminal. */
  private static final int MIN_WIDTH = 6;

  private final List<String> headings;
  private final List<List<TableCell>> rows = new ArrayList<>();

  public TextTable(String... headings) {
    this.headings = List.of(headings);
  }

  /**
   * Adds a row of texts and {@link TableCell}s; text of peers is made printable here. An empty cell
   * shows as {@code -}.
   */
  public TextTable row(@Nullable Object... cells) {
    rows.add(Arrays.stream(cells).map(TextTable::cell).toList());
    return this;
  }

  private static TableCell cell(@Nullable Object given) {
    String text = given == null ? "" : CellText.clean(String.valueOf(given));
    return new TableCell(
        text.isEmpty() ? "-" : text, given instanceof TableCell cell ? cell.color() : NONE);
  }

  public boolean isEmpty() {
    return rows.isEmpty();
  }

  /**
   * The lines, the headings first.
   *
   * @param terminal whose width and colours count
   */
  public List<String> lines(Terminal terminal) {
    int[] widths = fitted(terminal.columns());
    List<TableCell> top = headings.stream().map(text -> new TableCell(text, NONE)).toList();
    return Stream.concat(Stream.of(top), rows.stream())
        .map(row -> line(row, widths, terminal))
        .toList();
  }

  private int[] fitted(int columns) {
    int[] widths = new int[headings.size()];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = headings.get(i).length();
      for (List<TableCell> row : rows) {
        widths[i] = Math.max(widths[i], CellText.width(row.get(i).text()));
      }
    }
    long excess =
        Arrays.stream(widths).asLongStream().sum() + (long) GAP * (widths.length - 1) - columns;
    excess = shrink(widths, 1, COMFORTABLE_WIDTH, excess);
    shrink(widths, 0, MIN_WIDTH, excess);
    return widths;
  }

  /** Takes a column from the widest again and again; returns what is still too much. */
  private static long shrink(int[] widths, int from, int least, long excess) {
    long left = excess;
    for (; left > 0; left--) {
      int widest = from;
      for (int i = from; i < widths.length; i++) {
        widest = widths[i] >= widths[widest] ? i : widest;
      }
      if (widest >= widths.length || widths[widest] <= least) {
        break;
      }
      widths[widest]--;
    }
    return left;
  }

  private static String line(List<TableCell> cells, int[] widths, Terminal terminal) {
    StringBuilder line = new StringBuilder();
    int pending = 0;
    for (int i = 0; i < cells.size(); i++) {
      String text = CellText.cut(cells.get(i).text(), widths[i], terminal.ellipsis());
      CellColor color = cells.get(i).color();
      line.append(" ".repeat(pending))
          .append(terminal.colors() && color != NONE ? color.paint(text) : text);
      pending = widths[i] - CellText.width(text) + GAP;
    }
    return line.toString();
  }
}
