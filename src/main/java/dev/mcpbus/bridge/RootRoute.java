package dev.mcpbus.bridge;

import dev.mcpbus.security.Action;
import io.vertx.core.http.HttpServerResponse;

/** {@code GET /}: a short text for a person who opens the link that mcpbus logs at its start. */
final class RootRoute {

  private static final String TEXT =
      """
      This is mcpbus: it holds connections to MCP servers and serves them here.

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
        Route.get("/", Action.LIST, "getRoot", "What this is, for people.")
            .giving("Text")
            .typed(Route.PLAIN_TEXT),
        ctx -> {
          HttpServerResponse response = ctx.response();
          response.putHeader("Content-Type", Route.PLAIN_TEXT + "; charset=utf-8").end(TEXT);
        });
  }
}
