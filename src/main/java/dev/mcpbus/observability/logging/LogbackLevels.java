package dev.mcpbus.observability.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** {@link LogLevels} of Logback. Thread-safe, as Logback's loggers are. */
final class LogbackLevels implements LogLevels {

  private static final List<String> LEVELS =
      List.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_$.-]{1,200}");
  private static final int MAX_LOGGERS = 200;

  private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();

  LogbackLevels() {
    AuditLevel.hold(context);
  }

  @Override
  public SortedMap<String, String> all() {
    SortedMap<String, String> all = new TreeMap<>();
    for (Logger logger : context.getLoggerList()) {
      if (logger.getLevel() != null && !AuditLevel.isHeld(logger)) {
        all.put(logger.getName(), logger.getLevel().toString());
      }
    }
    return all;
  }

  @Override
  public @Nullable String set(String name, @Nullable String level) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "no name of a logger; give a package or class such as dev.mcpbus.supervisor, or ROOT");
    }
    String upper = level == null ? null : level.toUpperCase(Locale.ROOT);
    if (upper != null && !LEVELS.contains(upper)) {
      throw new IllegalArgumentException("no such level; there are " + String.join(", ", LEVELS));
    }
    if (upper == null && name.equals(ROOT)) {
      throw new IllegalArgumentException("the root logger needs a level");
    }
    if (context.exists(name) == null && (upper == null || all().size() >= MAX_LOGGERS)) {
      throw new IllegalArgumentException(
          upper == null
              ? "there is no such logger"
              : MAX_LOGGERS + " loggers have levels of their own; take some away first");
    }
    Logger logger = context.getLogger(name);
    if (AuditLevel.isHeld(logger)) {
      throw new IllegalArgumentException(
          "the audit log has no level; auth.audit of the configuration decides what it writes");
    }
    Level before = logger.getLevel();
    logger.setLevel(upper == null ? null : Level.toLevel(upper));
    return before == null ? null : before.toString();
  }
}
