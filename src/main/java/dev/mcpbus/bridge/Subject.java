package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import org.jspecify.annotations.Nullable;

/**
 * What a call of one server is about, as policies see it.
 *
 * @param item name of a tool or prompt, URI of a resource; empty for the server itself
 */
record Subject(Action action, String server, String item) {

  /** Of nothing that is anybody's. */
  static final Subject NOTHING = new Subject(Action.LIST, "", "");

  /** Of the aggregate call {@code {"name": "server.tool"}}. */
  static Subject ofNamed(RawJson body) {
    return ToolName.parse(text(body, "name"))
        .map(tool -> new Subject(Action.CALL, tool.server(), tool.tool()))
        .orElse(new Subject(Action.CALL, "", "?"));
  }

  /** Of {@code mcp.<server>.<suffix>}; whatever is not known here changes what runs. */
  static Subject of(String server, String suffix, RawJson body) {
    return switch (suffix) {
      case Addresses.TOOLS_CALL -> new Subject(Action.CALL, server, text(body, "name"));
      case Addresses.RESOURCES_READ -> new Subject(Action.READ, server, text(body, "uri"));
      case Addresses.PROMPTS_GET -> new Subject(Action.GET, server, text(body, "name"));
      case Addresses.RESOURCES_SUBSCRIBE, Addresses.RESOURCES_UNSUBSCRIBE ->
          new Subject(Action.SUBSCRIBE, server, text(body, "uri"));
      case Addresses.COMPLETION -> completion(server, body);
      case Addresses.REQUEST -> request(server, body);
      case Addresses.TASKS_GET,
          Addresses.TASKS_RESULT,
          Addresses.TASKS_UPDATE,
          Addresses.TASKS_CANCEL,
          Addresses.TASKS_LIST,
          Addresses.CANCEL ->
          new Subject(Action.CALL, server, "");
      case Addresses.TOOLS_LIST,
          Addresses.RESOURCES_LIST,
          Addresses.RESOURCES_TEMPLATES,
          Addresses.PROMPTS_LIST,
          Addresses.TOOLS_METADATA,
          Addresses.TOOLS_DRIFT,
          Addresses.STATUS,
          Addresses.PING ->
          new Subject(Action.LIST, server, "");
      default -> new Subject(Action.ADMIN, server, "");
    };
  }

  /** A raw method is what its own address would be; one without an address is like a tool. */
  private static Subject request(String server, RawJson body) {
    String method = text(body, "method");
    RawJson given = body.member("params");
    RawJson params = given == null || !given.isObject() ? RawJson.EMPTY_OBJECT : given;
    return switch (method) {
      case Methods.TOOLS_CALL -> of(server, Addresses.TOOLS_CALL, params);
      case Methods.RESOURCES_READ -> of(server, Addresses.RESOURCES_READ, params);
      case Methods.RESOURCES_SUBSCRIBE, Methods.RESOURCES_UNSUBSCRIBE ->
          of(server, Addresses.RESOURCES_SUBSCRIBE, params);
      case Methods.PROMPTS_GET -> of(server, Addresses.PROMPTS_GET, params);
      case Methods.COMPLETE -> completion(server, params);
      case Methods.SET_LEVEL -> new Subject(Action.ADMIN, server, "");
      case Methods.PING -> new Subject(Action.LIST, server, "");
      default -> new Subject(Action.CALL, server, method.isEmpty() ? "?" : method);
    };
  }

  private static Subject completion(String server, RawJson body) {
    RawJson ref = body.member("ref");
    String name = ref == null ? "" : text(ref, "name");
    return name.isEmpty()
        ? new Subject(Action.READ, server, ref == null ? "" : text(ref, "uri"))
        : new Subject(Action.GET, server, name);
  }

  private static String text(RawJson of, String member) {
    RawJson value = of.isObject() ? of.member(member) : null;
    return value == null || !value.isString() ? "" : value.asString();
  }

  /** For the audit log. */
  @Nullable String named() {
    return item.isEmpty() ? null : item;
  }
}
