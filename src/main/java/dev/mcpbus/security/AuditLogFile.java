package dev.mcpbus.security;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import dev.mcpbus.security.AuthOptions.AuditFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Sends the audit log to a file of its own, which logback rotates. Used by the standalone service
 * at its start.
 */
public final class AuditLogFile {

  /** The bound of logback's window. */
  private static final int MAX_KEPT = 20;

  private AuditLogFile() {}

  /** Writes audit lines to {@code file}; does nothing if it is null or if logback is not in use. */
  public static void open(@Nullable AuditFile file) {
    if (file == null || !(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
      return;
    }
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%msg%n");
    encoder.start();
    RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
    appender.setContext(context);
    appender.setName("audit");
    appender.setFile(file.path());
    appender.setEncoder(encoder);
    FixedWindowRollingPolicy window = new FixedWindowRollingPolicy();
    window.setContext(context);
    window.setParent(appender);
    window.setFileNamePattern(file.path() + ".%i");
    window.setMinIndex(1);
    window.setMaxIndex(Math.min(file.keep(), MAX_KEPT));
    window.start();
    SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
    size.setContext(context);
    size.setMaxFileSize(new FileSize(file.maxBytes()));
    size.start();
    appender.setRollingPolicy(window);
    appender.setTriggeringPolicy(size);
    appender.start();
    Logger logger = context.getLogger(Audit.LOGGER);
    logger.addAppender(appender);
    logger.setAdditive(false);
  }
}
