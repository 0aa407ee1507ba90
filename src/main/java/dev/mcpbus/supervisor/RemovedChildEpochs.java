package dev.mcpbus.supervisor;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The last epochs of children that are gone, so that a later one of the same id continues. Of more
 * than {@link #MAX} the longest gone is forgotten, and whoever is not known begins above all that
 * were forgotten. Owner: the {@link Supervision}.
 */
final class RemovedChildEpochs {

  static final int MAX = 64;

  private final Map<String, Long> last = new LinkedHashMap<>();
  private long forgotten;

  /**
   * @param epoch its last, 0 where it never had a session
   */
  void gone(String id, long epoch) {
    last.put(id, Math.max(epoch, before(id)));
    if (last.size() > MAX) {
      Iterator<Long> longest = last.values().iterator();
      forgotten = Math.max(forgotten, longest.next());
      longest.remove();
    }
  }

  /** The epoch above which a child of that id begins. */
  long before(String id) {
    return last.getOrDefault(id, forgotten);
  }
}
