package dev.mcpbus.cluster.shared;

import dev.mcpbus.cluster.shared.RateLimitLedger.Ask;
import dev.mcpbus.cluster.shared.RateLimitLedger.RateGrant;
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
 * Applies each principal's limits to all nodes of a cluster together. One node, the keeper, holds
 * the principal's {@link RateLimitLedger}; this node takes some tokens and places in advance and
 * requests more before it runs out, so a request waits for the keeper only where this node holds
 * none. While the keeper does not answer, this node applies its own share: the limits divided by
 * the number of nodes. Thread-safe.
 */
final class ClusterRateLimiter implements RateLimiter {

  /** Sends requests to the node that keeps a principal's limits. */
  interface Keepers {

    /** The id of this node. */
    String self();

    /** The number of nodes that share the limits, this one included. */
    int nodes();

    /** Requests tokens and places; fails within 250 ms where the keeper does not answer. */
    Future<RateGrant> ask(Ask ask);
  }

  /** After a keeper did not answer, this node applies its own share for this time. */
  private static final long OWN_SHARE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Tokens of a principal without a request for this time are returned to the keeper. */
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After all places were taken, requests are refused for this time without asking the keeper. */
  private static final long FULL_MILLIS = 50;

  private static final long FULL_RETRY_MILLIS = 1_000;
  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

  /**
   * The tokens and places that this node holds for one principal; guarded by {@link #allowances}.
   */
  private static final class Allowance {
    private final String name;
    private Limits limits;
    private final Deque<Promise<Place>> waiting = new ArrayDeque<>();
    private int tokens;
    private int places;
    private int inFlight;
    private int givenBack;
    private double left = -1;
    private long leftAt;
    private long usedAt;
    private boolean requesting;
    private boolean returned = true;
    private int waitingWhenAsked;
    private long refuseUntil;
    private long ownShareUntil;
    private double ownShare = -1;
    private long ownShareFilledAt;

    Allowance(String name, Limits limits, long now) {
      this.name = name;
      this.limits = limits;
      this.usedAt = now;
      this.refuseUntil = now;
      this.ownShareUntil = now;
      this.ownShareFilledAt = now;
    }

    /** Applies limits after a reload; tokens and places above the new limits are dropped. */
    void apply(Limits next) {
      if (!limits.equals(next)) {
        limits = next;
        tokens = Math.min(tokens, next.burst());
        places = Math.min(places, next.concurrency());
        left = Math.min(left, next.burst());
      }
    }

    boolean isOpen() {
      return (limits.rate() <= 0 || tokens > 0) && (limits.concurrency() <= 0 || inFlight < places);
    }

    void take() {
      if (limits.rate() > 0) {
        tokens--;
      }
      inFlight++;
    }

    /** The number of tokens to take in advance: those of 50 ms, at most an eighth of the burst. */
    int tokensAhead() {
      return limits.rate() <= 0
          ? 0
          : (int) Math.max(1, Math.min(limits.burst() / 8.0, Math.ceil(limits.rate() / 20)));
    }

    int placesAhead() {
      return limits.concurrency() / 8;
    }

    /** Whether half of what was taken in advance is used. */
    boolean isLow() {
      return (limits.rate() > 0 && tokens <= tokensAhead() / 2)
          || (placesAhead() > 0
              && places - inFlight <= placesAhead() / 2
              && places < limits.concurrency());
    }
  }

  private final Vertx vertx;
  private volatile RateLimits limitTable;
  private final Keepers keepers;
  private final LongSupplier nanos;
  private final Map<String, Allowance> allowances = new HashMap<>();

  ClusterRateLimiter(Vertx vertx, AuthOptions options, Keepers keepers, LongSupplier nanos) {
    this.vertx = vertx;
    this.limitTable = new RateLimits(options.limits(), options.apiKeys());
    this.keepers = keepers;
    this.nanos = nanos;
  }

  @Override
  public void limits(RateLimits next) {
    limitTable = next;
  }

