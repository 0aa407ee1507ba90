package dev.mcpbus.bridge;

import dev.mcpbus.bridge.Route.Param;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.policy.PolicyFilter;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What an operator asks about a server: endings, output, calls and activity. All but the activity,
 * which is numbers, needs the admin right, because output is of the server's process. Used on the
 * bridge's context.
 */
final class DiagnosticRoutes {

  private static final String ONE = "/api/servers/:id";

  private static final String ONE_CALLS = "/api/servers/{id}/calls";

  private static final Param REPLICA =
      Param.number("replica", "The replica that answers; by default the first that serves.", 0);

  /** More than an examination on another node takes. */
  private static final Duration EXAMINATION = Duration.ofSeconds(40);

  private final BridgeCalls calls;
  private final ParseLimits limits;

  DiagnosticRoutes(BridgeCalls calls, ParseLimits limits) {
    this.calls = calls;
    this.limits = limits;
  }

  void mount(RouteTable routes) {
    routes.add(
        Route.get(
                ONE + "/history",
                Action.ADMIN,
                "getHistory",
                "The last 20 endings of the server's sessions, the newest first.")
            .giving("History"),
        ctx -> send(ctx, Addresses.HISTORY, new JsonObject()));
    routes.add(
        Route.get(
                ONE + "/logs",
                Action.ADMIN,
                "getLogs",
                "What the server's process wrote beside its messages.")
            .with(
                Param.number("after", "Lines after this number; without it the last ones.", 0),
                Param.number("limit", "At most so many lines, up to 500; default 100.", 1),
                REPLICA)
            .giving("Output"),
        ctx -> send(ctx, Addresses.LOGS, numbers(ctx, "after", "limit", "replica")));
    routes.add(
        Route.get(
                ONE + "/calls",
                Action.ADMIN,
                "listCalls",
                "The calls of a server in flight and the last that ended, on all its connections.")
            .giving("CallList"),
        ctx -> ServerRoutes.document(ctx, calls.ask(ctx, Addresses.SERVERS_CALLS, id(ctx))));
    routes.add(
        Route.post(
                ONE + "/examine",
                Action.ADMIN,
                "examineServer",
                "Looks for what is wrong with a server, step by step, within 30 s.")
            .giving("ServerExamination"),
        (ctx, body) ->
            calls
                .ask(ctx, Addresses.SERVERS_EXAMINE, id(ctx), EXAMINATION)
                .onSuccess(steps -> RouteTable.document(ctx, 200, steps))
                .onFailure(ctx::fail));
    routes.add(
        Route.get(
                "/api/config",
                Action.ADMIN,
                "getConfig",
                "The configuration file of this node, and what is wrong with it.")
            .giving("Configuration"),
        ctx ->
            calls
                .ask(ctx, Addresses.SERVERS_CONFIG, new JsonObject())
                .onSuccess(state -> RouteTable.document(ctx, 200, state))
                .onFailure(ctx::fail));
    routes.add(
        Route.get("/api/calls", Action.ADMIN, "listAllCalls", "The calls of all servers.")
            .giving("CallList"),
        ctx ->
            calls
                .ask(ctx, Addresses.SERVERS_CALLS, new JsonObject())
                .map(all -> PolicyFilter.calls(all, AdmittedRequests.of(ctx).rights()))
                .onSuccess(all -> RouteTable.json(ctx, 200, all.toBuffer()))
                .onFailure(ctx::fail));
    activity(routes);
    routes.add(
        Route.post(
                ONE + "/rpc-log",
                Action.ADMIN,
                "setRpcLog",
                "Says for a time where the JSON-RPC messages of a server are shown.")
            .taking("RpcLogChange")
            .giving("RpcLogState"),
        (ctx, body) ->
            ServerRoutes.document(
                ctx,
                calls.ask(
                    ctx,
                    Addresses.SERVERS_RPCLOG,
                    ServerRoutes.read(body, limits).mergeIn(id(ctx)))));
    routes.add(
        Route.get("/api/logins", Action.ADMIN, "listLogins", "Login pages that wait for a person.")
            .giving("LoginList"),
        ctx ->
            ServerRoutes.answer(
                ctx,
                calls
                    .ask(ctx, Addresses.SERVERS_LOGINS, new JsonObject())
                    .map(JsonObject::toBuffer)));
    routes.add(
        Route.get(
                "/api/leases",
                Action.ADMIN,
                "listLeases",
                "The private connections of this node: of which server, for which client.")
            .giving("LeaseList"),
        ctx ->
            ServerRoutes.answer(
                ctx,
                calls
                    .ask(ctx, Addresses.SERVERS_LEASES, new JsonObject())
                    .map(JsonObject::toBuffer)));
    routes.add(
        Route.delete(
                "/api/leases/:lease",
                Action.ADMIN,
                "endLease",
                "Ends a private connection; the next request of its client opens another.")
            .giving("Released"),
        ctx ->
            ServerRoutes.answer(
                ctx,
                calls
                    .ask(
                        ctx,
                        Addresses.SERVERS_RELEASE,
                        new JsonObject().put("lease", ctx.pathParam("lease")).put("tell", true))
                    .map(JsonObject::toBuffer)));
    routes.add(
        Route.post(
                ONE + "/calls/:call/cancel",
                Action.ADMIN,
                "cancelNumberedCall",
                "Ends the call of any caller, by its number.")
            .with(REPLICA)
            .giving("Cancelled"),
        (ctx, body) ->
            send(ctx, Addresses.CALLS_CANCEL, numbers(ctx, "replica").put("call", call(ctx))));
  }

