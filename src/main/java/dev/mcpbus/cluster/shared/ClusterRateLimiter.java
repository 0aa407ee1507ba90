package dev.mcpbus.cluster.shared;

import dev.mcpbus.cluster.shared.RateLimitLedger.Ask;
import dev.mcpbus.cluster.shared.RateLimitLedger.Grant;
import dev.mcpbus.internals.OwnContext;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Limits;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.RateLimiter;
import dev.mcpbus.security.RateLimits;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The same limits for all nodes of a cluster together. For each principal one node keeps the {@link
 * RateLimitLedger}; this one takes some tokens and places in advance and asks for more before it
 * has none, so that a request waits for the keeper only where nothing is in hand. Where the keeper
 * does not answer this node allows its share, the limits divided by the number of nodes.
 * Thread-safe.
 */
public final class ClusterRateLimiter implements RateLimiter {

  /** Where the keepers are. */
  public interface Keepers {

    /** How this node is called. */
    String self();

    /** How many nodes hold the limits together, this one included. */
    int nodes();

    /** Fails soon where the principal's keeper does not answer. */
    Future<Grant> ask(Ask ask);
  }

  /** For how long this node does not ask again after the keeper was silent. */
  private static final long ALONE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What was not used for so long is given back. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** For how long nobody is asked where all places were taken. */
  private static final long FULL_MILLIS = 50;

  private static final long FULL_RETRY_MILLIS = 1_000;
  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

  /** What is in hand for one principal; guarded by {@link #allowances}. */
  private static final class Allowance {
    private final String name;
    private Limits limits;
    private final Deque<Promise<Place>> waiting = new ArrayDeque<>();
    private int tokens;
    private int places;
    private int flying;
    private int back;
    private double left = -1;
    private long leftAt;
    private long usedAt;
    private boolean asking;
    private boolean aside = true;
    private int asked;
    private long dryUntil;
    private long aloneUntil;
    private double share = -1;
    private long shareFilled;

    Allowance(String name, Limits limits, long now) {
      this.name = name;
      this.limits = limits;
      this.usedAt = now;
      this.dryUntil = now;
      this.aloneUntil = now;
      this.shareFilled = now;
    }

    /** After a reload: what is in hand beyond the new limits is forgotten. */
    void become(Limits next) {
      if (!limits.equals(next)) {
        limits = next;
        tokens = Math.min(tokens, next.burst());
        places = Math.min(places, next.concurrency());
        left = Math.min(left, next.burst());
      }
    }

    boolean isOpen() {
      return (limits.rate() <= 0 || tokens > 0) && (limits.concurrency() <= 0 || flying < places);
    }

    void take() {
      if (limits.rate() > 0) {
        tokens--;
      }
      flying++;
    }

    /** As many tokens as 50 ms bring, but no large part of what all may have at once. */
    int batch() {
      return limits.rate() <= 0
          ? 0
          : (int) Math.max(1, Math.min(limits.burst() / 8.0, Math.ceil(limits.rate() / 20)));
    }

    int slack() {
      return limits.concurrency() / 8;
    }

    /** True where half of what was taken in advance is gone. */
    boolean isLow() {
      return (limits.rate() > 0 && tokens <= batch() / 2)
          || (slack() > 0 && places - flying <= slack() / 2 && places < limits.concurrency());
    }
  }

  private final Vertx vertx;
  private volatile RateLimits table;
  private final Keepers keepers;
  private final LongSupplier nanos;
  private final Map<String, Allowance> allowances = new HashMap<>();

  public ClusterRateLimiter(Vertx vertx, AuthOptions options, Keepers keepers, LongSupplier nanos) {
    this.vertx = vertx;
    this.table = new RateLimits(options.limits(), options.apiKeys());
    this.keepers = keepers;
    this.nanos = nanos;
  }

  @Override
  public void limits(RateLimits next) {
    table = next;
  }

  @Override
  public Future<Place> enter(Principal principal) {
    Limits limits = table.of(principal);
    if (limits.rate() <= 0 && limits.concurrency() <= 0) {
      return Future.succeededFuture(Place.UNBOUNDED);
    }
    Ask ask = null;
    Future<Place> answer;
    Allowance allowance;
    synchronized (allowances) {
      long now = nanos.getAsLong();
      allowance =
          allowances.computeIfAbsent(principal.name(), name -> new Allowance(name, limits, now));
      allowance.become(limits);
      allowance.usedAt = now;
      allowance.aside = false;
      if (now - allowance.aloneUntil < 0) {
        return Future.succeededFuture(alone(allowance, now));
      }
      if (allowance.waiting.isEmpty() && allowance.isOpen()) {
        allowance.take();
        answer = Future.succeededFuture(new Place(-1, end(allowance)));
      } else if (allowance.waiting.isEmpty() && now - allowance.dryUntil < 0) {
        return Future.succeededFuture(
            Place.refused(TimeUnit.NANOSECONDS.toMillis(allowance.dryUntil - now) + 1));
      } else {
        Promise<Place> promise = OwnContext.promise(vertx);
        allowance.waiting.add(promise);
        answer = promise.future();
      }
      if (!allowance.asking
          && (!allowance.waiting.isEmpty()
              || (allowance.isLow() && now - allowance.dryUntil >= 0))) {
        ask = ask(allowance, now, allowance.waiting.size() + allowance.batch(), allowance.slack());
      }
    }
    if (ask != null) {
      send(allowance, ask);
    }
    return answer;
  }

