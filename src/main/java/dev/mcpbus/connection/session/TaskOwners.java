package dev.mcpbus.connection.session;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whose calls became which tasks of one server. Each principal has so many, the oldest is forgotten
 * first; of too many principals the one who was idle longest is. A task that is forgotten, or was
 * made before this process began, is nobody's. Owner: the connection's context.
 */
public final class TaskOwners {

  static final int MAX_TASKS = 256;
  static final int MAX_OWNERS = 1_000;
  private static final int MAX_ID = 512;

  private final Map<String, String> byTask = new HashMap<>();
  private final Map<String, Set<String>> byOwner = new LinkedHashMap<>(16, 0.75f, true);

  /**
   * @param owner null for a program on the bus, whose tasks are no principal's
   */
  public void note(String task, @Nullable String owner) {
    if (task.isEmpty() || task.length() > MAX_ID) {
      return;
    }
    String before = byTask.get(task);
    if (before != null || owner == null) {
      return; // a server that gives one id twice gives nobody what is another's
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

  /** Null where that is not known. */
  public @Nullable String of(String task) {
    return byTask.get(task);
  }
}
