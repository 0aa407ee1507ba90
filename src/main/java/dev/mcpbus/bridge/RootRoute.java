package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.McpBusVersion;
import dev.mcpbus.security.Action;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * {@code GET /}: what this is, which servers it has and where to look, as text for a person with
 * {@code curl}. A browser gets the console before this route, unless that is off. Used on the
 * bridge's context.
 */
record RootRoute(BridgeCalls calls) {

  private static final int MAX_IDS = 20;

  private static final String TEXT =
      """
      This is mcpbus %s: it holds connections to MCP servers and serves them here.
      %s

        /mcp            MCP, for agents and editors
        /api/servers    which servers there are, and how they are
        /api/tools      what they can do
        /openapi.json   all of the HTTP interface

      Adding, stopping and restarting servers needs a key with the admin right. Without a login
      that is the admin token: what follows #token= in the link that mcpbus shows at its start,
      also in ~/.mcpbus/admin/. Send it as "Authorization: Bearer ...".
      """;

  void mount(RouteTable routes) {
    routes.add(
        Route.get(
                "/", Action.LIST, "getRoot", "What this is, for people; the console for browsers.")
            .giving("Text")
            .typed(Route.PLAIN_TEXT),
        this::handle);
  }

  private void handle(RoutingContext ctx) {
    calls
        .ask(ctx, Addresses.SERVERS_LIST, new JsonObject())
        .map(RootRoute::states)
        .otherwise("Its servers are not known now; see /api/servers.")
        .onSuccess(states -> send(ctx, TEXT.formatted(McpBusVersion.current(), states)));
  }

  private static void send(RoutingContext ctx, String text) {
    HttpServerResponse response = ctx.response();
    if (response.closed() || response.ended()) {
      return;
    }
    response.headers().add("Vary", "Accept");
    response.putHeader("Content-Type", Route.PLAIN_TEXT + "; charset=utf-8").end(text);
  }

  /** For example {@code Servers: 2 READY (git, docs), 1 FAILED (search)}. */
  private static String states(JsonObject list) {
    Map<String, List<String>> ids = new LinkedHashMap<>();
    for (Object one : list.getJsonArray("servers")) {
      JsonObject server = (JsonObject) one;
      ids.computeIfAbsent(server.getString("state"), state -> new ArrayList<>())
          .add(server.getString("id"));
    }
    return ids.isEmpty()
        ? "It has no servers."
        : ids.entrySet().stream()
            .map(state -> state.getValue().size() + " " + state.getKey() + names(state.getValue()))
            .collect(Collectors.joining(", ", "Servers: ", ""));
  }

  private static String names(List<String> ids) {
    return ids.stream()
        .limit(MAX_IDS)
        .collect(Collectors.joining(", ", " (", ids.size() > MAX_IDS ? ", ...)" : ")"));
  }
}
