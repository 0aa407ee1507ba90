package dev.mcpbus.observability.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggerContextListener;

/**
 * Holds the logger of the audit log at {@code INFO}, at which it writes each line: no request, no
 * variable and no configuration file of Logback changes what it writes, and no level of a parent
 * does. Thread-safe, as Logback's loggers are.
 */
final class AuditLevel implements LoggerContextListener {

  /** The logger of {@code security.Audit}. */
  private static final String LOGGER = "dev.mcpbus.audit";

  private AuditLevel() {}

  /** Holds the level of the logger of this context from now on. */
  static synchronized void hold(LoggerContext context) {
    if (context.getCopyOfListenerList().stream().noneMatch(AuditLevel.class::isInstance)) {
      context.addListener(new AuditLevel());
    }
    context.getLogger(LOGGER).setLevel(Level.INFO);
  }

  static boolean isHeld(Logger logger) {
    return logger.getName().equals(LOGGER);
  }

  @Override
  public void onLevelChange(Logger logger, Level level) {
    if (isHeld(logger) && !Level.INFO.equals(level)) {
      logger.setLevel(Level.INFO);
    }
  }

  @Override
  public void onReset(LoggerContext context) {
    context.getLogger(LOGGER).setLevel(Level.INFO);
  }

  /** A configuration file that is read again removes other listeners. */
  @Override
  public boolean isResetResistant() {
    return true;
  }

  @Override
  public void onStart(LoggerContext context) {}

  @Override
  public void onStop(LoggerContext context) {}
}