  /** Once a second, and when the keepers have changed: tells them what is in hand. */
  public void tick() {
    List<Runnable> sends = new ArrayList<>();
    synchronized (allowances) {
      long now = nanos.getAsLong();
      for (Allowance allowance : List.copyOf(allowances.values())) {
        if (allowance.asking || now - allowance.aloneUntil < 0) {
          continue;
        }
        boolean idle = now - allowance.usedAt > IDLE_NANOS;
        if (idle && allowance.aside && allowance.flying == 0) {
          allowances.remove(allowance.name);
          continue;
        }
        if (idle) {
          allowance.aside = true;
          allowance.back += allowance.tokens;
          allowance.tokens = 0;
        }
        Ask ask = ask(allowance, now, allowance.tokens, idle ? 0 : allowance.slack());
        sends.add(() -> send(allowance, ask));
      }
    }
    sends.forEach(Runnable::run);
  }

  /** Places beyond those it says are not used from here on, so that they can be given away. */
  private Ask ask(Allowance allowance, long now, int tokens, int slack) {
    Limits limits = allowance.limits;
    int most = Math.min(limits.concurrency(), allowance.flying + allowance.waiting.size() + slack);
    int places = Math.max(allowance.flying, most);
    allowance.places = Math.min(allowance.places, places);
    allowance.asking = true;
    allowance.asked = allowance.waiting.size();
    Ask ask =
        new Ask(
            allowance.name,
            keepers.self(),
            limits,
            allowance.left < 0
                ? -1
                : Math.min(
                    limits.burst(),
                    allowance.left + (now - allowance.leftAt) / SECOND * limits.rate()),
            allowance.tokens,
            allowance.back,
            limits.rate() <= 0 ? 0 : Math.max(0, tokens - allowance.tokens),
            allowance.flying,
            limits.concurrency() <= 0 ? 0 : places);
    allowance.back = 0;
    return ask;
  }

  private void send(Allowance allowance, Ask ask) {
    keepers.ask(ask).onComplete(answered -> settle(allowance, answered));
  }

  private void settle(Allowance allowance, AsyncResult<Grant> answered) {
    List<Runnable> ends = new ArrayList<>();
    Ask more = null;
    synchronized (allowances) {
      long now = nanos.getAsLong();
      allowance.asking = false;
      if (answered.succeeded()) {
        more = granted(allowance, answered.result(), now, ends);
      } else {
        allowance.aloneUntil = now + ALONE_NANOS;
        while (!allowance.waiting.isEmpty()) {
          Promise<Place> promise = allowance.waiting.remove();
          Place place = alone(allowance, now);
          ends.add(() -> promise.complete(place));
        }
      }
    }
    ends.forEach(Runnable::run);
    if (more != null) {
      send(allowance, more);
    }
  }

  private @Nullable Ask granted(Allowance allowance, Grant grant, long now, List<Runnable> ends) {
    allowance.tokens += grant.tokens();
    allowance.places = grant.places();
    allowance.left = Math.max(0, grant.left());
    allowance.leftAt = now;
    int served = 0;
    while (!allowance.waiting.isEmpty() && allowance.isOpen()) {
      allowance.take();
      Promise<Place> promise = allowance.waiting.remove();
      Place place = new Place(-1, end(allowance));
      ends.add(() -> promise.complete(place));
      served++;
    }
    if (served >= allowance.asked) {
      // Those who came meanwhile were not asked for.
      return allowance.waiting.isEmpty()
          ? null
          : ask(allowance, now, allowance.waiting.size() + allowance.batch(), allowance.slack());
    }
    boolean dry = allowance.limits.rate() > 0 && allowance.tokens < 1;
    long wait = dry ? Math.max(1, grant.retryMillis()) : FULL_MILLIS;
    Place refused = Place.refused(dry ? wait : FULL_RETRY_MILLIS);
    allowance.dryUntil = now + TimeUnit.MILLISECONDS.toNanos(wait);
    while (!allowance.waiting.isEmpty()) {
      Promise<Place> promise = allowance.waiting.remove();
      ends.add(() -> promise.complete(refused));
    }
    return null;
  }

  /** By this node's share alone; what is in hand is kept for later. */
  private Place alone(Allowance allowance, long now) {
    Limits limits = allowance.limits;
    int nodes = Math.max(1, keepers.nodes());
    if (limits.concurrency() > 0 && allowance.flying >= Math.max(1, limits.concurrency() / nodes)) {
      return Place.refused(FULL_RETRY_MILLIS);
    }
    if (limits.rate() > 0) {
      double rate = limits.rate() / nodes;
      double burst = Math.max(1, limits.burst() / (double) nodes);
      allowance.share =
          allowance.share < 0
              ? burst
              : Math.min(burst, allowance.share + (now - allowance.shareFilled) / SECOND * rate);
      allowance.shareFilled = now;
      if (allowance.share < 1) {
        return Place.refused((long) Math.ceil((1 - allowance.share) / rate * 1_000));
      }
      allowance.share--;
      allowance.back--;
    }
    allowance.flying++;
    return new Place(-1, end(allowance));
  }

  private Runnable end(Allowance allowance) {
    boolean[] ended = new boolean[1];
    return () -> {
      synchronized (allowances) {
        if (!ended[0]) {
          ended[0] = true;
          allowance.flying--;
        }
      }
    };
  }
}
