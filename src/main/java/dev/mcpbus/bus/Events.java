package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The types of the events on {@code mcp.<id>.events} and {@code mcp.events}. An event is a JSON
 * object with {@code type}, {@code id}, {@code epoch}, {@code time} (ISO-8601) and the members that
 * the comment of its type lists. Pure functions; any thread may call.
 */
@PublicApi
public final class Events {

  /** {@code from}, {@code to}: names of {@link ConnectionState}. */
  public static final String STATE_CHANGED = "stateChanged";

  /** A session is ready: {@code era}, {@code protocolVersion}, {@code server}, {@code tools}. */
  public static final String CONNECTED = "connected";

  /** A session is over: {@code code}, {@code message}. */
  public static final String DISCONNECTED = "disconnected";

  /** The supervisor has scheduled a restart: {@code attempt}, {@code delay} in ms. */
  public static final String RESTARTING = "restarting";

  /**
   * The supervisor has stopped the quick restarts: {@code reprobe} in ms, {@code message}; {@code
   * lastError} as in the status, if known.
   */
  public static final String GAVE_UP = "gaveUp";

  /** {@code tools}: the number of tools; {@code leftOut}: by name, why a tool cannot be used. */
  public static final String TOOLS_CHANGED = "toolsListChanged";

  public static final String RESOURCES_CHANGED = "resourcesListChanged";
  public static final String PROMPTS_CHANGED = "promptsListChanged";

  /** {@code params} of the notification, with {@code uri}. */
  public static final String RESOURCE_UPDATED = "resourceUpdated";

  /** {@code params} of {@code notifications/message}. */
  public static final String LOG = "log";

  /** {@code params} of a progress notification whose token belongs to no call of mcpbus. */
  public static final String PROGRESS = "progress";

  /**
   * {@code params} of a notification that a task changed: the task as the server sent it; {@code
   * principal}: the owner of the task, if known.
   */
  public static final String TASK = "task";

  /** {@code method} and {@code params} of any other notification. */
  public static final String NOTIFICATION = "notification";

  /**
   * {@code check}: the method that failed; {@code failures}: how many in a row; {@code code},
   * {@code message}.
   */
  public static final String HEALTH_CHECK_FAILED = "healthCheckFailed";

  /**
   * The definitions of tools have changed: {@code added}, {@code removed}, {@code changed: [{tool,
   * before, hash, differences: [{path, before, after}]}]}, {@code counts}, {@code hash} of the
   * list, {@code quarantined}, {@code message}.
   */
  public static final String SCHEMA_DRIFT = "schemaDrift";

  /** {@code approved}: hash by tool; {@code quarantined}: the tools that still wait. */
  public static final String SCHEMA_APPROVED = "schemaApproved";

  /**
   * A server's question waits for an answer at {@code mcp.input.respond}: {@code question}, {@code
   * method}, {@code message}, {@code mode}; {@code principal}: the one whose call caused the
   * question, if known.
   */
  public static final String INPUT_REQUESTED = "inputRequested";

  /**
   * A server's question waits no longer: {@code question}, {@code principal}, {@code outcome}:
   * {@code answered}, {@code expired} or {@code withdrawn}.
   */
  public static final String INPUT_RESOLVED = "inputResolved";

  /**
   * A request to the session host that holds an idle private connection: give it up, so that
   * another client gets one. The host replies {@code {inUse: true}} if the connection is in use
   * again. It is not published.
   */
  public static final String ROOM_WANTED = "roomWanted";

  /**
   * A node has made calls again whose owner or connection was lost: {@code code}, {@code count} of
   * the last second.
   */
  public static final String CALLS_REPEATED = "callsRepeated";

  /**
   * A circuit breaker has changed its state: {@code {from, to, reason, tool?, retryAfter?}}; the
   * states are {@code closed}, {@code open} and {@code halfOpen}. It opens because too many calls
   * failed, and {@code retryAfter} says in how many milliseconds a call is sent as a probe.
   */
  public static final String BREAKER_CHANGED = "breakerChanged";

  /**
   * Each server of the start has had its first attempt; on {@code mcp.events} alone, without an
   * {@code id}, because every reader of events gets it. Once for each process.
   */
  public static final String POOL_STARTED = "poolStarted";

  public static final String SERVER_ADDED = "serverAdded";
  public static final String SERVER_CHANGED = "serverChanged";
  public static final String SERVER_REMOVED = "serverRemoved";

  /** Every published type. */
  public static final Set<String> ALL =
      Set.of(
          STATE_CHANGED,
          CONNECTED,
          DISCONNECTED,
          RESTARTING,
          GAVE_UP,
          TOOLS_CHANGED,
          RESOURCES_CHANGED,
          PROMPTS_CHANGED,
          RESOURCE_UPDATED,
          LOG,
          PROGRESS,
          TASK,
          NOTIFICATION,
          HEALTH_CHECK_FAILED,
          SCHEMA_DRIFT,
          SCHEMA_APPROVED,
          INPUT_REQUESTED,
          INPUT_RESOLVED,
          CALLS_REPEATED,
          BREAKER_CHANGED,
          POOL_STARTED,
          SERVER_ADDED,
          SERVER_CHANGED,
          SERVER_REMOVED);

  /** The types about a thing that is kept for a principal; {@code principal} is its name. */
  private static final Set<String> OWNED = Set.of(TASK, INPUT_REQUESTED, INPUT_RESOLVED);

  private Events() {}

  /** True if only the event's {@code principal} and admins may receive events of this type. */
  public static boolean isOwned(String type) {
    return OWNED.contains(type);
  }

  /**
   * Whether a requester may receive an event. One that names a principal is for that principal
   * alone; if the name is null, for admins.
   *
   * @param requester null for a program on the bus
   */
  public static boolean isFor(@Nullable Requester requester, JsonObject event) {
    return (!isOwned(event.getString("type", "")) && !event.containsKey("principal"))
        || Requester.sees(requester, event.getString("principal"));
  }
}
