package dev.mcpbus.bridge;

import dev.mcpbus.bus.Requester;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Admission;
import dev.mcpbus.security.MountedHandler;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes each admitted request from the {@link RequestGuards} to the gateway or to the router, and
 * holds its caller for the routes. Used on the bridge's context.
 */
final class AdmittedRequests implements Consumer<RequestLifecycle>, Handler<RoutingContext> {

  private static final String KEY = "mcpbus.request";

  private final Router router;
  private final @Nullable MountedHandler mounted;
  private final BodyReader bodies;
  private @Nullable RequestLifecycle entering;

  /**
   * @param router without routes: this handler must be its first
   * @param mounted the gateway; null for none
   */
  AdmittedRequests(Router router, @Nullable MountedHandler mounted, BodyReader bodies) {
    this.router = router;
    this.mounted = mounted;
    this.bodies = bodies;
    router.route().handler(this);
  }

  static Admission of(RoutingContext ctx) {
    return admitted(ctx).caller();
  }

  private static RequestLifecycle admitted(RoutingContext ctx) {
    RequestLifecycle request = ctx.get(KEY);
    if (request == null) {
      throw new IllegalStateException("a route without a caller");
    }
    return request;
  }

  /**
   * The principal for which a message is sent on the bus.
   *
   * @param server the id of the server that the message is about; empty for all servers
   */
  static Requester requester(RoutingContext ctx, String server) {
    Admission caller = of(ctx);
    boolean admin = caller.rights().allows(Action.ADMIN, server, "");
    return new Requester(caller.principal().name(), admin);
  }

  @Override
  public void accept(RequestLifecycle admitted) {
    MountedHandler gateway = mounted;
    HttpServerRequest request = admitted.request();
    if (gateway != null && gateway.owns(String.valueOf(request.path()))) {
      bodies.read(
          request, admitted.caller(), body -> gateway.handle(request, admitted.caller(), body));
    } else {
      entering = admitted; // the router creates the context and runs #handle before it returns
      router.handle(request);
    }
  }

  @Override
  public void handle(RoutingContext ctx) {
    ctx.put(KEY, Objects.requireNonNull(entering, "a request that is not admitted"));
    entering = null;
    ctx.next();
  }
}
