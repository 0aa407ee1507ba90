package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.LoopMark;
import dev.mcpbus.protocol.RawJson;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Detects answers that came through this mcpbus itself: with such a server the lists would contain
 * themselves and grow without end. {@link Session} passes each result to it. Owner: the
 * connection's context.
 */
final class LoopCheck {

  private final String own;
  private final Map<String, NavigableSet<String>> byMethod = new HashMap<>();

  /**
   * @param own the instance id of this mcpbus
   */
  LoopCheck(String own) {
    this.own = own;
  }

  /** The failure for a result of {@code method} that came through this mcpbus, else null. */
  @Nullable McpFailure check(String method, RawJson result) {
    if (!LoopMark.marks(method)) {
      return null;
    }
    NavigableSet<String> ids = LoopMark.in(result);
    byMethod.put(method, ids);
    if (!ids.contains(own)) {
      return null;
    }
    String others =
        ids.size() == 1 ? "" : ", through " + (ids.size() - 1) + " other mcpbus behind it";
    return McpFailure.notSent(
        FailureCode.LOOP_DETECTED,
        "this server leads back to this mcpbus"
            + others
            + ": the answer to "
            + method
            + " names it, so its lists would hold themselves. Remove the server, or give it the"
            + " address of a view (/mcp/<view>) that leaves out what leads here, and restart it");
  }

  /** The instance ids of every mcpbus behind the server. */
  NavigableSet<String> behind() {
    NavigableSet<String> all = new TreeSet<>();
    byMethod.values().forEach(all::addAll);
    return all;
  }
}
