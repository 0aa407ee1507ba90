package dev.mcpbus.observability.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Layout;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The log of the runnable jar: to stderr, as text or as JSON lines. Logback finds this class by the
 * service file of the runnable jar, which is not in the library: there the program's own
 * configuration counts. With {@code -Dlogback.configurationFile} it leaves all to that file. In
 * code rather than in XML, because the XML took a tenth of the start. Runs once, on the thread that
 * logs first.
 *
 * <p>Variables: {@code MCPBUS_LOG} (the level, default {@code INFO}), {@code MCPBUS_LOG_CLUSTER}
 * (that of Hazelcast; without it errors alone, except those of {@link #SURVIVED}), {@code
 * MCPBUS_LOG_FORMAT} ({@code text} or {@code json}).
 */
public final class LogSetup extends ContextAwareBase implements Configurator {

  private static final String OWN_FILE = "logback.configurationFile";

  /** Loggers that would say what mcpbus says itself, or what is no news. */
  private static final Map<String, Level> QUIET =
      Map.of(
          "io.modelcontextprotocol", Level.WARN,
          "io.netty", Level.WARN,
          // It logs each connection that a lost node refuses; mcpbus logs which node is lost.
          "io.vertx.core.eventbus.impl.clustered", Level.ERROR,
          // It logs that a link of the bus was reset; mcpbus logs which node is lost.
          "io.vertx.core.net.impl.ConnectionBase", Level.OFF,
          // It logs that it could not remove the addresses of a lost node; no message goes there.
          "io.vertx.spi.cluster.hazelcast.HazelcastClusterManager", Level.OFF,
          // It logs each message that arrives while a node stops; its sender gets a failure.
          "io.vertx.core.eventbus.impl.MessageConsumerImpl", Level.ERROR,
          // It logs each socket that is cut while it opens; mcpbus logs all others.
          "io.vertx.ext.web.handler.sockjs.impl.EventBusBridgeImpl", Level.OFF);

  /**
   * Loggers of Hazelcast that report what a lost, cut off or suspended node leaves behind, as
   * errors with a stack trace: a second answer to an operation that was repeated, a merge that
   * waits for a migration. What fails for good reaches the caller of the operation, and mcpbus logs
   * that. With {@code MCPBUS_LOG_CLUSTER} they have the level of the others.
   */
  private static final List<String> SURVIVED =
      List.of(
          "com.hazelcast.internal.cluster.impl.operations",
          "com.hazelcast.internal.partition.operation",
          "com.hazelcast.map.impl.operation",
          "com.hazelcast.multimap.impl.operations",
          "com.hazelcast.spi.impl.operationservice");

  private final Map<String, String> variables;

  private final OutputStream out;

  /** For Logback. */
  public LogSetup() {
    this(System.getenv(), new FileOutputStream(FileDescriptor.err));
  }

  LogSetup(Map<String, String> variables, OutputStream out) {
    this.variables = variables;
    this.out = out;
  }

  @Override
  public ExecutionStatus configure(LoggerContext logging) {
    AuditLevel.hold(logging);
    if (System.getProperty(OWN_FILE) != null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    setContext(logging);
    QUIET.forEach((name, level) -> logging.getLogger(name).setLevel(level));
    logging.getLogger("com.hazelcast").setLevel(level("MCPBUS_LOG_CLUSTER", Level.ERROR));
    if (variables.get("MCPBUS_LOG_CLUSTER") == null) {
      SURVIVED.forEach(name -> logging.getLogger(name).setLevel(Level.OFF));
    }
    Logger root = logging.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(level("MCPBUS_LOG", Level.INFO));
    root.addAppender(appender(logging));
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  private Level level(String variable, Level standard) {
    return Level.toLevel(variables.get(variable), standard);
  }

  private QueuedAppender appender(LoggerContext logging) {
    Layout<ILoggingEvent> layout =
        isJson(variables.get("MCPBUS_LOG_FORMAT")) ? new JsonLayout() : new PrintableLayout();
    layout.setContext(logging);
    layout.start();
    LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
    encoder.setContext(logging);
    encoder.setCharset(StandardCharsets.UTF_8);
    encoder.setLayout(layout);
    encoder.start();
    QueuedAppender err = new QueuedAppender(out, encoder);
    err.setContext(logging);
    err.setName("err");
    err.start();
    Runtime.getRuntime().addShutdownHook(new Thread(err::end, "mcpbus-log-end"));
    return err;
  }

  private static boolean isJson(@Nullable String format) {
    return format != null && format.toLowerCase(Locale.ROOT).equals("json");
  }
}
