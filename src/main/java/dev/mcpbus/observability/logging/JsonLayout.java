package dev.mcpbus.observability.logging;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.LayoutBase;
import dev.mcpbus.bus.LoggedConnection;
import io.vertx.core.json.JsonObject;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.slf4j.event.KeyValuePair;

/**
 * Lines for programs: one JSON object on one line for each event, with {@code time} (ISO-8601 with
 * its offset), {@code level}, {@code server} where the event is about one, {@code logger}, {@code
 * thread}, {@code message}, {@code error} (a stack trace) and the keys of the event. Runs on the
 * thread that logs.
 */
public final class JsonLayout extends LayoutBase<ILoggingEvent> {

  private final DateTimeFormatter times =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX").withZone(ZoneId.systemDefault());
  private final ThrowableProxyConverter errors = new ThrowableProxyConverter();

  @Override
  public void start() {
    errors.start();
    super.start();
  }

  @Override
  public String doLayout(ILoggingEvent event) {
    JsonObject line =
        new JsonObject()
            .put("time", times.format(event.getInstant()))
            .put("level", event.getLevel().toString());
    String server = LoggedServer.of(event);
    if (server != null) {
      line.put(LoggedConnection.KEY, server);
    }
    line.put("logger", event.getLoggerName())
        .put("thread", event.getThreadName())
        .put("message", event.getFormattedMessage());
    if (event.getThrowableProxy() != null) {
      line.put("error", errors.convert(event).stripTrailing());
    }
    List<KeyValuePair> pairs = event.getKeyValuePairs();
    if (pairs != null) {
      for (KeyValuePair pair : pairs) {
        if (!line.containsKey(pair.key)) {
          line.put(pair.key, String.valueOf(pair.value));
        }
      }
    }
    return line.encode() + "\n";
  }
}
