package dev.mcpbus.bridge;

import dev.mcpbus.security.Action;
import io.vertx.core.buffer.Buffer;

/** {@code GET /openapi.json}. Mounted last, because the document contains all routes. */
final class OpenApiRoute {

  void mount(RouteTable routes) {
    Buffer[] document = new Buffer[1];
    routes.add(
        Route.get("/openapi.json", Action.LIST, "getOpenApi", "This document."),
        ctx -> RouteTable.document(ctx.response(), 200, document[0]));
    document[0] = OpenApiDocument.document(routes.all()).toBuffer();
  }
}
