package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.AggregateOperation;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ServerAddress;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.ServerOperation.Doors;
import dev.mcpbus.bus.ServerOperation.Subject;
import dev.mcpbus.bus.ServiceOperation;
import dev.mcpbus.bus.SocketRule;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.policy.PolicyCheck;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Operation;
import dev.mcpbus.security.OperationTable;
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
    SocketRule rule = ofAll(address);
    if (rule != null) {
      return switch (rule) {
        case CLOSED -> Optional.empty();
        case WHOLE -> Optional.of(Operation.whole(Action.LIST, ""));
        case AS_ASKED -> Optional.of(PolicyCheck.toAll(address, params));
      };
    }
    return ServerAddress.parse(address)
        .flatMap(of -> toServer(of.server().value(), ServerOperation.of(of.suffix()), params));
  }

  /** Null for an address of one server, and for one that has no row. */
  private static @Nullable SocketRule ofAll(String address) {
    AggregateOperation ofAll = AggregateOperation.of(address);
    ServiceOperation service = ServiceOperation.of(address);
    return ofAll != null ? ofAll.socket : service != null ? service.socket : null;
  }

  private static Optional<Operation> toServer(
      String server, @Nullable ServerOperation row, RawJson params) {
    if (row == null || !(row.doors == Doors.EVERY || row.doors == Doors.OPEN)) {
      return Optional.empty();
    }
    // Other readings show that a server exists, and nothing that it lists.
    boolean lists = row.subject == Subject.LIST && row.list != null;
    return Optional.of(
        lists
            ? Operation.whole(Action.LIST, server)
            : OperationTable.of(server, row.subject, params));
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
