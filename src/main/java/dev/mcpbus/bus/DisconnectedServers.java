package dev.mcpbus.bus;

import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which connections of this node a caller has disconnected. It holds through a change of the
 * definition and a crash of the verticle, until a caller connects or restarts the server, or the
 * connection ends on this node. One instance for each Vert.x; any thread may call.
 */
public final class DisconnectedServers implements Shareable {

  private final Set<String> children = ConcurrentHashMap.newKeySet();

  private DisconnectedServers() {}

  public static DisconnectedServers of(Vertx vertx) {
    LocalMap<String, DisconnectedServers> all =
        vertx.sharedData().getLocalMap("dev.mcpbus.disconnected");
    return all.computeIfAbsent("", absent -> new DisconnectedServers());
  }

  /**
   * @param child the name of the connection at its supervisor
   */
  public boolean contains(String child) {
    return children.contains(child);
  }

  /**
   * @param child the name of the connection at its supervisor
   * @param disconnected false where it is connected again, or forgotten
   */
  public void set(String child, boolean disconnected) {
    if (disconnected) {
      children.add(child);
    } else {
      children.remove(child);
    }
  }

  /** Forgets those of a bus that has ended. */
  public void clear() {
    children.clear();
  }
}
