package dev.mcpbus.bridge;

import dev.mcpbus.bridge.Route.Param;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import io.vertx.ext.web.RoutingContext;

/**
 * {@code /api/servers/{id}/skills} and {@code .../resources/directory}: the extension of skills
 * (SEP-2640). Used on the bridge's context.
 */
final class SkillRoutes {

  private static final String SKILLS = "/api/servers/:id/skills";

  private static final Param SKILL = Param.text("uri", "The SKILL.md of the skill.").must();
  private static final Param PATH =
      Param.text("path", "A file of the skill, below its directory; without it the SKILL.md.");

  private final BridgeCalls calls;
  private final ParseLimits limits;

  SkillRoutes(BridgeCalls calls, ParseLimits limits) {
    this.calls = calls;
    this.limits = limits;
  }

  void mount(RouteTable routes) {
    routes.add(
        Route.get(SKILLS, Action.LIST, "listSkills", "The skills of a server.")
            .with(ServerRoutes.TIMEOUT, ServerRoutes.CURSOR, ServerRoutes.CACHE)
            .giving("SkillList"),
        ctx -> send(ctx, Addresses.SKILLS_LIST, ServerRoutes.cursor(ctx)));
    routes.add(
        Route.get(
                SKILLS + "/get",
                Action.READ,
                "getSkill",
                "The entry of a skill, also of one that no list has.")
            .with(SKILL, ServerRoutes.TIMEOUT)
            .giving("SkillEntry"),
        ctx -> send(ctx, Addresses.SKILLS_GET, named(ctx)));
    routes.add(
        Route.get(
                SKILLS + "/read",
                Action.READ,
                "getSkillFile",
                "Reads a file of a skill, checked against the skill's present entry.")
            .with(SKILL, PATH, ServerRoutes.TIMEOUT)
            .giving("ResourceContents"),
        ctx -> {
          String path = QueryParameters.get(ctx, "path");
          RawJson skill = named(ctx);
          send(
              ctx,
              Addresses.SKILLS_READ,
              path == null ? skill : skill.with("path", RawJson.string(path)));
        });
    routes.add(
        Route.post(
                SKILLS + "/read",
                Action.READ,
                "readSkillFile",
                "Reads a file of a skill, checked against the entry in the body.")
            .with(ServerRoutes.TIMEOUT)
            .taking("SkillReading")
            .giving("ResourceContents"),
        (ctx, body) -> send(ctx, Addresses.SKILLS_READ, ServerRoutes.object(body, limits)));
    routes.add(
        Route.get(
                "/api/servers/:id/resources/directory",
                Action.READ,
                "readDirectory",
                "What a directory of a server contains.")
            .with(
                Param.text("uri", "The directory.").must(),
                ServerRoutes.TIMEOUT,
                ServerRoutes.CURSOR)
            .giving("ResourceList"),
        ctx ->
            send(
                ctx,
                Addresses.RESOURCES_DIRECTORY,
                ServerRoutes.cursor(ctx).with("uri", uri(ctx))));
  }

  private static RawJson named(RoutingContext ctx) {
    return RawJson.EMPTY_OBJECT.with("uri", uri(ctx));
  }

  private static RawJson uri(RoutingContext ctx) {
    return RawJson.string(QueryParameters.required(ctx, "uri"));
  }

  private void send(RoutingContext ctx, String suffix, RawJson params) {
    ServerRoutes.answer(ctx, calls.call(ctx, ServerRoutes.id(ctx), suffix, params, false));
  }
}
