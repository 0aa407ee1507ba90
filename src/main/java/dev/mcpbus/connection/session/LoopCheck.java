package dev.mcpbus.connection.session;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.Via;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Looks whether what a server answers came through this very mcpbus: its lists would become part of
 * themselves, and grow without end. Confined to its session.
 */
final class LoopCheck {

  private final String own;
  private final Map<String, NavigableSet<String>> byMethod = new HashMap<>();

  /**
   * @param own the name of this mcpbus
   */
  LoopCheck(String own) {
    this.own = own;
  }

  /** What is wrong with a result of that method, null where it is as it should be. */
  @Nullable McpFailure check(String method, RawJson result) {
    if (!Via.marks(method)) {
      return null;
    }
    NavigableSet<String> ids = Via.in(result);
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

  /** Every mcpbus behind the server. */
  NavigableSet<String> behind() {
    NavigableSet<String> all = new TreeSet<>();
    byMethod.values().forEach(all::addAll);
    return all;
  }
}
