package dev.mcpbus.bridge;

import dev.mcpbus.security.Action;
import io.vertx.core.buffer.Buffer;

/** {@code GET /openapi.json}. Comes last: it tells of all routes, itself included. */
final class OpenApiRoute {

  void mount(Routes routes) {
    Buffer[] document = new Buffer[1];
    routes.add(
        Route.get("/openapi.json", Action.LIST, "getOpenApi", "This document."),
        ctx -> Routes.json(ctx.response(), 200, document[0]));
    document[0] = OpenApi.document(routes.all()).toBuffer();
  }
}
