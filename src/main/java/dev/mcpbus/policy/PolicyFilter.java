package dev.mcpbus.policy;

import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Operation;
import dev.mcpbus.security.Rights;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Removes from lists what the caller may not use: a denied entry looks like one that does not
 * exist. Stateless.
 */
public final class PolicyFilter {

  private PolicyFilter() {}

  /** Whether a tool, a prompt or a URI of a server is in the caller's lists. */
  public static boolean shows(Rights rights, ListKind kind, String server, String key) {
    return rights.lists(use(kind), server, key);
  }

  /** The action of using an entry: a caller's list has what the caller may use. */
  private static Action use(ListKind kind) {
    return switch (kind) {
      case TOOLS -> Action.CALL;
      case PROMPTS -> Action.GET;
      case RESOURCES, TEMPLATES, SKILLS -> Action.READ;
    };
  }

  /**
   * The visible part of the result of one server's list, or of an aggregate.
   *
   * @param server null for an aggregate, whose entries name their server; an entry that does not is
   *     removed
   */
  public static Buffer visible(Buffer result, @Nullable String server, Rights rights) {
    if (rights.isUnbounded()) {
      return result;
    }
    JsonObject lists = new JsonObject(result);
    for (ListKind kind : ListKind.values()) {
      if (lists.getValue(kind.member) instanceof JsonArray entries) {
        lists.put(kind.member, filtered(entries, entry -> isVisible(entry, kind, server, rights)));
      }
    }
    if (lists.containsKey("cacheScope")) {
      lists.put("cacheScope", "private"); // other callers have another list
    }
    if (server == null && lists.remove("_meta") instanceof JsonObject meta) {
      // The rest contains the names of left-out entries.
      JsonArray notListed =
          filtered(
              meta.getJsonArray(MetaKeys.NOT_LISTED, new JsonArray()),
              one -> rights.sees(one.getString("server", "")));
      if (!notListed.isEmpty()) {
        lists.put("_meta", new JsonObject().put(MetaKeys.NOT_LISTED, notListed));
      }
    } else if (lists.getValue("_meta") instanceof JsonObject meta) {
      meta.remove(MetaKeys.LEFT_OUT); // these contain names that the caller may not see
      meta.remove(MetaKeys.QUARANTINED);
      meta.remove(MetaKeys.MENDED);
    }
    return lists.toBuffer();
  }

  /** The names of a list's tools. */
  public static JsonArray toolNames(Buffer list) {
    JsonArray names = new JsonArray();
    for (Object tool : new JsonObject(list).getJsonArray("tools", new JsonArray())) {
      names.add(((JsonObject) tool).getString("name"));
    }
    return names;
  }

  private static boolean isVisible(
      JsonObject entry, ListKind kind, @Nullable String server, Rights rights) {
    if (!(entry.getValue(kind.key) instanceof String name)) {
      return false;
    }
    if (server != null) {
      return shows(rights, kind, server, name);
    }
    if (!(entry.getValue("_meta") instanceof JsonObject meta)
        || !(meta.getValue(MetaKeys.SERVER) instanceof String owner)) {
      return false;
    }
    if (!kind.isNamed()) {
      return shows(rights, kind, owner, name);
    }
    String prefix = owner + ".";
    return name.startsWith(prefix) && shows(rights, kind, owner, name.substring(prefix.length()));
  }

  /** Members of a status that count or name the tools of its server, whoever may see them. */
  private static final List<String> OF_TOOLS =
      List.of("tools", "duplicateTools", "leftOutTools", "toolsHash", "quarantined", "lastDrift");

  /**
   * Takes out of the status of a server, or of its description, what the caller's lists hide, and
   * what is for its administrators: the output of its process, and the id of its session, which is
   * a credential.
   *
   * @return {@code status}
   */
  public static JsonObject status(JsonObject status, Rights rights) {
    String server = status.getString("id", "");
    List<JsonObject> replicas =
        status.getValue("replicas") instanceof JsonArray all
            ? all.stream().map(JsonObject.class::cast).toList()
            : List.of();
    if (!rights.listsAllTools(server)) {
      OF_TOOLS.forEach(status::remove);
      withoutToolBreakers(status);
      replicas.forEach(PolicyFilter::withoutToolBreakers);
      JsonObject config = status.getJsonObject("config", new JsonObject());
      if (config.getValue("pin") instanceof JsonObject) {
        config.put("pin", true); // without the names and hashes of the tools
      }
    }
    if (!rights.allows(Action.ADMIN, server, "")) {
      JsonObject transport = status.getJsonObject("transport", new JsonObject());
      List.of("stderr", "stdout", "sessionId").forEach(transport::remove);
      status.remove("sessionId");
      replicas.forEach(replica -> replica.remove("sessionId"));
    }
    return status;
  }

