package dev.mcpbus.connection.tasks;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The principal of each task of one server: the one whose call became the task. Bounded: the oldest
 * task of a principal is forgotten first, and the principal that was idle longest. A forgotten
 * task, or one from before the start of this process, has no principal. Owner: the connection's
 * context.
 */
final class TaskOwners {

  static final int MAX_TASKS = 256;
  static final int MAX_OWNERS = 1_000;
  private static final int MAX_ID = 512;

  private final Map<String, String> byTask = new HashMap<>();
  private final Map<String, Set<String>> byOwner = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * Notes the principal of a task.
   *
   * @param owner null for a program on the bus, whose tasks have no principal
   */
  void note(String task, @Nullable String owner) {
    if (task.isEmpty() || task.length() > MAX_ID) {
      return;
    }
    String before = byTask.get(task);
    if (before != null || owner == null) {
      return; // if a server uses an id twice, the task stays with its first principal
    }
    byTask.put(task, owner);
    Set<String> own = byOwner.computeIfAbsent(owner, first -> new LinkedHashSet<>());
    own.add(task);
    if (own.size() > MAX_TASKS) {
      Iterator<String> oldest = own.iterator();
      byTask.remove(oldest.next());
      oldest.remove();
    }
    if (byOwner.size() > MAX_OWNERS) {
      Iterator<Set<String>> idle = byOwner.values().iterator();
      idle.next().forEach(byTask::remove);
      idle.remove();
    }
  }

  /** The principal of the task, null where it is unknown. */
  @Nullable String of(String task) {
    return byTask.get(task);
  }
}
