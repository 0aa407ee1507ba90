package dev.mcpbus.security;

import dev.mcpbus.security.AuthOptions.Limits;
import dev.mcpbus.security.RateLimitLedger.Ask;
import dev.mcpbus.security.RateLimitLedger.Grant;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
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

  /** What is in hand for one principal; guarded by {@link #hands}. */
  private static final class Hand {
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

    Hand(String name, Limits limits, long now) {
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

  private final VertxInternal vertx;
  private volatile RateLimits table;
  private final Keepers keepers;
  private final LongSupplier nanos;
  private final Map<String, Hand> hands = new HashMap<>();

  public ClusterRateLimiter(Vertx vertx, AuthOptions options, Keepers keepers, LongSupplier nanos) {
    this.vertx = (VertxInternal) vertx;
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
    Hand hand;
    synchronized (hands) {
      long now = nanos.getAsLong();
      hand = hands.computeIfAbsent(principal.name(), name -> new Hand(name, limits, now));
      hand.become(limits);
      hand.usedAt = now;
      hand.aside = false;
      if (now - hand.aloneUntil < 0) {
        return Future.succeededFuture(alone(hand, now));
      }
      if (hand.waiting.isEmpty() && hand.isOpen()) {
        hand.take();
        answer = Future.succeededFuture(new Place(-1, end(hand)));
      } else if (hand.waiting.isEmpty() && now - hand.dryUntil < 0) {
        return Future.succeededFuture(
            Place.refused(TimeUnit.NANOSECONDS.toMillis(hand.dryUntil - now) + 1));
      } else {
        Promise<Place> promise = vertx.getOrCreateContext().promise();
        hand.waiting.add(promise);
        answer = promise.future();
      }
      if (!hand.asking && (!hand.waiting.isEmpty() || (hand.isLow() && now - hand.dryUntil >= 0))) {
        ask = ask(hand, now, hand.waiting.size() + hand.batch(), hand.slack());
      }
    }
    if (ask != null) {
      send(hand, ask);
    }
    return answer;
  }

  /** Once a second, and when the keepers have changed: tells them what is in hand. */
  public void tick() {
    List<Runnable> sends = new ArrayList<>();
    synchronized (hands) {
      long now = nanos.getAsLong();
      for (Hand hand : List.copyOf(hands.values())) {
        if (hand.asking || now - hand.aloneUntil < 0) {
          continue;
        }
        boolean idle = now - hand.usedAt > IDLE_NANOS;
        if (idle && hand.aside && hand.flying == 0) {
          hands.remove(hand.name);
          continue;
        }
        if (idle) {
          hand.aside = true;
          hand.back += hand.tokens;
          hand.tokens = 0;
        }
        Ask ask = ask(hand, now, hand.tokens, idle ? 0 : hand.slack());
        sends.add(() -> send(hand, ask));
      }
    }
    sends.forEach(Runnable::run);
  }

  /** Places beyond those it says are not used from here on, so that they can be given away. */
  private Ask ask(Hand hand, long now, int tokens, int slack) {
    Limits limits = hand.limits;
    int most = Math.min(limits.concurrency(), hand.flying + hand.waiting.size() + slack);
    int places = Math.max(hand.flying, most);
    hand.places = Math.min(hand.places, places);
    hand.asking = true;
    hand.asked = hand.waiting.size();
    Ask ask =
        new Ask(
            hand.name,
            keepers.self(),
            limits,
            hand.left < 0
                ? -1
                : Math.min(
                    limits.burst(), hand.left + (now - hand.leftAt) / SECOND * limits.rate()),
            hand.tokens,
            hand.back,
            limits.rate() <= 0 ? 0 : Math.max(0, tokens - hand.tokens),
            hand.flying,
            limits.concurrency() <= 0 ? 0 : places);
    hand.back = 0;
    return ask;
  }

  private void send(Hand hand, Ask ask) {
    keepers.ask(ask).onComplete(answered -> settle(hand, answered));
  }

  private void settle(Hand hand, AsyncResult<Grant> answered) {
    List<Runnable> ends = new ArrayList<>();
    Ask more = null;
    synchronized (hands) {
      long now = nanos.getAsLong();
      hand.asking = false;
      if (answered.succeeded()) {
        more = granted(hand, answered.result(), now, ends);
      } else {
        hand.aloneUntil = now + ALONE_NANOS;
        while (!hand.waiting.isEmpty()) {
          Promise<Place> promise = hand.waiting.remove();
          Place place = alone(hand, now);
          ends.add(() -> promise.complete(place));
        }
      }
    }
    ends.forEach(Runnable::run);
    if (more != null) {
      send(hand, more);
    }
  }

  private @Nullable Ask granted(Hand hand, Grant grant, long now, List<Runnable> ends) {
    hand.tokens += grant.tokens();
    hand.places = grant.places();
    hand.left = Math.max(0, grant.left());
    hand.leftAt = now;
    int served = 0;
    while (!hand.waiting.isEmpty() && hand.isOpen()) {
      hand.take();
      Promise<Place> promise = hand.waiting.remove();
      Place place = new Place(-1, end(hand));
      ends.add(() -> promise.complete(place));
      served++;
    }
    if (served >= hand.asked) {
      // Those who came meanwhile were not asked for.
      return hand.waiting.isEmpty()
          ? null
          : ask(hand, now, hand.waiting.size() + hand.batch(), hand.slack());
    }
    boolean dry = hand.limits.rate() > 0 && hand.tokens < 1;
    long wait = dry ? Math.max(1, grant.retryMillis()) : FULL_MILLIS;
    Place refused = Place.refused(dry ? wait : FULL_RETRY_MILLIS);
    hand.dryUntil = now + TimeUnit.MILLISECONDS.toNanos(wait);
    while (!hand.waiting.isEmpty()) {
      Promise<Place> promise = hand.waiting.remove();
      ends.add(() -> promise.complete(refused));
    }
    return null;
  }

  /** By this node's share alone; what is in hand is kept for later. */
  private Place alone(Hand hand, long now) {
    Limits limits = hand.limits;
    int nodes = Math.max(1, keepers.nodes());
    if (limits.concurrency() > 0 && hand.flying >= Math.max(1, limits.concurrency() / nodes)) {
      return Place.refused(FULL_RETRY_MILLIS);
    }
    if (limits.rate() > 0) {
      double rate = limits.rate() / nodes;
      double burst = Math.max(1, limits.burst() / (double) nodes);
      hand.share =
          hand.share < 0
              ? burst
              : Math.min(burst, hand.share + (now - hand.shareFilled) / SECOND * rate);
      hand.shareFilled = now;
      if (hand.share < 1) {
        return Place.refused((long) Math.ceil((1 - hand.share) / rate * 1_000));
      }
      hand.share--;
      hand.back--;
    }
    hand.flying++;
    return new Place(-1, end(hand));
  }

  private Runnable end(Hand hand) {
    boolean[] ended = new boolean[1];
    return () -> {
      synchronized (hands) {
        if (!ended[0]) {
          ended[0] = true;
          hand.flying--;
        }
      }
    };
  }
}
