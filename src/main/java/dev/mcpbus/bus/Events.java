package dev.mcpbus.bus;

import io.vertx.core.json.JsonObject;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Types of the facts published on {@code mcp.<id>.events} and {@code mcp.events}: JSON objects with
 * {@code type}, {@code id}, {@code epoch}, {@code time} (ISO-8601) and members of their own.
 */
public final class Events {

  /** {@code from}, {@code to}: names of {@link ConnectionState}. */
  public static final String STATE_CHANGED = "stateChanged";

  /** A session is ready: {@code era}, {@code protocolVersion}, {@code server}, {@code tools}. */
  public static final String CONNECTED = "connected";

  /** A session is over: {@code code}, {@code message}. */
  public static final String DISCONNECTED = "disconnected";

  /** {@code attempt}, {@code delay} in ms. */
  public static final String RESTARTING = "restarting";

  /** {@code reprobe} in ms, {@code message}; {@code lastError} as in the status, where known. */
  public static final String GAVE_UP = "gaveUp";

  /** {@code tools}: how many; {@code leftOut}: why others cannot be used, by name. */
  public static final String TOOLS_CHANGED = "toolsListChanged";

  public static final String RESOURCES_CHANGED = "resourcesListChanged";
  public static final String PROMPTS_CHANGED = "promptsListChanged";

  /** {@code params} of the notification, with {@code uri}. */
  public static final String RESOURCE_UPDATED = "resourceUpdated";

  /** {@code params} of {@code notifications/message}. */
  public static final String LOG = "log";

  /** {@code params} of a progress notification whose token no call of ours carries. */
  public static final String PROGRESS = "progress";

  /**
   * {@code params} of a notification that a task changed: the task as its server tells it; {@code
   * principal} whose it is, where that is known.
   */
  public static final String TASK = "task";

  /** {@code method} and {@code params} of any other notification. */
  public static final String NOTIFICATION = "notification";

  /**
   * {@code check}: the method that failed; {@code failures} in a row, {@code code}, {@code
   * message}.
   */
  public static final String HEALTH_CHECK_FAILED = "healthCheckFailed";

  /**
   * The tools are not what they were: {@code added}, {@code removed}, {@code changed: [{tool,
   * before, hash, differences: [{path, before, after}]}]}, {@code counts}, {@code hash} of the
   * list, {@code quarantined}, {@code message}.
   */
  public static final String SCHEMA_DRIFT = "schemaDrift";

  /** {@code approved}: hash by tool; {@code quarantined}: what still waits. */
  public static final String SCHEMA_APPROVED = "schemaApproved";

  /**
   * A server's question waits for {@code mcp.input.respond}: {@code question}, {@code method},
   * {@code message}, {@code mode}; {@code principal} for whose sake it asks, where that is known.
   */
  public static final String INPUT_REQUESTED = "inputRequested";

  /**
   * {@code question}, {@code principal}, {@code outcome}: {@code answered}, {@code expired} or
   * {@code withdrawn}.
   */
  public static final String INPUT_RESOLVED = "inputResolved";

  /**
   * Asked, not published, of the holder of a private connection: whether he can do without it, so
   * that another client gets one. He answers {@code {inUse: true}}, or ends what he has with it.
   */
  public static final String ROOM_WANTED = "roomWanted";

  public static final String SERVER_ADDED = "serverAdded";
  public static final String SERVER_CHANGED = "serverChanged";
  public static final String SERVER_REMOVED = "serverRemoved";

  /** Every type. */
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
          SERVER_ADDED,
          SERVER_CHANGED,
          SERVER_REMOVED);

  /** Those about what is kept for a principal; {@code principal} names him where he is known. */
  private static final Set<String> OWNED = Set.of(TASK, INPUT_REQUESTED, INPUT_RESOLVED);

  private Events() {}

  /** True where a fact is for its {@code principal} and for admins alone. */
  public static boolean isOwned(String type) {
    return OWNED.contains(type);
  }

  /**
   * Whether somebody may hear a fact.
   *
   * @param who null for a program on the bus
   */
  public static boolean isFor(@Nullable Requester who, JsonObject event) {
    return !isOwned(event.getString("type", ""))
        || Requester.sees(who, event.getString("principal"));
  }
}
