package dev.mcpbus.bridge;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.observability.logging.LogLevels;
import dev.mcpbus.policy.PolicyCheck;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.security.Action;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code /api/log-level}: the levels of the loggers of the answering node, at run time. Used on the
 * bridge's context.
 */
record LogLevelRoutes(Vertx vertx, PolicyGate gate, ParseLimits limits) {

  private static final String PATH = "/api/log-level";
  private static final long MAX_SECONDS = 86_400;

  /** The newest temporary change of each logger: only its own timer takes it back. */
  private static final Map<String, TemporaryLevel> TEMPORARY = new ConcurrentHashMap<>();

  void mount(RouteTable routes) {
    routes.add(
        Route.get(PATH, Action.ADMIN, "getLoggers", "Loggers with a level of their own.")
            .giving("LogLevels"),
        ctx -> answer(ctx, LogLevelRoutes::levels));
    routes.add(
        Route.of(
                HttpMethod.PUT,
                PATH,
                Action.ADMIN,
                "setLogger",
                "Gives a logger a level, or null for that of its parent; for a time with seconds.")
            .taking("LogLevel")
            .giving("LogLevels"),
        (ctx, body) -> answer(ctx, () -> set(body)));
  }

  private static LogLevels levels() {
    LogLevels levels = LogLevels.find();
    if (levels == null) {
      throw McpFailure.badRequest(
          "the logging library of this program is not Logback; change its levels there");
    }
    return levels;
  }

  private LogLevels set(Buffer body) {
    JsonObject change = OperationRoutes.read(body, limits);
    if (!(change.getValue("logger", LogLevels.ROOT) instanceof String logger)
        || !change.containsKey("level")
        || !(change.getValue("level") == null || change.getValue("level") instanceof String)) {
      throw McpFailure.badRequest(
          "the body must be {\"logger\": string, \"level\": string or null, \"seconds\": number}");
    }
    long seconds = seconds(change.getValue("seconds"));
    LogLevels levels = levels();
    try {
      String before = levels.set(logger, change.getString("level"));
      if (seconds > 0) {
        takeBack(levels, logger, before, seconds);
      } else {
        TEMPORARY.remove(logger);
      }
    } catch (IllegalArgumentException refused) {
      throw McpFailure.badRequest("logger '" + logger + "': " + refused.getMessage());
    }
    return levels;
  }

  private static long seconds(@Nullable Object value) {
    if (value == null) {
      return 0;
    }
    if (value instanceof Integer number && number >= 1 && number <= MAX_SECONDS) {
      return number;
    }
    throw McpFailure.badRequest("\"seconds\" must be 1 to " + MAX_SECONDS);
  }

  /** A later change of the same logger keeps the level that was there before the first. */
  private void takeBack(LogLevels levels, String logger, @Nullable String before, long seconds) {
    TemporaryLevel first = TEMPORARY.get(logger);
    TemporaryLevel change = new TemporaryLevel(first == null ? before : first.before);
    TEMPORARY.put(logger, change);
    vertx.setTimer(
        seconds * 1_000,
        over -> {
          if (TEMPORARY.remove(logger, change)) {
            levels.set(logger, change.before);
          }
        });
  }

  /** A temporary change; compared by identity. */
  private static final class TemporaryLevel {
    private final @Nullable String before;

    TemporaryLevel(@Nullable String before) {
      this.before = before;
    }
  }

  /** The levels are those of the node, so they concern all its servers. */
  private void answer(RoutingContext ctx, Supplier<LogLevels> levels) {
    gate.call(ctx, PolicyCheck.toNode(), () -> Future.succeededFuture().map(go -> levels.get()))
        .onSuccess(
            now -> {
              JsonObject all = new JsonObject();
              now.all().forEach(all::put);
              RouteTable.json(ctx, 200, new JsonObject().put("levels", all).toBuffer());
            })
        .onFailure(ctx::fail);
  }
}
