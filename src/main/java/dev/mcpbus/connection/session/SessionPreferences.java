package dev.mcpbus.connection.session;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What callers want of a connection beyond one session's life: log level, resource subscriptions,
 * and what we offer the server. Owner: the connection's context.
 */
public final class SessionPreferences {

  private static final int MAX_TASKS = 256;

  private final JsonObject configured;
  private RawJson capabilities;
  private JsonObject advertised = new JsonObject();
  private @Nullable RawJson logLevel;
  private final ResourceSubscribers watchers = new ResourceSubscribers();
  private final Set<String> tasks = new LinkedHashSet<>();
  private long generation;

  /**
   * @param configured what is offered to the server whoever is there
   */
  public SessionPreferences(JsonObject configured) {
    this.configured = configured;
    this.capabilities = RawJson.of(configured);
  }

  /** Changes with what every request carries. */
  long generation() {
    return generation;
  }

  /** What every request of the {@code server/discover} era carries. */
  RawJson capabilities() {
    return capabilities;
  }

  /** Callers now offer {@code offered}, beside what is configured. */
  public void offer(JsonObject offered) {
    capabilities = RawJson.of(configured.copy().mergeIn(offered, true));
    generation++;
  }

  /** What {@code initialize} is to carry; from then on the session's server knows of it. */
  JsonObject advertise() {
    advertised = capabilities.toJsonObject();
    return advertised;
  }

  /** True where a fresh {@code initialize} would tell the server of more than it knows. */
  public boolean hasNews() {
    return !covers(advertised, capabilities.toJsonObject());
  }

  /**
   * True where the server was told that {@code method} will be answered.
   *
   * @param perRequest true in the era that tells it with every request
   */
  public boolean isOffered(String method, JsonObject params, boolean perRequest) {
    return covers(perRequest ? capabilities.toJsonObject() : advertised, method, params);
  }

  /** True where servers are told so whoever is there. */
  public boolean isConfigured(String method, JsonObject params) {
    return covers(configured, method, params);
  }

  private static boolean covers(JsonObject told, String method, JsonObject params) {
    String capability = method.substring(0, method.indexOf('/'));
    if (!(told.getValue(capability) instanceof JsonObject settings)) {
      return false;
    }
    // An empty object means forms alone (Elicitation, Capabilities).
    return !"url".equals(params.getValue("mode")) || settings.containsKey("url");
  }

  private static boolean covers(JsonObject told, JsonObject wanted) {
    for (Map.Entry<String, Object> entry : wanted) {
      Object known = told.getValue(entry.getKey());
      if (entry.getValue() instanceof JsonObject inner
          ? !(known instanceof JsonObject object && covers(object, inner))
          : !entry.getValue().equals(known)) {
        return false;
      }
    }
    return true;
  }

  /** A JSON string, null where nobody asked for log messages. */
  public @Nullable RawJson logLevel() {
    return logLevel;
  }

  public void logLevel(RawJson level) {
    logLevel = level;
    generation++;
  }

  /** Tasks whose changes somebody wants to hear of; the oldest is left out beyond the bound. */
  public Set<String> tasks() {
    return tasks;
  }

  public void follow(String task) {
    tasks.add(task);
    if (tasks.size() > MAX_TASKS) {
      tasks.remove(tasks.iterator().next());
    }
  }

  /** Who wants updates of which resources. */
  public ResourceSubscribers watchers() {
    return watchers;
  }
}
