package dev.mcpbus.bridge;

import dev.mcpbus.security.Action;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A document that describes mcpbus, made when it is first asked for: most services never are. Used
 * on the bridge's context.
 */
final class DocumentRoute {

  private final Route route;
  private final Supplier<JsonObject> document;
  private @Nullable Buffer made;

  DocumentRoute(String path, String id, String summary, Supplier<JsonObject> document) {
    this.route = Route.get(path, Action.LIST, id, summary);
    this.document = document;
  }

  void mount(RouteTable routes) {
    routes.add(
        route,
        ctx -> {
          Buffer text = made;
          if (text == null) {
            text = document.get().toBuffer();
            made = text;
          }
          RouteTable.document(ctx, 200, text);
        });
  }
}
