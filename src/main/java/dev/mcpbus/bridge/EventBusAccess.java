package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.security.Action;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a peer of the event-bus bridge may reach: it asks what there is and uses servers. What
 * starts or stops one, the questions of servers and all inner addresses are not there for it.
 */
final class EventBusAccess {

  private static final Map<String, Action> OF_ONE =
      Map.ofEntries(
          Map.entry(Addresses.TOOLS_LIST, Action.READ),
          Map.entry(Addresses.TOOLS_METADATA, Action.READ),
          Map.entry(Addresses.TOOLS_DRIFT, Action.READ),
          Map.entry(Addresses.RESOURCES_LIST, Action.READ),
          Map.entry(Addresses.RESOURCES_TEMPLATES, Action.READ),
          Map.entry(Addresses.PROMPTS_LIST, Action.READ),
          Map.entry(Addresses.STATUS, Action.READ),
          Map.entry(Addresses.TOOLS_CALL, Action.CALL),
          Map.entry(Addresses.RESOURCES_READ, Action.CALL),
          Map.entry(Addresses.RESOURCES_SUBSCRIBE, Action.CALL),
          Map.entry(Addresses.RESOURCES_UNSUBSCRIBE, Action.CALL),
          Map.entry(Addresses.PROMPTS_GET, Action.CALL),
          Map.entry(Addresses.COMPLETION, Action.CALL),
          Map.entry(Addresses.PING, Action.CALL),
          Map.entry(Addresses.TASKS_GET, Action.CALL),
          Map.entry(Addresses.TASKS_RESULT, Action.CALL),
          Map.entry(Addresses.TASKS_UPDATE, Action.CALL),
          Map.entry(Addresses.TASKS_CANCEL, Action.CALL),
          Map.entry(Addresses.TASKS_LIST, Action.CALL),
          Map.entry(Addresses.CANCEL, Action.CALL));

  private static final Map<String, Action> OF_ALL =
      Map.of(
          Addresses.SERVERS_LIST, Action.READ,
          Addresses.SERVERS_GET, Action.READ,
          Addresses.ALL_TOOLS_LIST, Action.READ,
          Addresses.ALL_RESOURCES_LIST, Action.READ,
          Addresses.ALL_PROMPTS_LIST, Action.READ,
          Addresses.ALL_TOOLS_FUNCTIONS, Action.READ,
          Addresses.ALL_TOOLS_CALL, Action.CALL,
          Addresses.ALL_TOOLS_FUNCTIONS_CALL, Action.CALL,
          Addresses.ALL_TOOLS_FUNCTIONS_CANCEL, Action.CALL);

  /** Where a peer may listen for the progress of its own calls; nobody else knows the name. */
  private static final Pattern PROGRESS = Pattern.compile("mcp\\.progress\\.[A-Za-z0-9-]{16,64}");

  /** Of {@code mcp.<id>.<suffix>}. */
  private record Parts(String id, String suffix) {}

  private EventBusAccess() {}

  /** What sending to {@code address} does; empty where a peer may not. */
  static Optional<Action> sending(String address) {
    Action all = OF_ALL.get(address);
    return all != null ? Optional.of(all) : parts(address).map(parts -> OF_ONE.get(parts.suffix()));
  }

  /** What listening on {@code address} does; empty where a peer may not. */
  static Optional<Action> listening(String address) {
    boolean events =
        address.equals(Addresses.ALL_EVENTS)
            || parts(address).filter(parts -> parts.suffix().equals(Addresses.EVENTS)).isPresent();
    return events || isProgress(address) ? Optional.of(Action.READ) : Optional.empty();
  }

  static boolean isProgress(String address) {
    return PROGRESS.matcher(address).matches();
  }

  private static Optional<Parts> parts(String address) {
    int cut = address.indexOf('.', 4);
    if (!address.startsWith("mcp.") || cut < 0) {
      return Optional.empty();
    }
    Parts parts = new Parts(address.substring(4, cut), address.substring(cut + 1));
    return ConnectionId.parse(parts.id()).map(id -> parts);
  }

  /** Headers that a peer may put on a call. */
  static final Set<String> HEADERS =
      Set.of(
          Headers.DEADLINE,
          Headers.PROGRESS,
          Headers.CALL_ID,
          Headers.CACHE,
          Headers.VALIDATE,
          Headers.TASK,
          Headers.TRACEPARENT);
}
