package dev.mcpbus.cli.stdio;

import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a client has set in its session and another session has to get again: the log level and the
 * resources that it watches. Confined to the bridge's context.
 */
final class SessionSettings {

  /** Beyond this the first ones are forgotten: their updates end with the session. */
  private static final int MAX_RESOURCES = 1_000;

  private final Map<String, RawJson> watched =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, RawJson> eldest) {
          return size() > MAX_RESOURCES;
        }
      };

  private @Nullable RawJson level;

  void clear() {
    watched.clear();
    level = null;
  }

  /** Notes a request that the client sends. */
  void note(BridgeRequest request) {
    switch (request.method) {
      case Methods.SET_LEVEL -> level = request.text;
      case Methods.RESOURCES_SUBSCRIBE -> watched.put(uri(request), request.text);
      case Methods.RESOURCES_UNSUBSCRIBE -> watched.remove(uri(request));
      default -> {}
    }
  }

  private static String uri(BridgeRequest request) {
    RawJson params = request.text.member("params");
    RawJson uri = params == null || !params.isObject() ? null : params.member("uri");
    return uri != null && uri.isString() ? uri.asString() : "";
  }

  /** Hands out each method and request to send again. */
  void repeat(BiConsumer<String, RawJson> sender) {
    if (level != null) {
      sender.accept(Methods.SET_LEVEL, level);
    }
    watched.values().forEach(text -> sender.accept(Methods.RESOURCES_SUBSCRIBE, text));
  }
}
