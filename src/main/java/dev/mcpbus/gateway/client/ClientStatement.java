package dev.mcpbus.gateway.client;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a private connection tells its server about the client.
 *
 * @param initialize the params of the client's {@code initialize}, as it wrote them; of a client of
 *     the {@code discover} era what it states with a request
 * @param initialized the params of its {@code notifications/initialized}; null for none
 * @param capabilities those of {@code initialize}
 */
record ClientStatement(RawJson initialize, @Nullable RawJson initialized, JsonObject capabilities) {

  /** Capabilities by which servers decide what they list. */
  private static final List<String> DECIDING =
      List.of("elicitation", "sampling", "roots", "extensions", "experimental");

  /** What a client states in a message of its own, or with a request. */
  static ClientStatement of(RawJson initialize, @Nullable RawJson initialized) {
    RawJson stated = initialize.member("capabilities");
    return new ClientStatement(
        initialize,
        initialized,
        stated == null || !stated.isObject() ? new JsonObject() : stated.toJsonObject());
  }

  /** Adds it to a message of which older nodes know no texts. */
  JsonObject into(JsonObject wish) {
    RawJson clientInfo = initialize.member("clientInfo");
    RawJson version = initialize.member("protocolVersion");
    return wish.put("capabilities", capabilities)
        .put(
            "clientInfo",
            clientInfo == null || !clientInfo.isObject() ? null : clientInfo.toJsonObject())
        .put("protocolVersion", version == null || !version.isString() ? null : version.asString())
        .put("initialize", initialize.toString())
        .put("initialized", initialized == null ? null : initialized.toString());
  }

  boolean decidesLists() {
    return DECIDING.stream().anyMatch(capabilities::containsKey);
  }
}
