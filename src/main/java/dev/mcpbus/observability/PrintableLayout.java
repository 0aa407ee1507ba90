package dev.mcpbus.observability;

import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.mcpbus.protocol.Printable;

/**
 * A logback pattern layout that passes its whole output, stack traces included, through {@link
 * Printable}: text from a server can neither control the terminal nor forge the start of a log
 * line. {@code logback.xml} names this class.
 */
public final class PrintableLayout extends PatternLayout {

  @Override
  public String doLayout(ILoggingEvent event) {
    return Printable.lines(super.doLayout(event));
  }
}
