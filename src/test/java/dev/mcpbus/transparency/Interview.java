package dev.mcpbus.transparency;

import dev.mcpbus.transparency.RealServer.ToolCall;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Everything that a client can ask a server: what there is to ask comes from its lists. */
final class Interview {

  private static final List<String> LISTS =
      List.of("tools/list", "prompts/list", "resources/list", "resources/templates/list");

  private static final int MOST_READ = 4;

  private final Dialog dialog;
  private final RealServer server;
  private final Path folder;
  private final boolean sameEra;
  private final Map<String, List<JsonObject>> listed = new LinkedHashMap<>();

  /**
   * @param sameEra whether the client through the gateway speaks the era of the server
   */
  Interview(Dialog dialog, RealServer server, Path folder, boolean sameEra) {
    this.dialog = dialog;
    this.server = server;
    this.folder = folder;
    this.sameEra = sameEra;
  }

  /** Asks it all. */
  void run() {
    dialog.open();
    if (dialog.speaksDiscover()) {
      dialog.level("debug");
      if (!sameEra && server.updates().isEmpty() && server.announcesAtStart()) {
        dialog.listen(List.of()); // an older server announces without being asked
      }
    }
    // What a server asks and says after its handshake comes before the first list.
    ask("tools/list", Heard.AT_START, new JsonObject());
    // A question of its server ends the response of a client of the newer era: what an older server
    // reports until that client is back has no way.
    server.opening().forEach(call -> call(call, RealServer.in(folder, call.arguments()), sameEra));
    LISTS.forEach(this::list);
    if (!dialog.speaksDiscover()) {
      ask("ping", "", new JsonObject());
      dialog.level("debug");
    }
    ask("no/such/method", "", new JsonObject().put("x", 1));
    prompts();
    resources();
    completion();
    if (!server.updates().isEmpty()) {
      dialog.listen(List.of(server.updates()));
    }
    tools();
    odd();
    for (ToolCall call : server.cancel()) {
      dialog.cancel("cancel", call.tool(), call.arguments());
    }
    if (!server.updates().isEmpty() && !dialog.speaksDiscover()) {
      ask("resources/unsubscribe", "", new JsonObject().put("uri", server.updates()));
    }
    LISTS.forEach(this::list);
  }

  private void odd() {
    ToolCall call = server.calls(sameEra).get(0);
    new OddRequests(dialog).run(LISTS, call.tool(), arguments(call), sameEra && !server.discover());
    for (ToolCall slow : server.opening()) {
      JsonObject first =
          new JsonObject().put("name", slow.tool()).put("arguments", slow.arguments());
      JsonObject second =
          new JsonObject().put("name", call.tool()).put("arguments", arguments(call));
      dialog.askBoth("two calls at once", "tools/call", first, second);
    }
  }

  private JsonObject ask(String method, String what, JsonObject params) {
    return dialog.ask(what.isEmpty() ? method : method + " " + what, method, params);
  }

  private void list(String method) {
    JsonObject whole = dialog.list(method, method, new JsonObject());
    List<JsonObject> all = new ArrayList<>();
    for (String member : List.of("tools", "prompts", "resources", "resourceTemplates")) {
      whole.getJsonArray(member, new JsonArray()).forEach(one -> all.add((JsonObject) one));
    }
    listed.put(method, all);
  }

  private List<JsonObject> listed(String method) {
    return listed.getOrDefault(method, List.of());
  }

  private void prompts() {
    for (JsonObject prompt : listed("prompts/list")) {
      JsonObject arguments = new JsonObject();
      for (Object argument : prompt.getJsonArray("arguments", new JsonArray())) {
        arguments.put(((JsonObject) argument).getString("name"), "1");
      }
      String name = prompt.getString("name");
      JsonObject params = new JsonObject().put("name", name);
      ask("prompts/get", name + " without arguments", params);
      ask("prompts/get", name, params.copy().put("arguments", arguments));
    }
    ask("prompts/get", "unknown", new JsonObject().put("name", "no-such-prompt"));
  }

  private void resources() {
    listed("resources/list").stream()
        .limit(MOST_READ)
        .map(resource -> resource.getString("uri"))
        .forEach(uri -> ask("resources/read", uri, new JsonObject().put("uri", uri)));
    listed("resources/templates/list").stream()
        .map(template -> template.getString("uriTemplate").replaceAll("\\{[^}]*}", "1"))
        .forEach(uri -> ask("resources/read", uri, new JsonObject().put("uri", uri)));
    ask("resources/read", "unknown", new JsonObject().put("uri", "no-such://thing"));
    ask("resources/read", "without uri", new JsonObject());
  }

  private void completion() {
    for (JsonObject prompt : listed("prompts/list")) {
      for (Object argument : prompt.getJsonArray("arguments", new JsonArray())) {
        String name = prompt.getString("name");
        complete(
            new JsonObject().put("type", "ref/prompt").put("name", name),
            ((JsonObject) argument).getString("name"));
      }
    }
    for (JsonObject template : listed("resources/templates/list")) {
      String uri = template.getString("uriTemplate");
      String variable = uri.replaceAll("(?s)^.*?\\{[?&/#+.;]?([\\w-]*).*$", "$1");
      complete(new JsonObject().put("type", "ref/resource").put("uri", uri), variable);
    }
    complete(new JsonObject().put("type", "ref/prompt").put("name", "no-such-prompt"), "none");
  }

  private void complete(JsonObject ref, String argument) {
    ask(
        "completion/complete",
        ref.getString("name", ref.getString("uri")) + " " + argument,
        new JsonObject()
            .put("ref", ref)
            .put("argument", new JsonObject().put("name", argument).put("value", "")));
  }

  private void tools() {
    for (ToolCall call : server.calls(sameEra)) {
      JsonObject params = call(call, arguments(call), true);
      JsonObject schema = schema(call);
      if (schema != null && !schema.getJsonArray("required", new JsonArray()).isEmpty()) {
        JsonObject wrong = new JsonObject().put("unknown", 1);
        ask("tools/call", call.tool() + " wrongly", params.copy().put("arguments", wrong));
      }
    }
  }

  private @Nullable JsonObject schema(ToolCall call) {
    return listed("tools/list").stream()
        .filter(tool -> call.tool().equals(tool.getString("name")))
        .findFirst()
        .map(tool -> tool.getJsonObject("inputSchema"))
        .orElse(null);
  }

  @SuppressWarnings("ReferenceEquality") // SAMPLE is a mark
  private JsonObject arguments(ToolCall call) {
    return call.arguments() == RealServer.SAMPLE
        ? Samples.of(schema(call))
        : RealServer.in(folder, call.arguments());
  }

  /** Calls a tool that may report progress; gives the params without {@code _meta}. */
  private JsonObject call(ToolCall call, JsonObject arguments, boolean progress) {
    JsonObject params = new JsonObject().put("name", call.tool()).put("arguments", arguments);
    JsonObject meta = new JsonObject();
    if (progress) {
      meta.put("progressToken", call.tool());
    }
    ask(
        "tools/call",
        call.tool(),
        params.copy().put("_meta", meta.put("x.example/unknown", "passes")));
    return params;
  }
}