  private static void withoutToolBreakers(JsonObject status) {
    if (status.getValue("breaker") instanceof JsonObject breaker) {
      breaker.remove("tools");
    }
  }

  /**
   * The form of an event for callers who may not see all tools of its server: the event itself
   * where it names and counts none of them; null where it is about them alone.
   */
  public static @Nullable JsonObject withoutTools(JsonObject event) {
    return switch (event.getString("type", "")) {
      case Events.SCHEMA_DRIFT, Events.SCHEMA_APPROVED -> null;
      case Events.BREAKER_CHANGED -> event.containsKey("tool") ? null : event;
      case Events.TOOLS_CHANGED -> {
        JsonObject bare = event.copy();
        bare.remove("tools");
        bare.remove("leftOut");
        yield bare;
      }
      default -> event;
    };
  }

  /**
   * Takes out of the service's list of servers what the caller may not see; returns {@code reply}.
   */
  public static JsonObject servers(JsonObject reply, Rights rights) {
    for (String list : List.of("servers", "leftOut")) {
      if (reply.getValue(list) instanceof JsonArray all) {
        JsonArray seen = filtered(all, server -> rights.sees(server.getString("id", "")));
        seen.forEach(server -> status((JsonObject) server, rights));
        reply.put(list, seen);
      }
    }
    if (!rights.isUnbounded() && !rights.allows(Action.ADMIN, "", "")) {
      reply.remove("problems"); // sentences about the node, which may name any server
      reply.remove("notes");
    }
    return reply;
  }

  /** The part of all servers' calls that is of servers which the caller may administer. */
  public static JsonObject calls(JsonObject reply, Rights rights) {
    JsonObject left = reply.copy();
    for (String list : List.of("inFlight", "recent")) {
      left.put(
          list,
          filtered(
              reply.getJsonArray(list),
              call -> rights.allows(Action.ADMIN, call.getString("server", ""), "")));
    }
    if (reply.getValue("missing") instanceof JsonArray missing) {
      left.put(
          "missing",
          new JsonArray(
              missing.stream()
                  .filter(id -> rights.allows(Action.ADMIN, ofReplica(String.valueOf(id)), ""))
                  .toList()));
    }
    return left;
  }

  /** The server of {@code server} or {@code server@replica}. */
  private static String ofReplica(String id) {
    int at = id.indexOf('@');
    return at < 0 ? id : id.substring(0, at);
  }

  /**
   * The part of all servers' activity that is of servers which the caller sees, and of which it may
   * see the metrics.
   */
  public static JsonObject activity(JsonObject reply, Rights rights) {
    if (rights.isUnbounded()) {
      return reply;
    }
    JsonObject servers = new JsonObject();
    for (Map.Entry<String, Object> one : reply.getJsonObject("servers")) {
      if (rights.permits(Operation.of(Action.METRICS, one.getKey(), ""))) {
        servers.put(one.getKey(), one.getValue());
      }
    }
    JsonObject left = new JsonObject().put("servers", servers);
    List<Object> missing =
        reply.getJsonArray("missing", new JsonArray()).stream()
            .filter(id -> rights.permits(Operation.of(Action.METRICS, String.valueOf(id), "")))
            .toList();
    return missing.isEmpty() ? left : left.put("missing", new JsonArray(missing));
  }

  private static JsonArray filtered(JsonArray entries, Predicate<JsonObject> wanted) {
    JsonArray left = new JsonArray();
    for (Object entry : entries) {
      if (entry instanceof JsonObject object && wanted.test(object)) {
        left.add(object);
      }
    }
    return left;
  }
}
