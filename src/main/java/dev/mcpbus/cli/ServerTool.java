package dev.mcpbus.cli;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.protocol.NearWords;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.Collectors;

/**
 * One tool of one server, with its definition. Immutable.
 *
 * @param server its id
 * @param name the tool's name at the server
 * @param definition as the server gives it
 */
record ServerTool(String server, String name, JsonObject definition) {

  private static final String UNKNOWN = "UNKNOWN_TOOL";

  /**
   * The path of a server under {@code /api}.
   *
   * @param server its id, or its name as written
   */
  static String pathOf(String server) {
    String id = ConnectionId.named(server).map(ConnectionId::value).orElse(server);
    return "/api/servers/" + ServiceClient.segment(id);
  }

  /**
   * The server and the tool in {@code SERVER.TOOL}. An id has no dot, but a name may have some:
   * with several dots the service tells which servers there are.
   */
  static String[] split(ServiceClient client, String name) {
    int dot = name.indexOf('.');
    if (dot > 0 && name.indexOf('.', dot + 1) > 0) {
      for (JsonObject server : ContentText.objects(client.get("/api/servers"), "servers")) {
        String own = ContentText.text(server, "name");
        dot = own.length() > dot && name.startsWith(own + ".") ? own.length() : dot;
      }
    }
    if (dot < 1 || dot == name.length() - 1) {
      throw CommandFailure.usage(
          "\"" + name + "\" must be SERVER.TOOL, for example demo.add; \"mcpbus tools\" lists all");
    }
    return new String[] {name.substring(0, dot), name.substring(dot + 1)};
  }

  /** Whether a text with a dot is the name of a server, and not of a tool. */
  static boolean isServer(ServiceClient client, String text) {
    return ContentText.objects(client.get("/api/servers"), "servers").stream()
        .anyMatch(server -> text.equals(server.getValue("name")));
  }

  /**
   * Looks the tool up; waits until the server is connected.
   *
   * @param name {@code SERVER.TOOL}
   * @throws CommandFailure {@link ExitCode#TOOL_FAILED} where the server has no such tool
   */
  static ServerTool find(ServiceClient client, String name) {
    String[] parts = split(client, name);
    List<JsonObject> tools = ContentText.objects(client.get(pathOf(parts[0]) + "/tools"), "tools");
    return tools.stream()
        .filter(tool -> parts[1].equals(tool.getValue("name")))
        .findFirst()
        .map(tool -> new ServerTool(parts[0], parts[1], tool))
        .orElseThrow(() -> unknown(parts[0], parts[1], tools));
  }

  /**
   * Looks the tool up for a call. A server of callers lists its tools only to those whom it knows
   * already: there a tool that is not listed is called nevertheless, and the answer says what is
   * missing.
   */
  static ServerTool toCall(ServiceClient client, String name) {
    try {
      return find(client, name);
    } catch (CommandFailure failure) {
      String[] parts = split(client, name);
      if (failure.code().equals(UNKNOWN)
          && "caller".equals(client.get(pathOf(parts[0])).getValue("identity"))) {
        return new ServerTool(parts[0], parts[1], new JsonObject());
      }
      throw failure;
    }
  }

  private static CommandFailure unknown(String server, String tool, List<JsonObject> tools) {
    List<String> names = tools.stream().map(each -> ContentText.text(each, "name")).toList();
    List<String> near = NearWords.of(tool, names);
    String others =
        near.isEmpty()
            ? "; \"mcpbus tools " + server + "\" lists its " + names.size()
            : "; did you mean " + String.join(" or ", near) + "?";
    return new CommandFailure(
        ExitCode.TOOL_FAILED,
        UNKNOWN,
        "the server " + server + " has no tool \"" + tool + "\"" + others);
  }

  String fullName() {
    return server + "." + name;
  }

  private JsonObject schema() {
    return definition.getValue("inputSchema") instanceof JsonObject schema
        ? schema
        : new JsonObject();
  }

  /** The arguments of the input schema, in its order. */
  List<ToolArgument> arguments() {
    return ToolArgument.of(schema());
  }

  /** Whether the schema says something about arguments that it does not name. */
  boolean takesOthers() {
    Object others = schema().getValue("additionalProperties");
    return arguments().isEmpty() || Boolean.TRUE.equals(others) || others instanceof JsonObject;
  }

  /** {@code SERVER.TOOL} and a value for each needed argument, for a shell. */
  String example() {
    return fullName()
        + arguments().stream()
            .filter(ToolArgument::required)
            .map(argument -> " " + argument.name() + "=" + argument.example())
            .collect(Collectors.joining());
  }
}
