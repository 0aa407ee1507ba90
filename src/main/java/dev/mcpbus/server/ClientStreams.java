package dev.mcpbus.server;

import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The open {@code subscriptions/listen} streams of one client of the {@code discover} era (MCP
 * 2026-07-28, Subscriptions). Owner: the context of its {@link ServerSession}.
 */
final class ClientStreams {

  private static final int MOST = 16;
  private static final int MOST_RESOURCES = 1_024;

  private record Stream(Object subscription, Set<String> notifications, Set<String> resources) {}

  /** For each member of a filter, the notification that it subscribes to. */
  private static final Map<String, String> FILTERS =
      Map.of(
          "toolsListChanged", Methods.TOOLS_CHANGED,
          "resourcesListChanged", Methods.RESOURCES_CHANGED,
          "promptsListChanged", Methods.PROMPTS_CHANGED);

  private final Map<RawJson, Stream> open = new HashMap<>();
  private final BiFunction<String, JsonObject, Future<Void>> out;

  /**
   * @param out sends a notification; completes when the channel has taken it
   */
  ClientStreams(BiFunction<String, JsonObject, Future<Void>> out) {
    this.out = out;
  }

  /**
   * Opens a stream and acknowledges the part of the filter that this server supports.
   *
   * @param capabilities of this server
   * @throws RequestException -32602 if the client has too many streams or names too many resources
   */
  void open(ServerRequest request, JsonObject capabilities) {
    JsonObject filter = RequestPeer.object(request.params(), "notifications");
    JsonObject accepted = new JsonObject();
    Set<String> notifications = new HashSet<>();
    FILTERS.forEach(
        (member, notification) -> {
          String list = member.substring(0, member.indexOf("List"));
          if (Boolean.TRUE.equals(filter.getValue(member)) && capabilities.containsKey(list)) {
            accepted.put(member, true);
            notifications.add(notification);
          }
        });
    List<String> uris = uris(filter);
    if (!uris.isEmpty() && capabilities.containsKey("resources")) {
      accepted.put("resourceSubscriptions", new JsonArray(uris));
      notifications.add(Methods.RESOURCE_UPDATED);
    }
    if (open.size() >= MOST || uris.size() > MOST_RESOURCES) {
      throw RequestException.invalid(
          "at most " + MOST + " streams and " + MOST_RESOURCES + " resources in one; close some");
    }
    Object subscription = Json.decodeValue(request.id().toString());
    Stream stream = new Stream(subscription, notifications, Set.copyOf(uris));
    open.put(request.id(), stream);
    Future<Void> unused =
        out.apply(
            Methods.ACKNOWLEDGED, tagged(stream, new JsonObject().put("notifications", accepted)));
  }

  private static List<String> uris(JsonObject filter) {
    List<String> uris = new ArrayList<>();
    if (filter.getValue("resourceSubscriptions") instanceof JsonArray array) {
      array.forEach(uri -> uris.add(String.valueOf(uri)));
    }
    return uris;
  }

  private static JsonObject tagged(Stream stream, JsonObject params) {
    JsonObject meta =
        RequestPeer.object(params, "_meta")
            .copy()
            .put(MetaKeys.SUBSCRIPTION_ID, stream.subscription);
    return params.copy().put("_meta", meta);
  }

  /** Sends the notification on every stream whose filter names it. */
  Future<Void> notifySubscribed(String notification, JsonObject params) {
    List<Future<Void>> sent = new ArrayList<>();
    @Nullable Object uri = params.getValue("uri");
    for (Stream stream : open.values()) {
      boolean about =
          !notification.equals(Methods.RESOURCE_UPDATED)
              || stream.resources.contains(String.valueOf(uri));
      if (about && stream.notifications.contains(notification)) {
        sent.add(out.apply(notification, tagged(stream, params)));
      }
    }
    return Future.join(sent).mapEmpty();
  }

  void close(RawJson id) {
    open.remove(id);
  }
}
