package dev.mcpbus.bridge;

import dev.mcpbus.bridge.Route.Param;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.security.Action;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.function.BiFunction;

/**
 * {@code /api}: servers and their states, nodes, and the questions of servers. Used on the bridge's
 * context.
 */
final class ServiceRoutes {

  private static final String ONE = "/api/servers/:id";

  private final BridgeCalls calls;
  private final ParseLimits limits;

  ServiceRoutes(BridgeCalls calls, ParseLimits limits) {
    this.calls = calls;
    this.limits = limits;
  }

  void mount(RouteTable routes) {
    servers(routes);
    nodes(routes);
    inputs(routes);
  }

  private void servers(RouteTable routes) {
    routes.add(
        Route.get("/api/servers", Action.LIST, "listServers", "All servers and their states.")
            .giving("ServerList"),
        ctx -> ask(ctx, Addresses.SERVERS_LIST, new JsonObject()));
    routes.add(
        Route.post("/api/servers", Action.ADMIN, "addServer", "Adds a server and starts it.")
            .taking("NewServer")
            .giving(201, "Server"),
        this::add);
    post(
        routes,
        Route.post(
                "/api/servers/preview",
                Action.ADMIN,
                "previewServers",
                "What a text would add: a configuration, an entry, a command line or a URL.")
            .taking("PastedText")
            .giving("ServerPreview"),
        Addresses.SERVERS_PREVIEW,
        (ctx, body) -> body);
    routes.add(
        Route.get(ONE, Action.LIST, "getServer", "State and masked configuration of a server.")
            .giving("Server"),
        ctx -> ask(ctx, Addresses.SERVERS_GET, id(ctx)));
    routes.add(
        Route.delete(ONE, Action.ADMIN, "removeServer", "Ends a server and forgets it.")
            .giving("Removed"),
        ctx -> ask(ctx, Addresses.SERVERS_REMOVE, id(ctx)));
    routes.add(
        Route.get(ONE + "/status", Action.LIST, "getStatus", "State of a server.")
            .giving("ServerStatus"),
        ctx -> askOne(ctx, Addresses.STATUS));
    state(routes, Addresses.CONNECT, "connect", "Starts a server that is not connected.");
    state(routes, Addresses.DISCONNECT, "disconnect", "Stops a server until connect.");
    state(routes, Addresses.RESTART, "restart", "Stops a server and starts it anew.");
  }

  private void nodes(RouteTable routes) {
    routes.add(
        Route.get("/api/nodes", Action.LIST, "listNodes", "The nodes that this one sees.")
            .giving("NodeList"),
        ctx -> ask(ctx, Addresses.SERVERS_NODES, new JsonObject()));
    routes.add(
        Route.post(
                "/api/nodes/:node/drain",
                Action.ADMIN,
                "drainNode",
                "A node hands over its connections and takes no new ones until its restart.")
            .giving("Drained"),
        (ctx, body) -> {
          ServerRoutes.object(body, limits);
          ask(
              ctx,
              Addresses.SERVERS_NODES_DRAIN,
              new JsonObject().put("node", ctx.pathParam("node")));
        });
  }

  private void state(RouteTable routes, String suffix, String id, String summary) {
    routes.add(
        Route.post(ONE + "/" + suffix, Action.ADMIN, id, summary).giving("State"),
        (ctx, body) -> {
          ServerRoutes.object(body, limits);
          askOne(ctx, suffix);
        });
  }

  private void inputs(RouteTable routes) {
    routes.add(
        Route.get("/api/inputs", Action.CALL, "listInputs", "Questions that wait for an answer.")
            .with(Param.text("server", "Only those of this server."))
            .giving("QuestionList"),
        ctx -> {
          JsonObject body = new JsonObject();
          String server = QueryParameters.get(ctx, "server");
          ask(
              ctx,
              Addresses.INPUT_PENDING,
              server == null ? body : body.put("id", ServerRoutes.named(server)));
        });
    post(
        routes,
        Route.post(
                "/api/inputs/:question",
                Action.CALL,
                "answerInput",
                "Answers a question; the body is the MCP result.")
            .taking("InputResult")
            .giving("Answered"),
        Addresses.INPUT_RESPOND,
        (ctx, body) ->
            new JsonObject().put("question", ctx.pathParam("question")).put("result", body));
    routes.add(
        Route.delete(
                "/api/inputs/:question",
                Action.CALL,
                "declineInput",
                "Declines a question: its server hears that, as MCP has it.")
            .giving("Declined"),
        ctx ->
            ask(
                ctx,
                Addresses.INPUT_RESPOND,
                new JsonObject().put("question", ctx.pathParam("question")).put("decline", true)));
    post(
        routes,
        Route.post(
                "/api/offers",
                Action.CALL,
                "offerInput",
                "Offers to answer such questions, for ttl milliseconds.")
            .taking("Offer")
            .giving("Offered"),
        Addresses.INPUT_OFFER,
        (ctx, body) -> body);
    routes.add(
        Route.delete("/api/offers/:offer", Action.CALL, "withdrawOffer", "Takes an offer back."),
        ctx ->
            ask(
                ctx,
                Addresses.INPUT_WITHDRAW,
                new JsonObject().put("offer", ctx.pathParam("offer"))));
  }

  private void post(
      RouteTable routes,
      Route route,
      String address,
      BiFunction<RoutingContext, JsonObject, JsonObject> request) {
    routes.add(
        route,
        (ctx, body) ->
            ask(
                ctx,
                address,
                request.apply(ctx, ServerRoutes.object(body, limits).toJsonObject())));
  }

  private void add(RoutingContext ctx, Buffer body) {
    JsonObject entry = ServerRoutes.read(body, limits);
    calls
        .ask(ctx, Addresses.SERVERS_ADD, entry)
        .onSuccess(
            added -> {
              String id = URLEncoder.encode(added.getString("id", ""), StandardCharsets.UTF_8);
              if (!ctx.response().headWritten()) {
                ctx.response().putHeader("Location", "/api/servers/" + id);
              }
              RouteTable.document(ctx, 201, added);
            })
        .onFailure(ctx::fail);
  }

  private void askOne(RoutingContext ctx, String suffix) {
    Future<JsonObject> answer = calls.ask(ctx, ServerRoutes.id(ctx), suffix, new JsonObject());
    ServerRoutes.document(ctx, answer);
  }

  private void ask(RoutingContext ctx, String address, JsonObject body) {
    Future<JsonObject> answer = calls.ask(ctx, address, body);
    ServerRoutes.document(ctx, answer);
  }

  private static JsonObject id(RoutingContext ctx) {
    return new JsonObject().put("id", ServerRoutes.id(ctx).value());
  }
}
