package dev.mcpbus.bus;

import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A bound on the entries that a component keeps for callers (sessions, streams, private
 * connections, ...). One caller cannot fill it for the others. Each entry has an owner, the name of
 * a principal, and is either in use or idle.
 *
 * <ul>
 *   <li>An idle entry makes room for a new one: the entry of all owners that has been idle longest.
 *       If that entry's owner holds no more entries than the owner of the new one, the latter gives
 *       up an idle entry of its own instead.
 *   <li>An entry in use is never ended for another owner. So an owner holds at most three quarters
 *       of the places that others leave, and never the last place. Beyond that only its own idle
 *       entries make room for it. If all callers are one owner ({@link #ANYBODY}), it may hold all
 *       places.
 * </ul>
 *
 * <p>An owner without entries is refused only if every entry is in use. One other owner alone
 * cannot cause that; several together can, and the smaller the bound, the fewer they are.
 *
 * <p>Each operation takes constant time. Thread-safe.
 *
 * @param <E> the entries, told apart by {@code equals}
 */
public final class FairLimit<E> {

  /** The name of the principal of all callers if authentication is off. */
  public static final String ANYBODY = "local";

  /** An owner may hold at most this many times the places that it leaves to others. */
  private static final int SHARE = 3;

  /** The decision about one more entry. */
  public enum Outcome {
    /** There is room. */
    ADMITTED,
    /** There is room after the caller ends {@link Verdict#victim}. */
    EVICT,
    /** Every entry that could make room is in use. */
    REFUSED
  }

  /**
   * @param victim the idle entry that makes room, null unless {@code EVICT}
   */
  public record Verdict<E>(Outcome outcome, @Nullable E victim) {

    public boolean isRefused() {
      return outcome == Outcome.REFUSED;
    }
  }

  private static final class Owner<E> {
    private final Map<E, Entry<E>> idle = new LinkedHashMap<>();
    private int total;
  }

  private static final class Entry<E> {
    private final String name;
    private final Owner<E> owner;
    private boolean inUse = true;

    Entry(String name, Owner<E> owner) {
      this.name = name;
      this.owner = owner;
    }
  }

  private final int max;
  private final Map<E, Entry<E>> entries = new HashMap<>();
  private final Map<String, Owner<E>> owners = new HashMap<>();

  /** In the order in which they became idle. */
  private final Map<E, Entry<E>> idle = new LinkedHashMap<>();

  private long evicted;
  private long refused;

  /**
   * @param max the greatest number of entries, at least 1
   */
  public FairLimit(int max) {
    if (max < 1) {
      throw new IllegalArgumentException("a bound must be at least 1, not " + max);
    }
    this.max = max;
  }

  /**
   * Whether an owner may hold one more entry of a bound whose entries are all in use.
   *
   * @param owner null for a program on the bus: it may hold all places, as {@link #ANYBODY} may
   * @param has how many entries the owner holds
   * @param room how many places are free
   */
  public static boolean admits(@Nullable String owner, int has, int room) {
    boolean one = owner == null || owner.equals(ANYBODY);
    return one ? room > 0 : isShare(has, room);
  }

  /** Whether an owner of {@code has} places leaves enough to others if it takes one more. */
  public static boolean isShare(int has, int room) {
    return room > 0 && (has == 0 || (room > 1 && has < SHARE * room));
  }

  /** Whether {@code owner} may hold one more entry, and which entry must end for it. */
  public synchronized Verdict<E> ask(String owner) {
    Owner<E> known = owners.get(owner);
    int total = known == null ? 0 : known.total;
    int inUse = known == null ? 0 : known.total - known.idle.size();
    int usedByOthers = entries.size() - idle.size() - inUse;
    int room = max - usedByOthers - total;
    boolean may = admits(owner, total, room);
    if (may && entries.size() < max) {
      return new Verdict<>(Outcome.ADMITTED, null);
    }
    Map.Entry<E, Entry<E>> victim = null;
    if (may && !idle.isEmpty()) {
      victim = idle.entrySet().iterator().next();
    }
    if (known != null
        && !known.idle.isEmpty()
        && (victim == null || victim.getValue().owner.total <= total)) {
      victim = known.idle.entrySet().iterator().next();
    }
    return victim == null
        ? new Verdict<>(Outcome.REFUSED, null)
        : new Verdict<>(Outcome.EVICT, victim.getKey());
  }

  /**
   * Adds an entry that is in use, if there is room or an entry makes room.
   *
   * @return {@code EVICT}: the victim is removed from this bound, and the caller must end it
   */
  public synchronized Verdict<E> admit(E entry, String owner) {
    Verdict<E> verdict = ask(owner);
    if (verdict.isRefused()) {
      refused++;
      return verdict;
    }
    E victim = verdict.victim();
    if (victim != null) {
      evicted++;
      remove(victim);
    }
    add(entry, owner);
    return verdict;
  }

  /** Adds an entry that is in use, also if there is no room. */
  public synchronized void add(E entry, String owner) {
    remove(entry);
    Owner<E> holder = owners.computeIfAbsent(owner, name -> new Owner<>());
    holder.total++;
    entries.put(entry, new Entry<>(owner, holder));
  }

  /**
   * Marks an entry as in use or as idle. Marking an idle entry as idle again restarts its idle
   * time. No effect if {@code entry} is not in this bound.
   */
  public synchronized void use(E entry, boolean inUse) {
    Entry<E> known = entries.get(entry);
    if (known == null || (inUse && known.inUse)) {
      return;
    }
    idle.remove(entry);
    known.owner.idle.remove(entry);
    known.inUse = inUse;
    if (!inUse) {
      idle.put(entry, known);
      known.owner.idle.put(entry, known);
    }
  }

  /** Removes an entry that has ended; false if it is not in this bound. */
  public synchronized boolean remove(E entry) {
    Entry<E> known = entries.remove(entry);
    if (known == null) {
      return false;
    }
    idle.remove(entry);
    known.owner.idle.remove(entry);
    if (--known.owner.total == 0) {
      owners.remove(known.name);
    }
    return true;
  }

  public synchronized boolean contains(E entry) {
    return entries.containsKey(entry);
  }

  public synchronized boolean isInUse(E entry) {
    Entry<E> known = entries.get(entry);
    return known != null && known.inUse;
  }

  public synchronized int size() {
    return entries.size();
  }

  /** How many entries an owner holds. */
  public synchronized int sizeOf(String owner) {
    Owner<E> known = owners.get(owner);
    return known == null ? 0 : known.total;
  }

  public int max() {
    return max;
  }

  /**
   * For the status: {@code {used, inUse, max, owners, evicted, refused}}; the last two count since
   * the start.
   */
  public synchronized JsonObject toJson() {
    return new JsonObject()
        .put("used", entries.size())
        .put("inUse", entries.size() - idle.size())
        .put("max", max)
        .put("owners", owners.size())
        .put("evicted", evicted)
        .put("refused", refused);
  }
}
