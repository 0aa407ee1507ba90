package dev.mcpbus.protocol;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Method names of MCP, as the specification writes them. */
public final class Methods {

  /** How the name of each notification of MCP begins. */
  static final String NOTIFICATIONS = "notifications/";

  public static final String INITIALIZE = "initialize";
  public static final String INITIALIZED = "notifications/initialized";
  public static final String DISCOVER = "server/discover";
  public static final String LISTEN = "subscriptions/listen";
  public static final String ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
  public static final String PING = "ping";
  public static final String CANCELLED = "notifications/cancelled";
  public static final String PROGRESS = "notifications/progress";
  public static final String MESSAGE = "notifications/message";

  public static final String TOOLS_LIST = "tools/list";
  public static final String TOOLS_CALL = "tools/call";
  public static final String TOOLS_CHANGED = "notifications/tools/list_changed";

  public static final String RESOURCES_LIST = "resources/list";
  public static final String RESOURCES_TEMPLATES = "resources/templates/list";
  public static final String RESOURCES_READ = "resources/read";
  public static final String RESOURCES_SUBSCRIBE = "resources/subscribe";
  public static final String RESOURCES_UNSUBSCRIBE = "resources/unsubscribe";
  public static final String RESOURCES_CHANGED = "notifications/resources/list_changed";
  public static final String RESOURCE_UPDATED = "notifications/resources/updated";

  /** Of the extension of skills (SEP-2640), as are the two below. */
  public static final String DIRECTORY_READ = "resources/directory/read";

  public static final String SKILLS_LIST = "skills/list";
  public static final String SKILLS_GET = "skills/get";

  public static final String PROMPTS_LIST = "prompts/list";
  public static final String PROMPTS_GET = "prompts/get";
  public static final String PROMPTS_CHANGED = "notifications/prompts/list_changed";

  public static final String COMPLETE = "completion/complete";
  public static final String SET_LEVEL = "logging/setLevel";

  /** What {@link #SET_LEVEL} takes, the least first. */
  public static final List<String> LOG_LEVELS =
      List.of("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency");

  public static final String ROOTS_LIST = "roots/list";
  public static final String ROOTS_CHANGED = "notifications/roots/list_changed";
  public static final String SAMPLING = "sampling/createMessage";
  public static final String ELICITATION = "elicitation/create";

  /** The questions that a server may ask. */
  public static final Set<String> QUESTIONS = Set.of(ROOTS_LIST, SAMPLING, ELICITATION);

  public static final String TASKS_GET = "tasks/get";
  public static final String TASKS_CANCEL = "tasks/cancel";

  /** {@code discover} era only. */
  public static final String TASKS_UPDATE = "tasks/update";

  /** These two are in 2025-11-25 only. */
  public static final String TASKS_RESULT = "tasks/result";

  public static final String TASKS_LIST = "tasks/list";

  /** A task has changed: the notification of 2025-11-25 and the one of the {@code discover} era. */
  public static final String TASKS_STATUS = "notifications/tasks/status";

  public static final String TASKS_CHANGED = "notifications/tasks";

  /**
   * Requests that a server may answer with questions (MCP 2026-07-28, Multi Round-Trip Requests).
   */
  public static final Set<String> MULTI_ROUND_TRIP =
      Set.of(TOOLS_CALL, PROMPTS_GET, RESOURCES_READ);

  /** Requests whose result may say nothing: confirmations, and lists that may be empty. */
  private static final Set<String> CONFIRMED =
      Set.of(
          PING,
          SET_LEVEL,
          RESOURCES_SUBSCRIBE,
          RESOURCES_UNSUBSCRIBE,
          TOOLS_LIST,
          RESOURCES_LIST,
          RESOURCES_TEMPLATES,
          PROMPTS_LIST);

  /** Every method that MCP defines and this class names. */
  private static final Set<String> KNOWN =
      Set.of(
          INITIALIZE,
          INITIALIZED,
          DISCOVER,
          LISTEN,
          ACKNOWLEDGED,
          PING,
          CANCELLED,
          PROGRESS,
          MESSAGE,
          TOOLS_LIST,
          TOOLS_CALL,
          TOOLS_CHANGED,
          RESOURCES_LIST,
          RESOURCES_TEMPLATES,
          RESOURCES_READ,
          RESOURCES_SUBSCRIBE,
          RESOURCES_UNSUBSCRIBE,
          RESOURCES_CHANGED,
          RESOURCE_UPDATED,
          PROMPTS_LIST,
          PROMPTS_GET,
          PROMPTS_CHANGED,
          COMPLETE,
          SET_LEVEL,
          ROOTS_LIST,
          ROOTS_CHANGED,
          SAMPLING,
          ELICITATION,
          TASKS_GET,
          TASKS_CANCEL,
          TASKS_UPDATE,
          TASKS_RESULT,
          TASKS_LIST,
          TASKS_STATUS,
          TASKS_CHANGED,
          SKILLS_LIST,
          SKILLS_GET,
          DIRECTORY_READ);

  private static final Set<String> LETTERS =
      KNOWN.stream().map(Methods::letters).collect(Collectors.toUnmodifiableSet());

  private Methods() {}

  /**
   * Whether this class names the method, or one that differs in case, blanks or signs alone: a
   * server might read it as that one. What it does not name may be of an extension.
   */
  public static boolean isKnown(String method) {
    if (KNOWN.contains(method) || LETTERS.contains(letters(method))) {
      return true;
    }
    int nul = method.indexOf('\0'); // a server in C reads no further
    return nul >= 0 && LETTERS.contains(letters(method.substring(0, nul)));
  }

  /**
   * Whether the answer to a request may come only when a stream ends: {@code subscriptions/listen},
   * and what an extension may define, such as {@code events/stream} (SEP-3415).
   */
  public static boolean mayStream(String method) {
    return method.equals(LISTEN) || !isKnown(method);
  }

  /** Whether {@code null} as the result of the request can only mean that there is nothing. */
  public static boolean mayBeEmpty(String method) {
    return CONFIRMED.contains(method);
  }

  /** Whether this class names exactly this method. */
  public static boolean isExactly(String method) {
    return KNOWN.contains(method);
  }

  /** Whether it is a request of MCP in any version, exactly as MCP writes it. */
  public static boolean isRequest(String method) {
    return KNOWN.contains(method) && !method.startsWith(NOTIFICATIONS);
  }

  /** The letters and digits of a method, without differences that a comparison may leave out. */
  private static String letters(String method) {
    StringBuilder letters = new StringBuilder(method.length());
    UriForms.folded(method)
        .codePoints()
        .filter(Character::isLetterOrDigit)
        .forEach(letters::appendCodePoint);
    return letters.toString();
  }

  /** Whether a request is about a task that exists. */
  public static boolean isOfTasks(String request) {
    return request.startsWith("tasks/");
  }
}
