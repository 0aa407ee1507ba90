package dev.mcpbus.bus;

import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A bound on what is kept for callers (sessions, streams, private connections, ...) that one of
 * them cannot fill for the others. Each entry has an owner and is either in use or idle.
 *
 * <ul>
 *   <li>What is idle makes room: the longest-idle entry of all; but an owner pays with his own
 *       before one who holds no more than he does.
 *   <li>What is in use is never ended for somebody else. So an owner holds at most three quarters
 *       of what others do not use at the moment, and not the last place. Where everybody is one
 *       owner ({@link #ANYBODY}) he may hold all.
 * </ul>
 *
 * <p>A caller who holds nothing is refused only where every entry is in use, and one other caller
 * alone cannot bring that about. Several that act together can, the fewer the smaller the bound.
 *
 * <p>Each operation takes constant time. Thread-safe.
 *
 * @param <E> the entries, told apart by {@code equals}
 */
public final class FairLimit<E> {

  /** The name of the principal that everybody is where nobody has to log in. */
  public static final String ANYBODY = "local";

  /** An owner may hold so many times as much as he leaves to others. */
  private static final int SHARE = 3;

  /** What becomes of a wish for one more entry. */
  public enum Kind {
    /** There is room. */
    ADMITTED,
    /** There is room when {@link Verdict#victim} is ended. */
    EVICT,
    /** Everything that could make room is in use. */
    REFUSED
  }

  /**
   * @param victim the idle entry that makes room, null unless {@code EVICT}
   */
  public record Verdict<E>(Kind kind, @Nullable E victim) {

    public boolean isRefused() {
      return kind == Kind.REFUSED;
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
   * @param max entries in all, at least 1
   */
  public FairLimit(int max) {
    if (max < 1) {
      throw new IllegalArgumentException("a bound must be at least 1, not " + max);
    }
    this.max = max;
  }

  /**
   * Whether one owner may have one more of a thing, where everything is in use.
   *
   * @param has how many he has
   * @param room how many are left for all
   */
  public static boolean isShare(int has, int room) {
    return room > 0 && (has == 0 || (room > 1 && has < SHARE * room));
  }

  /** Whether {@code owner} may have one more entry, and which one has to end for it. */
  public synchronized Verdict<E> ask(String owner) {
    Owner<E> his = owners.get(owner);
    int total = his == null ? 0 : his.total;
    int inUse = his == null ? 0 : his.total - his.idle.size();
    int usedByOthers = entries.size() - idle.size() - inUse;
    int room = max - usedByOthers - total;
    boolean may = room > 0 && (owner.equals(ANYBODY) || isShare(total, room));
    if (may && entries.size() < max) {
      return new Verdict<>(Kind.ADMITTED, null);
    }
    Map.Entry<E, Entry<E>> victim = null;
    if (may && !idle.isEmpty()) {
      victim = idle.entrySet().iterator().next();
    }
    if (his != null
        && !his.idle.isEmpty()
        && (victim == null || victim.getValue().owner.total <= total)) {
      victim = his.idle.entrySet().iterator().next();
    }
    return victim == null
        ? new Verdict<>(Kind.REFUSED, null)
        : new Verdict<>(Kind.EVICT, victim.getKey());
  }

  /**
   * Adds an entry that is in use, in place of the victim where there has to be one.
   *
   * @return where {@code EVICT}, the victim is no entry any more and the caller has to end it
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

  /** Adds an entry that is in use, whether or not there is room. */
  public synchronized void add(E entry, String owner) {
    remove(entry);
    Owner<E> his = owners.computeIfAbsent(owner, name -> new Owner<>());
    his.total++;
    entries.put(entry, new Entry<>(owner, his));
  }

  /**
   * The entry is in use from now on, or idle from now on. An entry that is idle already counts as
   * used just now. Without effect for what is no entry.
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

  /** It has ended; false where it was no entry. */
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

  /** How many entries an owner has. */
  public synchronized int sizeOf(String owner) {
    Owner<E> his = owners.get(owner);
    return his == null ? 0 : his.total;
  }

  public int max() {
    return max;
  }

  /**
   * For status: {@code {used, inUse, max, owners, evicted, refused}}, the last two since the start.
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
