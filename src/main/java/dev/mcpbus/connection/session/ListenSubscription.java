package dev.mcpbus.connection.session;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TasksExtension;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one {@code subscriptions/listen} of a session of the {@code discover} era: the list changes
 * that the server offers, updates of the resources that callers subscribed to, and changes of the
 * tasks that they follow. When the subscriptions change, it opens a new stream before it closes the
 * old one, so that it misses nothing between them. It opens a stream that has ended again, after a
 * pause. Owner: the connection's context.
 */
public final class ListenSubscription {

  private static final Logger LOG = LoggerFactory.getLogger(ListenSubscription.class);
  private static final String TASKS = "taskIds";
  private static final long FIRST_PAUSE_MILLIS = 500;
  private static final long LAST_PAUSE_MILLIS = 30_000;

  /** A stream has no answer while it is open, so its request gets a deadline that never comes. */
  private static final Duration FOR_EVER = Duration.ofDays(3650);

  private final Session session;
  private final SessionPreferences preferences;
  private final JsonObject capabilities;
  private long stream = -1;
  private long retry = -1;
  private long pause = FIRST_PAUSE_MILLIS;
  private long openedAt;
  private JsonObject wanted = new JsonObject();
  private boolean stopped;

  /**
   * Whether the server has opened the present stream: an error then ends it, and refuses nothing.
   */
  private boolean acknowledged;

  /** The server refused a filter with tasks; the next filters leave them out. */
  private boolean tasksRefused;

  public ListenSubscription(
      Session session, SessionPreferences preferences, JsonObject capabilities) {
    this.session = session;
    this.preferences = preferences;
    this.capabilities = capabilities;
  }

  /** Replaces the stream by one for the present subscriptions; opens none if there are none. */
  public void refresh() {
    JsonObject filter = filter();
    long old = stream;
    stream = -1;
    if (!filter.isEmpty() && !stopped && !session.isOver()) {
      open(filter);
    }
    if (old >= 0) {
      session.abandon(old, "replaced by a new subscription");
    }
  }

  public void stop() {
    stopped = true;
    if (retry >= 0) {
      session.vertx().cancelTimer(retry);
    }
  }

  private void open(JsonObject filter) {
    InternalRequest call =
        new InternalRequest(Methods.LISTEN, session.clock().millis() + FOR_EVER.toMillis());
    wanted = filter;
    acknowledged = false;
    openedAt = session.clock().millis();
    stream = session.send(call, RawJson.of(new JsonObject().put("notifications", filter)));
    long mine = stream;
    call.future()
        .onComplete(
            ended -> {
              if (stream == mine) {
                stream = -1;
                again(ended.failed() ? ended.cause() : null);
              }
            });
  }

  /** The server acknowledges the stream and names the part of the filter that it accepts. */
  public void acknowledged(RawJson params) {
    acknowledged = true;
    JsonObject accepted =
        params.toJsonObject().getValue("notifications") instanceof JsonObject filter
            ? filter
            : new JsonObject();
    if (!accepted.fieldNames().containsAll(wanted.fieldNames())) {
      LOG.info(
          "the server accepts a part of the subscription: requested {}, accepted {}",
          wanted,
          accepted);
    }
  }

  /** The server ends the stream by a notification: over stdio it cannot close it. */
  public void cancelled(@Nullable RawJson requestId) {
    if (requestId != null && stream >= 0 && requestId.asLong() == stream) {
      session.ended(stream);
    }
  }

  private void again(@Nullable Throwable failure) {
    if (stopped || session.isOver()) {
      return;
    }
    if (failure != null
        && !acknowledged
        && ConnectionFailures.upstreamError(McpFailure.of(failure)) != null) {
      if (wanted.containsKey(TASKS) && !tasksRefused) {
        tasksRefused = true;
        refresh();
        return;
      }
      LOG.info("the server refuses subscriptions: {}", failure.getMessage());
      return;
    }
    if (session.clock().millis() - openedAt > LAST_PAUSE_MILLIS) {
      pause = FIRST_PAUSE_MILLIS;
    }
    retry =
        session
            .vertx()
            .setTimer(
                pause,
                now -> {
                  retry = -1;
                  refresh();
                });
    pause = Math.min(pause * 2, LAST_PAUSE_MILLIS);
  }

  private JsonObject filter() {
    JsonObject filter = new JsonObject();
    for (String list : new String[] {"tools", "prompts", "resources"}) {
      if (capabilities.getValue(list) instanceof JsonObject offered
          && Boolean.TRUE.equals(offered.getValue("listChanged"))) {
        filter.put(list + "ListChanged", true);
      }
    }
    if (!preferences.subscribers().uris().isEmpty()) {
      JsonArray uris = new JsonArray();
      preferences.subscribers().uris().forEach(uris::add);
      filter.put("resourceSubscriptions", uris);
    }
    if (!preferences.tasks().isEmpty()
        && !tasksRefused
        && TasksExtension.isOfferedBy(true, capabilities)) {
      JsonArray tasks = new JsonArray();
      preferences.tasks().forEach(tasks::add);
      filter.put(TASKS, tasks);
    }
    return filter;
  }
}
