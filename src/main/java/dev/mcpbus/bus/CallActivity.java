package dev.mcpbus.bus;

import dev.mcpbus.protocol.Methods;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How many calls of callers have ended in each of the last 60 minutes, and how long they took:
 * {@code mcp.<id>.activity}. The numbers stand in arrays that are made for the first call; a minute
 * is cleared when a later one takes its place, so there is no timer, and no call costs an
 * allocation. Lists and pings are not counted: mcpbus sends most of them itself. Owner: the context
 * of the connection; for private connections the object that adds them up locks itself.
 *
 * <p>The minutes are those of the time of day, so that they are the same for all connections of a
 * node, and for all nodes whose clocks agree.
 */
public final class CallActivity {

  static final int MINUTES = 60;

  /** If the clock goes back by more minutes, the hour begins anew. */
  static final int MAX_BACK = 5;

  private static final String OK = "OK";

  /** The list of which the greatest number counts where others are added up. */
  private static final String LONGEST = "longest";

  private static final Set<String> NOT_COUNTED =
      Set.of(
          Methods.TOOLS_LIST,
          Methods.RESOURCES_LIST,
          Methods.RESOURCES_TEMPLATES,
          Methods.PROMPTS_LIST,
          Methods.SKILLS_LIST,
          Methods.PING);

  /** The minute {@code m} since 1970 is at {@code m % 60}. */
  private static final class CountedHour {
    final int[] calls = new int[MINUTES];
    final int[] failed = new int[MINUTES];
    final long[] millis = new long[MINUTES];
    final long[] longest = new long[MINUTES];
    long newest;

    CountedHour(long minute) {
      newest = minute;
    }

    /** Goes on to a minute; those between it and the last one had no calls. */
    void moveTo(long minute) {
      long passed = minute - newest;
      if (passed < 0 && passed >= -MAX_BACK) {
        return; // the clock was set back: the newest minute goes on until the time is there again
      }
      if (passed < 0 || passed >= MINUTES) {
        Arrays.fill(calls, 0);
        Arrays.fill(failed, 0);
        Arrays.fill(millis, 0);
        Arrays.fill(longest, 0);
      } else {
        for (long next = newest + 1; next <= minute; next++) {
          int at = slot(next);
          calls[at] = 0;
          failed[at] = 0;
          millis[at] = 0;
          longest[at] = 0;
        }
      }
      newest = minute;
    }
  }

  private final InstantSource clock;
  private @Nullable CountedHour hour;

  public CallActivity(InstantSource clock) {
    this.clock = clock;
  }

  private static int slot(long minute) {
    return (int) Math.floorMod(minute, (long) MINUTES);
  }

  private long minute() {
    return Math.floorDiv(clock.millis(), TimeUnit.MINUTES.toMillis(1));
  }

  /**
   * A call has ended.
   *
   * @param outcome {@code OK}; every other counts as failed
   * @param millis how long it took
   */
  public void ended(String method, String outcome, long millis) {
    if (NOT_COUNTED.contains(method)) {
      return;
    }
    CountedHour to = hour;
    if (to == null) {
      to = new CountedHour(minute());
      hour = to;
    } else {
      to.moveTo(minute());
    }
    int at = slot(to.newest);
    to.calls[at]++;
    if (!outcome.equals(OK)) {
      to.failed[at]++;
    }
    to.millis[at] += millis;
    to.longest[at] = Math.max(to.longest[at], millis);
  }

  /**
   * {@code {calls, failed, millis, longest}}: 60 whole numbers each, one for each minute, the
   * present minute last. {@code millis} is the sum of the durations of the calls that ended in the
   * minute, {@code longest} the longest of them.
   */
  public JsonObject toJson() {
    CountedHour from = hour;
    if (from != null) {
      from.moveTo(minute());
    }
    JsonArray calls = new JsonArray();
    JsonArray failed = new JsonArray();
    JsonArray millis = new JsonArray();
    JsonArray longest = new JsonArray();
    for (int i = 1; i <= MINUTES; i++) {
      int at = from == null ? 0 : slot(from.newest + i);
      calls.add(from == null ? 0 : from.calls[at]);
      failed.add(from == null ? 0 : from.failed[at]);
      millis.add(from == null ? 0L : from.millis[at]);
      longest.add(from == null ? 0L : from.longest[at]);
    }
    return new JsonObject()
        .put("calls", calls)
        .put("failed", failed)
        .put("millis", millis)
        .put(LONGEST, longest);
  }

  /**
   * What several connections did, in the form of {@link #toJson}: the sums of their numbers for
   * each minute, and the longest call of any.
   *
   * @param one its lists of numbers go into the reply, where {@code other} lacks them
   */
  public static JsonObject sum(JsonObject one, JsonObject other) {
    JsonObject all = one.copy();
    for (String list : other.fieldNames()) {
      JsonArray known = one.getJsonArray(list);
      JsonArray more = other.getJsonArray(list);
      all.put(list, known == null ? more : combined(known, more, list.equals(LONGEST)));
    }
    return all;
  }

  private static JsonArray combined(JsonArray some, JsonArray others, boolean greatest) {
    JsonArray all = new JsonArray();
    for (int i = 0; i < Math.min(some.size(), others.size()); i++) {
      long one = some.getLong(i);
      long other = others.getLong(i);
      all.add(greatest ? Math.max(one, other) : one + other);
    }
    return all;
  }
}
