package dev.mcpbus.security;

import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The one table of the MCP methods that a caller may send to a server: for each, the action of the
 * policies, and the member of the params that names the item. Every door derives the {@link
 * Operation} from the params that it is going to send, so what is decided on is what is sent. A
 * method without a row is denied if there are policies, and requires the admin right otherwise.
 * Stateless.
 *
 * <p>Params come from a request that was parsed strictly: no member stands twice.
 */
public final class OperationTable {

  /** Which member of the params names the item. */
  private enum About {
    /** None: the operation concerns the server itself. */
    SERVER,
    /** {@code name}: a tool or a prompt. */
    NAME,
    /** {@code uri}: a resource. */
    URI,
    /** {@code ref}: a prompt or a resource, depending on {@code ref.type}. */
    REF,
    /**
     * None: the method concerns what belongs to the caller, and the door handles it. It is never
     * sent to a server for the caller.
     */
    OWN
  }

  private record Row(Action action, About about) {}

  private static final Map<String, Row> TABLE =
      Map.ofEntries(
          Map.entry(Methods.TOOLS_LIST, new Row(Action.LIST, About.SERVER)),
          Map.entry(Methods.TOOLS_CALL, new Row(Action.CALL, About.NAME)),
          Map.entry(Methods.PROMPTS_LIST, new Row(Action.LIST, About.SERVER)),
          Map.entry(Methods.PROMPTS_GET, new Row(Action.GET, About.NAME)),
          Map.entry(Methods.RESOURCES_LIST, new Row(Action.LIST, About.SERVER)),
          Map.entry(Methods.RESOURCES_TEMPLATES, new Row(Action.LIST, About.SERVER)),
          Map.entry(Methods.RESOURCES_READ, new Row(Action.READ, About.URI)),
          Map.entry(Methods.DIRECTORY_READ, new Row(Action.READ, About.URI)),
          Map.entry(Methods.SKILLS_LIST, new Row(Action.LIST, About.SERVER)),
          Map.entry(Methods.SKILLS_GET, new Row(Action.READ, About.URI)),
          Map.entry(Methods.RESOURCES_SUBSCRIBE, new Row(Action.SUBSCRIBE, About.URI)),
          Map.entry(Methods.RESOURCES_UNSUBSCRIBE, new Row(Action.SUBSCRIBE, About.URI)),
          Map.entry(Methods.COMPLETE, new Row(Action.GET, About.REF)),
          Map.entry(Methods.TASKS_GET, new Row(Action.CALL, About.SERVER)),
          Map.entry(Methods.TASKS_RESULT, new Row(Action.CALL, About.SERVER)),
          Map.entry(Methods.TASKS_UPDATE, new Row(Action.CALL, About.SERVER)),
          Map.entry(Methods.TASKS_CANCEL, new Row(Action.CALL, About.SERVER)),
          Map.entry(Methods.TASKS_LIST, new Row(Action.CALL, About.SERVER)),
          Map.entry(Methods.SET_LEVEL, new Row(Action.ADMIN, About.SERVER)),
          Map.entry(Methods.PING, new Row(Action.LIST, About.SERVER)),
          Map.entry(Methods.INITIALIZE, new Row(Action.LIST, About.OWN)),
          Map.entry(Methods.INITIALIZED, new Row(Action.LIST, About.OWN)),
          Map.entry(Methods.DISCOVER, new Row(Action.LIST, About.OWN)),
          Map.entry(Methods.LISTEN, new Row(Action.SUBSCRIBE, About.OWN)),
          Map.entry(Methods.CANCELLED, new Row(Action.CALL, About.OWN)),
          Map.entry(Methods.PROGRESS, new Row(Action.CALL, About.OWN)),
          Map.entry(Methods.ROOTS_CHANGED, new Row(Action.CALL, About.OWN)));

  private OperationTable() {}

  /** The action of a method; null if the method has no row: no client may send it. */
  public static @Nullable Action action(String method) {
    Row row = TABLE.get(method);
    return row == null ? null : row.action();
  }

  /** The operation of a request with {@code method} and {@code params} to {@code server}. */
  public static Operation of(String server, String method, RawJson params) {
    Row row = TABLE.get(method);
    if (row == null || row.about() == About.OWN) {
      return Operation.unknown(server);
    }
    return switch (row.about()) {
      case NAME -> named(row.action(), server, params, "name");
      case URI -> named(row.action(), server, params, "uri");
      case REF -> reference(server, params);
      default -> Operation.of(row.action(), server, "");
    };
  }

  /** The operation of the request {@code {method, params}} to {@code server}. */
  public static Operation described(String server, RawJson request) {
    String method = text(request, "method");
    RawJson params = request.isObject() ? request.member("params") : null;
    return method == null
        ? Operation.nameless(Action.CALL, server)
        : of(server, method, params == null ? RawJson.EMPTY_OBJECT : params);
  }

  private static Operation named(Action action, String server, RawJson params, String member) {
    String item = text(params, member);
    return item == null || item.isEmpty()
        ? Operation.nameless(action, server)
        : Operation.of(action, server, item);
  }

  private static Operation reference(String server, RawJson params) {
    RawJson ref = params.isObject() ? params.member("ref") : null;
    String type = ref == null ? null : text(ref, "type");
    if (ref == null || type == null) {
      return Operation.nameless(Action.GET, server);
    }
    return switch (type) {
      case "ref/prompt" -> named(Action.GET, server, ref, "name");
      case "ref/resource" -> named(Action.READ, server, ref, "uri");
      default -> Operation.nameless(Action.GET, server);
    };
  }

  private static @Nullable String text(RawJson of, String member) {
    RawJson value = of.isObject() ? of.member(member) : null;
    return value == null || !value.isString() ? null : value.asString();
  }
}
