package dev.mcpbus.cluster.engine;

import io.vertx.core.spi.cluster.RegistrationInfo;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The registrations that the event bus got last, by entry, and those from before that hold while an
 * entry cannot be read again. Any thread may call.
 */
final class RegistrationMemory {

  /** Without lost nodes. */
  private final Map<String, List<RegistrationInfo>> passedOn = new ConcurrentHashMap<>();

  /** What was passed on before it was to be read again, until it has been read. */
  private final Map<String, List<RegistrationInfo>> formerly = new ConcurrentHashMap<>();

  /** Entries of which the former registrations hold. */
  private final Set<String> outdated = ConcurrentHashMap.newKeySet();

  /** The event bus gets these registrations; none are not remembered. */
  void passedOn(String entry, List<RegistrationInfo> live) {
    if (live.isEmpty()) {
      passedOn.remove(entry);
    } else {
      passedOn.put(entry, live);
    }
  }

  /** The registrations of all entries that name a node. */
  Map<String, List<RegistrationInfo>> naming(String node) {
    Map<String, List<RegistrationInfo>> found = new ConcurrentHashMap<>(passedOn);
    found.values().removeIf(all -> all.stream().noneMatch(one -> one.nodeId().equals(node)));
    return found;
  }

  /** The entries that the event bus holds. */
  List<String> entries() {
    return List.copyOf(passedOn.keySet());
  }

  /** An entry is to be read again; what was passed on is what it formerly was. */
  void forget(String entry) {
    List<RegistrationInfo> known = passedOn.remove(entry);
    if (known != null) {
      formerly.put(entry, known);
    }
  }

  /** An entry has been read. */
  void read(String entry) {
    formerly.remove(entry);
    outdated.remove(entry);
  }

  /** Empty where there were none, and where the entry has been read since. */
  List<RegistrationInfo> former(String entry) {
    return formerly.getOrDefault(entry, List.of());
  }

  /** An entry cannot be read: the former registrations hold. */
  void holdFormer(String entry, List<RegistrationInfo> former) {
    outdated.add(entry);
    passedOn(entry, former);
  }

  /** Whether former registrations hold. */
  boolean isOutdated(String entry) {
    return outdated.contains(entry);
  }
}
