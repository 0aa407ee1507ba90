package dev.mcpbus.testing;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * One request that a {@link FakeMcpServer} has received. Immutable.
 *
 * @param method of MCP, for example {@code tools/call}
 * @param params as they came
 * @param principal who called, null where the caller's door tells none
 */
@PublicApi
public record RecordedRequest(String method, JsonObject params, @Nullable String principal) {

  public RecordedRequest {
    params = params.copy();
  }

  /** A copy. */
  @Override
  public JsonObject params() {
    return params.copy();
  }

  /** The name of the tool or prompt, or the URI of the resource; empty if the params have none. */
  public String subject() {
    return params.getString("name", params.getString("uri", ""));
  }

  /** The arguments of the tool or prompt; empty if there are none. */
  public JsonObject arguments() {
    return params().getJsonObject("arguments", new JsonObject());
  }

  /** {@code tools/call status {"path":"."}} */
  @Override
  public String toString() {
    return method + " " + subject() + " " + arguments().encode();
  }
}