  private void activity(RouteTable routes) {
    routes.add(
        Route.get(
                ONE + "/activity",
                Action.METRICS,
                "getActivity",
                "The calls of a server that ended in each of the last 60 minutes, in numbers.")
            .giving("Activity"),
        ctx ->
            ServerRoutes.document(
                ctx,
                calls
                    .ask(ctx, Addresses.SERVERS_ACTIVITY, id(ctx))
                    .map(reply -> only(reply, ServerRoutes.id(ctx)))));
    routes.add(
        Route.get(
                "/api/activity",
                Action.METRICS,
                "listActivity",
                "The same of all servers that had a call in the last hour.")
            .with(StreamRoutes.SERVER)
            .giving("ActivityList"),
        ctx -> {
          Set<String> servers = StreamRoutes.servers(ctx);
          JsonObject body = new JsonObject();
          ServerRoutes.document(
              ctx,
              calls
                  .ask(
                      ctx,
                      Addresses.SERVERS_ACTIVITY,
                      servers.isEmpty()
                          ? body
                          : body.put("servers", new JsonArray(List.copyOf(servers))))
                  .map(all -> PolicyFilter.activity(all, AdmittedRequests.of(ctx).rights())));
        });
  }

  private static JsonObject id(RoutingContext ctx) {
    return new JsonObject().put("id", ServerRoutes.id(ctx).value());
  }

  /** The activity of the only server that was asked for. */
  private static JsonObject only(JsonObject reply, ConnectionId id) {
    if (reply.getJsonObject("servers").getValue(id.value()) instanceof JsonObject activity) {
      return activity;
    }
    throw McpFailure.notSent(
        FailureCode.UNAVAILABLE, "the connection of '" + id + "' did not answer; try again");
  }

  private static long call(RoutingContext ctx) {
    String text = ctx.pathParam("call");
    if (text.matches("[0-9]{1,18}")) {
      return Long.parseLong(text);
    }
    throw McpFailure.badRequest("path: a call's number is wanted, as GET " + ONE_CALLS + " has it");
  }

  private static JsonObject numbers(RoutingContext ctx, String... names) {
    JsonObject body = new JsonObject();
    for (String name : names) {
      Long value = QueryParameters.number(ctx, name);
      if (value != null) {
        body.put(name, value);
      }
    }
    return body;
  }

  private void send(RoutingContext ctx, String suffix, JsonObject body) {
    ServerRoutes.answer(
        ctx, calls.call(ctx, ServerRoutes.id(ctx), suffix, RawJson.of(body), false));
  }
}
