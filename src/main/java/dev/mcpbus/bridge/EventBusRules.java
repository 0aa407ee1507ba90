package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ServerAddress;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.policy.PolicyCheck;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Operation;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that a peer of the event-bus endpoint may use: it lists and uses servers. Addresses
 * that start or stop servers, that carry the questions of servers, and all inner addresses do not
 * exist for it. Stateless.
 */
final class EventBusRules {

  private static final Set<String> OF_ONE =
      Set.of(
          Addresses.TOOLS_LIST,
          Addresses.TOOLS_METADATA,
          Addresses.TOOLS_DRIFT,
          Addresses.RESOURCES_LIST,
          Addresses.RESOURCES_TEMPLATES,
          Addresses.PROMPTS_LIST,
          Addresses.STATUS,
          Addresses.TOOLS_CALL,
          Addresses.RESOURCES_READ,
          Addresses.RESOURCES_DIRECTORY,
          Addresses.SKILLS_LIST,
          Addresses.SKILLS_GET,
          Addresses.SKILLS_READ,
          Addresses.RESOURCES_SUBSCRIBE,
          Addresses.RESOURCES_UNSUBSCRIBE,
          Addresses.PROMPTS_GET,
          Addresses.COMPLETION,
          Addresses.PING,
          Addresses.TASKS_GET,
          Addresses.TASKS_RESULT,
          Addresses.TASKS_UPDATE,
          Addresses.TASKS_CANCEL,
          Addresses.TASKS_LIST,
          Addresses.CANCEL);

  private static final Set<String> OF_ALL =
      Set.of(
          Addresses.SERVERS_LIST,
          Addresses.SERVERS_GET,
          Addresses.ALL_TOOLS_LIST,
          Addresses.ALL_RESOURCES_LIST,
          Addresses.ALL_PROMPTS_LIST,
          Addresses.ALL_SKILLS_LIST,
          Addresses.ALL_TOOLS_FUNCTIONS,
          Addresses.ALL_TOOLS_FUNCTIONS_CALL,
          Addresses.ALL_TOOLS_FUNCTIONS_CANCEL);

  /** Their replies show that a server exists, and nothing that it lists. */
  private static final Set<String> BARE = Set.of(Addresses.STATUS, Addresses.PING);

  /** Where a peer may listen to the progress of its own calls; the name is a secret of the peer. */
  private static final Pattern PROGRESS = Pattern.compile("mcp\\.progress\\.[A-Za-z0-9-]{16,64}");

  private EventBusRules() {}

  /**
   * The operation of sending {@code body} to {@code address}; empty if no peer may send there.
   * Lists are not filtered on this way, so a caller with policies requires the admin right for
   * them.
   */
  static Optional<Operation> sending(String address, @Nullable Object body) {
    RawJson params = params(body);
    if (params == null) {
      return Optional.empty();
    }
    if (address.equals(Addresses.ALL_TOOLS_CALL) || address.equals(Addresses.ALL_SKILLS_READ)) {
      return Optional.of(PolicyCheck.toAll(address, params));
    }
    if (OF_ALL.contains(address)) {
      return Optional.of(Operation.whole(Action.LIST, ""));
    }
    return ServerAddress.parse(address)
        .filter(of -> OF_ONE.contains(of.suffix()))
        .map(
            of -> {
              Operation wanted = PolicyCheck.toServer(of.server().value(), of.suffix(), params);
              boolean lists = wanted.action() == Action.LIST && !BARE.contains(of.suffix());
              return lists ? Operation.whole(Action.LIST, of.server().value()) : wanted;
            });
  }

  /** The params in the form in which they are sent; null if they can be read in two ways. */
  private static @Nullable RawJson params(@Nullable Object body) {
    if (!(body instanceof JsonObject object)) {
      return RawJson.EMPTY_OBJECT;
    }
    try {
      return RawJson.checkedParams(object.toBuffer(), ParseLimits.DEFAULT);
    } catch (ProtocolException e) {
      return null;
    }
  }

  /**
   * The tool of a call to all servers, {@code server.tool}, for the header that fixes it; empty for
   * other addresses.
   */
  static Optional<String> tool(String address, @Nullable Object body) {
    RawJson params = address.equals(Addresses.ALL_TOOLS_CALL) ? params(body) : null;
    return params == null ? Optional.empty() : PolicyCheck.tool(params).map(ToolName::toString);
  }

  /** The operation of listening on {@code address}; empty if no peer may listen there. */
  static Optional<Operation> listening(String address) {
    if (address.equals(Addresses.ALL_EVENTS)) {
      return Optional.of(Operation.whole(Action.LIST, ""));
    }
    if (isProgress(address)) {
      return Optional.of(Operation.NOTHING);
    }
    return ServerAddress.parse(address)
        .filter(of -> of.suffix().equals(Addresses.EVENTS))
        .map(of -> Operation.of(Action.LIST, of.server().value(), ""));
  }

  /** Whether events are published on an address. */
  static boolean isEvents(String address) {
    return address.equals(Addresses.ALL_EVENTS)
        || ServerAddress.parse(address)
            .filter(of -> of.suffix().equals(Addresses.EVENTS))
            .isPresent();
  }

  /** The part after the server in the address of one server. */
  static Optional<String> suffix(String address) {
    return ServerAddress.parse(address).map(ServerAddress::suffix);
  }

  /** The server in the address of one server; empty for other addresses. */
  static String server(String address) {
    return ServerAddress.parse(address).map(of -> of.server().value()).orElse("");
  }

  /** Whether a message to an address cancels a call. */
  static boolean isCancel(String address) {
    return address.equals(Addresses.ALL_TOOLS_FUNCTIONS_CANCEL)
        || ServerAddress.parse(address)
            .filter(of -> of.suffix().equals(Addresses.CANCEL))
            .isPresent();
  }

  static boolean isProgress(String address) {
    return PROGRESS.matcher(address).matches();
  }

  /** Headers that a peer may set on a call. */
  static final Set<String> HEADERS =
      Set.of(
          Headers.DEADLINE,
          Headers.PROGRESS,
          Headers.CALL_ID,
          Headers.CACHE,
          Headers.VALIDATE,
          Headers.TASK,
          Headers.TRACEPARENT,
          Headers.TRACESTATE,
          Headers.BAGGAGE);
}
