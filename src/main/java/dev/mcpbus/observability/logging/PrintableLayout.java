package dev.mcpbus.observability.logging;

import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.mcpbus.protocol.Printable;

/**
 * Lines for people: time with its offset, level, thread, logger, the server if the message does not
 * name it, and the message in one line; a stack trace follows it. The whole output, stack traces
 * included, passes through {@link Printable}: text from a server can neither control the terminal
 * nor forge the start of a log line. Runs on the thread that logs.
 */
public final class PrintableLayout extends PatternLayout {

  static final String PATTERN =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level [%thread] %logger{24} %server%line%n";

  public PrintableLayout() {
    getInstanceConverterMap().put("server", UnnamedServer::new);
    getInstanceConverterMap().put("line", OneLine::new);
    setPattern(PATTERN);
  }

  @Override
  public String doLayout(ILoggingEvent event) {
    return Printable.lines(super.doLayout(event));
  }

  /** The conversion word {@code %server}: {@code "git: "}, or nothing. */
  private static final class UnnamedServer extends ClassicConverter {

    @Override
    public String convert(ILoggingEvent event) {
      String server = LoggedServer.of(event);
      return server == null || event.getFormattedMessage().contains(server) ? "" : server + ": ";
    }
  }

  /** The conversion word {@code %line}: the message, with {@code " | "} for its line breaks. */
  private static final class OneLine extends ClassicConverter {

    @Override
    public String convert(ILoggingEvent event) {
      String message = event.getFormattedMessage();
      return message.indexOf('\n') < 0 ? message : Printable.joined(message, " | ");
    }
  }
}
