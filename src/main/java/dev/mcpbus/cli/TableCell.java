package dev.mcpbus.cli;

/**
 * A cell of a table with a colour, for a terminal that shows colours. Immutable.
 *
 * @param text of the cell
 * @param color in which it is shown
 */
public record TableCell(String text, CellColor color) {

  /** The colours that a table uses; each has a meaning. */
  public enum CellColor {
    NONE("0"),
    GOOD("32"),
    WARNING("33"),
    BAD("31");

    private final String code;

    CellColor(String code) {
      this.code = code;
    }

    /** The text between the sequences that switch the colour on and off. */
    String paint(String text) {
      return "\u001b[" + code + "m" + text + "\u001b[0m";
    }
  }

  /** Only the text: tables turn cells into text. */
  @Override
  public String toString() {
    return text;
  }
}
