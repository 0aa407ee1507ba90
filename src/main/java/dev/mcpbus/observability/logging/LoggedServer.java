package dev.mcpbus.observability.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.mcpbus.bus.LoggedConnection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;

/** Which server a log event is about. Runs on the thread that logs. */
final class LoggedServer {

  private LoggedServer() {}

  /**
   * The event's own key {@code server}, else the connection on whose context it was logged; null if
   * there is neither.
   */
  static @Nullable String of(ILoggingEvent event) {
    List<KeyValuePair> pairs = event.getKeyValuePairs();
    if (pairs != null) {
      for (KeyValuePair pair : pairs) {
        if (pair.key.equals(LoggedConnection.KEY)) {
          return String.valueOf(pair.value);
        }
      }
    }
    return LoggedConnection.current();
  }
}
