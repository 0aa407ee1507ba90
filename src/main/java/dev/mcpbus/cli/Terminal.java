package dev.mcpbus.cli;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What is at the other end of stdin, stdout and stderr. Immutable.
 *
 * @param out whether a person sees stdout at once
 * @param err whether a person sees stderr at once
 * @param columns the width of tables; {@link #UNBOUNDED} where stdout is a file or a pipe
 * @param colors whether tables may have colours
 * @param unicode whether stdout can show more than ASCII
 * @param in whether a person writes to stdin
 */
public record Terminal(
    boolean out, boolean err, int columns, boolean colors, boolean unicode, boolean in) {

  /** The width of a file or a pipe: no cell is cut. */
  public static final int UNBOUNDED = Integer.MAX_VALUE;

  /** Neither a terminal nor colours, as in a pipe. */
  public static final Terminal NONE = new Terminal(false, false, UNBOUNDED, false, true, false);

  private static final int MIN_COLUMNS = 40;
  private static final int USUAL_COLUMNS = 80;

  /** The end of a cell that is cut. */
  String ellipsis() {
    return unicode ? "\u2026" : "..";
  }

  /** The terminal of this process. Blocks for some milliseconds. */
  public static Terminal ofProcess(Map<String, String> variables) {
    boolean out = isTerminal(1);
    boolean colors =
        out
            && variables.getOrDefault("NO_COLOR", "").isEmpty()
            && !"dumb".equals(variables.get("TERM"));
    boolean unicode = Charset.defaultCharset().name().startsWith("UTF");
    return new Terminal(
        out, isTerminal(2), columns(out, variables), colors, unicode, isTerminal(0));
  }

  /** By what the descriptor leads to: {@code System.console()} wants stdin to be one as well. */
  @SuppressWarnings(
      "SystemConsoleNull") // without /proc; from Java 22 on it errs towards a terminal
  private static boolean isTerminal(int descriptor) {
    Path link = Path.of("/proc/self/fd/" + descriptor);
    try {
      return Files.readSymbolicLink(link).toString().matches("/dev/(pts/|tty|console).*");
    } catch (IOException | UnsupportedOperationException noProc) {
      return System.console() != null;
    }
  }

  private static int columns(boolean out, Map<String, String> variables) {
    String given = variables.getOrDefault("COLUMNS", "");
    if (given.matches("[0-9]{1,4}")) {
      return Math.max(MIN_COLUMNS, Integer.parseInt(given));
    }
    return out ? Math.max(MIN_COLUMNS, askedColumns()) : UNBOUNDED;
  }

  /** {@code stty size} prints rows and columns of the terminal on its stdin. */
  private static int askedColumns() {
    try {
      Process stty =
          new ProcessBuilder("stty", "size")
              .redirectInput(Path.of("/dev/tty").toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String size = new String(stty.getInputStream().readNBytes(64), Charset.defaultCharset());
      if (stty.waitFor(1, TimeUnit.SECONDS) && size.matches("\\d+ [1-9]\\d{0,3}\\s*")) {
        return Integer.parseInt(size.substring(size.indexOf(' ')).strip());
      }
    } catch (IOException e) {
      // No such program, or no such device: the usual width.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return USUAL_COLUMNS;
  }
}
