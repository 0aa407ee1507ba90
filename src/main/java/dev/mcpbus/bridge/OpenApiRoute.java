package dev.mcpbus.bridge;

import dev.mcpbus.security.Action;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/** {@code GET /openapi.json}. Mounted last, because the document contains all routes. */
final class OpenApiRoute {

  void mount(RouteTable routes) {
    @Nullable Buffer[] document = new Buffer[1];
    routes.add(
        Route.get("/openapi.json", Action.LIST, "getOpenApi", "This document."),
        ctx -> {
          Buffer made = document[0];
          if (made == null) { // most services are never asked for it
            made = OpenApiDocument.document(routes.all()).toBuffer();
            document[0] = made;
          }
          RouteTable.document(ctx, 200, made);
        });
  }
}