  @Override
  public Future<Place> enter(Principal principal) {
    Limits limits = limitTable.of(principal);
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
      allowance.apply(limits);
      allowance.usedAt = now;
      allowance.returned = false;
      if (now - allowance.ownShareUntil < 0) {
        return Future.succeededFuture(byOwnShare(allowance, now));
      }
      if (allowance.waiting.isEmpty() && allowance.isOpen()) {
        allowance.take();
        answer = Future.succeededFuture(new Place(-1, end(allowance)));
      } else if (allowance.waiting.isEmpty() && now - allowance.refuseUntil < 0) {
        return Future.succeededFuture(
            Place.refused(TimeUnit.NANOSECONDS.toMillis(allowance.refuseUntil - now) + 1));
      } else {
        Promise<Place> promise = OwnContext.promise(vertx);
        allowance.waiting.add(promise);
        answer = promise.future();
      }
      if (!allowance.requesting
          && (!allowance.waiting.isEmpty()
              || (allowance.isLow() && now - allowance.refuseUntil >= 0))) {
        ask =
            ask(
                allowance,
                now,
                allowance.waiting.size() + allowance.tokensAhead(),
                allowance.placesAhead());
      }
    }
    if (ask != null) {
      send(allowance, ask);
    }
    return answer;
  }

  /** Reports to the keepers what this node holds; runs once a second and when the nodes change. */
  void tick() {
    List<Runnable> sends = new ArrayList<>();
    synchronized (allowances) {
      long now = nanos.getAsLong();
      for (Allowance allowance : List.copyOf(allowances.values())) {
        if (allowance.requesting || now - allowance.ownShareUntil < 0) {
          continue;
        }
        boolean idle = now - allowance.usedAt > IDLE_NANOS;
        if (idle && allowance.returned && allowance.inFlight == 0) {
          allowances.remove(allowance.name);
          continue;
        }
        if (idle) {
          allowance.returned = true;
          allowance.givenBack += allowance.tokens;
          allowance.tokens = 0;
        }
        Ask ask = ask(allowance, now, allowance.tokens, idle ? 0 : allowance.placesAhead());
        sends.add(() -> send(allowance, ask));
      }
    }
    sends.forEach(Runnable::run);
  }

  /**
   * Makes the request to the keeper. Places above those that it names are unused from here on, so
   * the keeper can grant them to other nodes.
   */
  private Ask ask(Allowance allowance, long now, int tokens, int placesAhead) {
    Limits limits = allowance.limits;
    int most =
        Math.min(limits.concurrency(), allowance.inFlight + allowance.waiting.size() + placesAhead);
    int places = Math.max(allowance.inFlight, most);
    allowance.places = Math.min(allowance.places, places);
    allowance.requesting = true;
    allowance.waitingWhenAsked = allowance.waiting.size();
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
            allowance.givenBack,
            limits.rate() <= 0 ? 0 : Math.max(0, tokens - allowance.tokens),
            allowance.inFlight,
            limits.concurrency() <= 0 ? 0 : places);
    allowance.givenBack = 0;
    return ask;
  }

  private void send(Allowance allowance, Ask ask) {
    keepers.ask(ask).onComplete(reply -> settle(allowance, reply));
  }

  private void settle(Allowance allowance, AsyncResult<RateGrant> reply) {
    List<Runnable> ends = new ArrayList<>();
    Ask more = null;
    synchronized (allowances) {
      long now = nanos.getAsLong();
      allowance.requesting = false;
      if (reply.succeeded()) {
        more = granted(allowance, reply.result(), now, ends);
      } else {
        allowance.ownShareUntil = now + OWN_SHARE_NANOS;
        while (!allowance.waiting.isEmpty()) {
          Promise<Place> promise = allowance.waiting.remove();
          Place place = byOwnShare(allowance, now);
          ends.add(() -> promise.complete(place));
        }
      }
    }
    ends.forEach(Runnable::run);
    if (more != null) {
      send(allowance, more);
    }
  }

  private @Nullable Ask granted(
      Allowance allowance, RateGrant grant, long now, List<Runnable> ends) {
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
    if (served >= allowance.waitingWhenAsked) {
      // The request did not include the requests that arrived meanwhile.
      return allowance.waiting.isEmpty()
          ? null
          : ask(
              allowance,
              now,
              allowance.waiting.size() + allowance.tokensAhead(),
              allowance.placesAhead());
    }
    boolean noToken = allowance.limits.rate() > 0 && allowance.tokens < 1;
    long wait = noToken ? Math.max(1, grant.retryMillis()) : FULL_MILLIS;
    Place refused = Place.refused(noToken ? wait : FULL_RETRY_MILLIS);
    allowance.refuseUntil = now + TimeUnit.MILLISECONDS.toNanos(wait);
    while (!allowance.waiting.isEmpty()) {
      Promise<Place> promise = allowance.waiting.remove();
      ends.add(() -> promise.complete(refused));
    }
    return null;
  }

  /** Admits by this node's own share; the tokens that it holds are kept for later. */
  private Place byOwnShare(Allowance allowance, long now) {
    Limits limits = allowance.limits;
    int nodes = Math.max(1, keepers.nodes());
    if (limits.concurrency() > 0
        && allowance.inFlight >= Math.max(1, limits.concurrency() / nodes)) {
      return Place.refused(FULL_RETRY_MILLIS);
    }
    if (limits.rate() > 0) {
      double rate = limits.rate() / nodes;
      double burst = Math.max(1, limits.burst() / (double) nodes);
      allowance.ownShare =
          allowance.ownShare < 0
              ? burst
              : Math.min(
                  burst, allowance.ownShare + (now - allowance.ownShareFilledAt) / SECOND * rate);
      allowance.ownShareFilledAt = now;
      if (allowance.ownShare < 1) {
        return Place.refused((long) Math.ceil((1 - allowance.ownShare) / rate * 1_000));
      }
      allowance.ownShare--;
      allowance.givenBack--;
    }
    allowance.inFlight++;
    return new Place(-1, end(allowance));
  }

  private Runnable end(Allowance allowance) {
    boolean[] ended = new boolean[1];
    return () -> {
      synchronized (allowances) {
        if (!ended[0]) {
          ended[0] = true;
          allowance.inFlight--;
        }
      }
    };
  }
}
