package dev.mcpbus.cli;

import dev.mcpbus.protocol.Printable;
import java.io.PrintStream;
import java.nio.charset.Charset;
import org.jspecify.annotations.Nullable;

/**
 * A stream for a person at a terminal: control characters in printed text do not reach the
 * terminal. Line breaks stay, so a caller passes text of other programs through {@link
 * Printable#line} first.
 */
public final class TerminalOutput extends PrintStream {

  public TerminalOutput(PrintStream to) {
    super(to, true, Charset.defaultCharset());
  }

  @Override
  public void print(@Nullable String text) {
    String[] lines = String.valueOf(text).split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      lines[i] = Printable.line(lines[i]);
    }
    super.print(String.join("\n", lines));
  }
}
