package dev.mcpbus.directory;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallRepeats;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.protocol.RawJson;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Says which calls may reach a server twice: readings, and calls of the tools that the server
 * itself marks with {@code readOnlyHint} or {@code idempotentHint}, unless its definition says
 * {@code repeat: never}. The last list counts, also while the server is gone; a tool that is not
 * listed is not safe, and neither is anything of a private connection, which the directory does not
 * know: the state that its server kept for the client is lost with it. Any thread may call.
 */
final class SafeTools implements CallRepeats.RepeatRules {

  /** Servers whose tools are kept; a call that fails reads them. */
  private static final int MAX_KEPT = 1_000;

  private static final RawJson TRUE = RawJson.of("true");

  private record Kept(List<ServerList.Item> items, Set<String> safe) {}

  private final Directory directory;
  private final Map<String, Kept> kept = new ConcurrentHashMap<>();

  SafeTools(Directory directory) {
    this.directory = directory;
  }

  @Override
  public boolean mayRepeat(ConnectionId server, String suffix, @Nullable String tool) {
    DirectoryEntry entry = directory.snapshot().server(server.value());
    if (entry == null || !entry.repeats()) {
      return false;
    }
    if (!suffix.equals(Addresses.TOOLS_CALL)) {
      return true;
    }
    ServerList tools = entry.list(ListKind.TOOLS);
    return tools != null && tool != null && safe(server.value(), tools.items()).contains(tool);
  }

  @SuppressWarnings("ReferenceEquality") // one object until the server lists again
  private Set<String> safe(String server, List<ServerList.Item> items) {
    Kept last = kept.get(server);
    if (last != null && last.items() == items) {
      return last.safe();
    }
    Set<String> safe = read(items);
    if (kept.size() >= MAX_KEPT) {
      kept.clear();
    }
    kept.put(server, new Kept(items, safe));
    return safe;
  }

  /** A name that is listed twice is safe only if both definitions say so. */
  private static Set<String> read(List<ServerList.Item> items) {
    Map<String, Boolean> byName = new HashMap<>();
    for (ServerList.Item item : items) {
      byName.merge(item.key(), isSafe(item.entry()), Boolean::logicalAnd);
    }
    Set<String> safe = new HashSet<>();
    byName.forEach(
        (name, isSafe) -> {
          if (isSafe) {
            safe.add(name);
          }
        });
    return safe;
  }

  private static boolean isSafe(RawJson tool) {
    RawJson hints = tool.member("annotations");
    return hints != null
        && hints.isObject()
        && (TRUE.equals(hints.member("readOnlyHint"))
            || TRUE.equals(hints.member("idempotentHint")));
  }
}
