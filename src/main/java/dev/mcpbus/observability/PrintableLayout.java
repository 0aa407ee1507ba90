package dev.mcpbus.observability;

import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.mcpbus.protocol.Printable;

/**
 * A pattern of logback whose whole outcome, stack traces included, is {@link Printable}: whatever a
 * server says of itself reaches neither the terminal nor the start of a line. Named by {@code
 * logback.xml}.
 */
public final class PrintableLayout extends PatternLayout {

  @Override
  public String doLayout(ILoggingEvent event) {
    return Printable.lines(super.doLayout(event));
  }
}
