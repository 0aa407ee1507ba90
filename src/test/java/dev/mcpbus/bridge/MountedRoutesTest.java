package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.security.MountPath;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What is mounted is what the table of routes and {@link MountPath} say: the tests that try each
 * route without, with a wrong and with a weak credential read these two.
 */
@ExtendWith(VertxExtension.class)
class MountedRoutesTest {

  /** For all paths: the caller's name, what has failed, and the 404. */
  private static final String FOR_ALL = "for all paths";

  private static Router router(BridgeFixture bridge) {
    return Objects.requireNonNull(bridge.bridge.router(), "it has started");
  }

  /** What the router holds and the table does not, sub-routers included. */
  private static List<String> unknown(BridgeFixture bridge) {
    Set<String> known = new HashSet<>();
    for (Route route : bridge.bridge.table()) {
      known.add(route.method() + " " + route.path());
      known.add("any " + route.path()); // the 405
    }
    List<String> all = new ArrayList<>();
    collect("", router(bridge), all);
    assertThat(all).hasSizeGreaterThan(60);
    known.forEach(all::remove); // each once: a second handler for it is none of the table's
    return all;
  }

  private static void collect(String prefix, Router router, List<String> into) {
    for (io.vertx.ext.web.Route route : router.getRoutes()) {
      String path = prefix + Objects.requireNonNullElse(route.getName(), "");
      Router inner = route.getSubRouter();
      if (inner != null) {
        collect(path, inner, into);
      }
      Set<HttpMethod> methods = route.methods();
      if (path.isEmpty()) {
        into.add(FOR_ALL);
      } else if (!MountPath.EVENT_BUS.owns(path.replaceFirst("iframe.*", "/"))) {
        if (methods == null || methods.isEmpty()) {
          into.add("any " + path);
        } else {
          methods.forEach(method -> into.add(method + " " + path));
        }
      }
    }
  }

  private static void leak(RoutingContext ctx) {
    ctx.end("everything");
  }

  @Test
  void the_router_holds_nothing_that_the_table_does_not_know(Vertx vertx) {
    assertThat(unknown(new BridgeFixture(vertx))).containsExactly(FOR_ALL, FOR_ALL, FOR_ALL);
  }

  @Test
  void a_route_beside_the_table_is_found_wherever_it_is_mounted(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    Router inner = Router.router(vertx);
    inner.route("/heap").handler(MountedRoutesTest::leak);
    router(bridge).get("/debug").handler(MountedRoutesTest::leak);
    router(bridge).route("/inner/*").subRouter(inner);
    router(bridge).routeWithRegex("/x.*").handler(MountedRoutesTest::leak);
    router(bridge).delete("/openapi.json").handler(MountedRoutesTest::leak);
    router(bridge).route("/rpc").handler(MountedRoutesTest::leak);

    assertThat(unknown(bridge))
        .contains(
            "GET /debug",
            "any /inner/",
            "any /inner//heap",
            "any /x.*",
            "DELETE /openapi.json",
            "any /rpc");
  }
}
