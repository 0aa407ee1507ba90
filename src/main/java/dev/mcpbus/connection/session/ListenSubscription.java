package dev.mcpbus.connection.session;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one {@code subscriptions/listen} of a session of the {@code server/discover} era: list
 * changes that the server offers, and updates of the resources that callers subscribed to. A
 * changed wish opens a new stream and then closes the old one, so that nothing is missed between
 * them. A stream that ends is opened again after a pause. Owner: the connection's context.
 */
public final class ListenSubscription {

  private static final Logger LOG = LoggerFactory.getLogger(ListenSubscription.class);
  private static final String TASKS = "taskIds";
  private static final long FIRST_PAUSE_MILLIS = 500;
  private static final long LAST_PAUSE_MILLIS = 30_000;

  /** A stream never answers while it is open; this is for ever, for all that we know. */
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

  /** The server does not tell of tasks; what else it tells must not be lost over that. */
  private boolean tasksRefused;

  public ListenSubscription(
      Session session, SessionPreferences preferences, JsonObject capabilities) {
    this.session = session;
    this.preferences = preferences;
    this.capabilities = capabilities;
  }

  /** Opens the stream for what is wanted now; does nothing where nothing is. */
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

  /** The server says what it will tell of all that was asked for. */
  public void acknowledged(RawJson params) {
    JsonObject accepted =
        params.toJsonObject().getValue("notifications") instanceof JsonObject filter
            ? filter
            : new JsonObject();
    if (!accepted.fieldNames().containsAll(wanted.fieldNames())) {
      LOG.info("asked to hear of {}, the server will tell {}", wanted, accepted);
    }
  }

  /** The server ends a stream: so over stdio, where it cannot close it. */
  public void cancelled(@Nullable RawJson requestId) {
    if (requestId != null && stream >= 0 && requestId.asLong() == stream) {
      session.ended(stream);
    }
  }

  private void again(@Nullable Throwable failure) {
    if (stopped || session.isOver()) {
      return;
    }
    if (failure != null && ConnectionFailures.upstreamError(McpFailure.of(failure)) != null) {
      if (wanted.containsKey(TASKS) && !tasksRefused) {
        tasksRefused = true;
        refresh();
        return;
      }
      LOG.info("the server does not do subscriptions: {}", failure.getMessage());
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

  private boolean offersTasks() {
    return TaskSupport.of(Era.DISCOVER, capabilities).offered();
  }

  private JsonObject filter() {
    JsonObject filter = new JsonObject();
    for (String list : new String[] {"tools", "prompts", "resources"}) {
      if (capabilities.getValue(list) instanceof JsonObject offered
          && Boolean.TRUE.equals(offered.getValue("listChanged"))) {
        filter.put(list + "ListChanged", true);
      }
    }
    if (!preferences.watchers().uris().isEmpty()) {
      JsonArray uris = new JsonArray();
      preferences.watchers().uris().forEach(uris::add);
      filter.put("resourceSubscriptions", uris);
    }
    if (!preferences.tasks().isEmpty() && !tasksRefused && offersTasks()) {
      JsonArray tasks = new JsonArray();
      preferences.tasks().forEach(tasks::add);
      filter.put(TASKS, tasks);
    }
    return filter;
  }
}
