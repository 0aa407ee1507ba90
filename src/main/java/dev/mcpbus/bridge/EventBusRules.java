package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ServerAddress;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.directory.PolicyCheck;
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
 * What a peer of the event-bus bridge may reach: it asks what there is and uses servers. What
 * starts or stops one, the questions of servers and all inner addresses are not there for it.
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
          Addresses.ALL_TOOLS_FUNCTIONS,
          Addresses.ALL_TOOLS_FUNCTIONS_CALL,
          Addresses.ALL_TOOLS_FUNCTIONS_CANCEL);

  /** Of these alone it is said that there is a server, and nothing of what it has. */
  private static final Set<String> BARE = Set.of(Addresses.STATUS, Addresses.PING);

  /** Where a peer may listen for the progress of its own calls; nobody else knows the name. */
  private static final Pattern PROGRESS = Pattern.compile("mcp\\.progress\\.[A-Za-z0-9-]{16,64}");

  private EventBusRules() {}

  /**
   * What sending {@code body} to {@code address} is about; empty where no peer may. A list names
   * what there is and is not made smaller on this way: whoever has bounds needs the admin right.
   */
  static Optional<Operation> sending(String address, @Nullable Object body) {
    RawJson params = params(body);
    if (params == null) {
      return Optional.empty();
    }
    if (address.equals(Addresses.ALL_TOOLS_CALL)) {
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

  /** As they will be sent; null where they can be read in two ways. */
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
   * The tool of a call to all servers, {@code server.tool}, which then goes to that tool and no
   * other; empty for what is sent elsewhere.
   */
  static Optional<String> tool(String address, @Nullable Object body) {
    RawJson params = address.equals(Addresses.ALL_TOOLS_CALL) ? params(body) : null;
    return params == null
        ? Optional.empty()
        : PolicyCheck.tool(params).map(ToolName::toString);
  }

  /** What listening on {@code address} is about; empty where no peer may. */
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

  /** Whether facts are published there. */
  static boolean isEvents(String address) {
    return address.equals(Addresses.ALL_EVENTS)
        || ServerAddress.parse(address)
            .filter(of -> of.suffix().equals(Addresses.EVENTS))
            .isPresent();
  }

  /** What follows the server in an address of one. */
  static Optional<String> suffix(String address) {
    return ServerAddress.parse(address).map(ServerAddress::suffix);
  }

  /** The server that an address is of, empty where it is of none. */
  static String server(String address) {
    return ServerAddress.parse(address).map(of -> of.server().value()).orElse("");
  }

  /** Whether what is sent there names a call. */
  static boolean isCancel(String address) {
    return address.equals(Addresses.ALL_TOOLS_FUNCTIONS_CANCEL)
        || ServerAddress.parse(address)
            .filter(of -> of.suffix().equals(Addresses.CANCEL))
            .isPresent();
  }

  static boolean isProgress(String address) {
    return PROGRESS.matcher(address).matches();
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
