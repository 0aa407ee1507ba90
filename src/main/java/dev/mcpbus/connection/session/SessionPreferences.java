package dev.mcpbus.connection.session;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What callers want from a connection and what outlives a session: the log level, subscriptions,
 * followed tasks, and the capabilities that we offer the server. Owner: the connection's context.
 */
public final class SessionPreferences {

  private static final int MAX_TASKS = 256;

  private final JsonObject configured;
  private RawJson capabilities;
  private JsonObject advertised = new JsonObject();
  private @Nullable RawJson logLevel;
  private final ResourceSubscribers subscribers = new ResourceSubscribers();
  private final Set<String> tasks = new LinkedHashSet<>();
  private long generation;

  /**
   * @param configured the capabilities that are offered in any case
   */
  public SessionPreferences(RawJson configured) {
    this.configured = configured.toJsonObject();
    this.capabilities = configured;
  }

  /** Changes when the log level or the capabilities change, which requests carry. */
  long generation() {
    return generation;
  }

  /** The capabilities that we offer now; each request of the {@code discover} era carries them. */
  RawJson capabilities() {
    return capabilities;
  }

  /** Callers now offer {@code offered}, in addition to the configured capabilities. */
  public void offer(JsonObject offered) {
    capabilities = RawJson.of(configured.copy().mergeIn(offered, true));
    generation++;
  }

  /** The capabilities for {@code initialize}; notes that the server has got them. */
  RawJson advertise() {
    advertised = capabilities.toJsonObject();
    return capabilities;
  }

  /** True where a new {@code initialize} would offer the server more than the last one did. */
  public boolean hasNews() {
    return !covers(advertised, capabilities.toJsonObject());
  }

  /**
   * True where we have offered the server to answer {@code method}.
   *
   * @param perRequest true for the {@code discover} era, whose requests carry the capabilities
   */
  public boolean isOffered(String method, JsonObject params, boolean perRequest) {
    return covers(perRequest ? capabilities.toJsonObject() : advertised, method, params);
  }

  /** True where the configuration offers to answer {@code method}. */
  public boolean isConfigured(String method, JsonObject params) {
    return covers(configured, method, params);
  }

  private static boolean covers(JsonObject offered, String method, JsonObject params) {
    String capability = method.substring(0, method.indexOf('/'));
    if (!(offered.getValue(capability) instanceof JsonObject settings)) {
      return false;
    }
    // An empty object means forms alone (Elicitation, Capabilities).
    return !"url".equals(params.getValue("mode")) || settings.getValue("url") != null;
  }

  private static boolean covers(JsonObject offered, JsonObject wanted) {
    for (Map.Entry<String, Object> entry : wanted) {
      Object known = offered.getValue(entry.getKey());
      if (entry.getValue() instanceof JsonObject inner
          ? !(known instanceof JsonObject object && covers(object, inner))
          : !entry.getValue().equals(known)) {
        return false;
      }
    }
    return true;
  }

  /** A JSON string, null where no caller has set a level. */
  public @Nullable RawJson logLevel() {
    return logLevel;
  }

  public void logLevel(RawJson level) {
    logLevel = level;
    generation++;
  }

  /** The tasks that callers follow; beyond the bound the oldest is dropped. */
  public Set<String> tasks() {
    return tasks;
  }

  public void follow(String task) {
    tasks.add(task);
    if (tasks.size() > MAX_TASKS) {
      tasks.remove(tasks.iterator().next());
    }
  }

  /** The subscribers of resources. */
  public ResourceSubscribers subscribers() {
    return subscribers;
  }
}
