package dev.mcpbus.supervisor;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The last epochs of removed children, so that a later child with the same id continues from there.
 * It keeps {@link #MAX} ids and drops the id that was removed longest ago; an unknown id begins
 * above all epochs that were dropped. Confined to its {@link Supervision}.
 */
final class RemovedChildEpochs {

  static final int MAX = 64;

  private final Map<String, Long> last = new LinkedHashMap<>();
  private long forgotten;

  /**
   * Records a removed child.
   *
   * @param epoch the child's last epoch, 0 if it never had a session
   */
  void put(String id, long epoch) {
    last.put(id, Math.max(epoch, before(id)));
    if (last.size() > MAX) {
      Iterator<Long> longest = last.values().iterator();
      forgotten = Math.max(forgotten, longest.next());
      longest.remove();
    }
  }

  /** The epoch above which a child with this id begins. */
  long before(String id) {
    return last.getOrDefault(id, forgotten);
  }
}
