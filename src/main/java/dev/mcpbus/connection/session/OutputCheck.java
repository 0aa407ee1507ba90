package dev.mcpbus.connection.session;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.schema.ArgumentValidator;
import dev.mcpbus.protocol.schema.ArgumentValidator.Violation;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.Json;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Checks a tool's result against its {@code outputSchema} (MCP 2025-11-25, Tools, Output Schema). A
 * mismatch becomes a header of the reply; the caller gets the result in any case. Owner: the
 * connection's context; a worker checks large results.
 */
public record OutputCheck(Vertx vertx, ArgumentValidator schema) {

  private static final Violation NONE_GIVEN =
      new Violation("/", "the result has no structuredContent", false);

  /**
   * Empty where the result matches, or where the schema does not apply: errors, tasks, questions.
   */
  Future<Optional<Violation>> check(RawJson result) {
    RawJson type = result.member(ResultType.MEMBER);
    RawJson error = result.member("isError");
    boolean unfinished =
        type != null && type.isString() && !type.asString().equals(ResultType.COMPLETE);
    if (unfinished || (error != null && error.toString().equals("true")) || !schema.checks()) {
      return Future.succeededFuture(Optional.empty());
    }
    RawJson content = result.member("structuredContent");
    if (content == null) {
      return Future.succeededFuture(Optional.of(NONE_GIVEN));
    }
    return WorkerThreshold.check(vertx, schema, content, effort -> violation(content, effort))
        .otherwise(Optional.empty());
  }

  private @Nullable Violation violation(RawJson content, long effort) {
    String ambiguity = content.ambiguity();
    return ambiguity != null
        ? new Violation("/", ambiguity, false)
        : schema.check(Json.decodeValue(content.toBuffer()), effort, () -> false);
  }
}
