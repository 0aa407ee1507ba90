package dev.mcpbus.cluster.shared;

import dev.mcpbus.security.AuthOptions.Limits;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The tokens and places of some principals for all nodes together, held by their keeper. Nodes take
 * small amounts in advance and spend them without asking. Amounts here and amounts that nodes hold
 * never exceed the limits together. Thread-safe.
 */
final class RateLimitLedger {

  /** A node that has not asked for this time counts as gone; nodes ask once a second. */
  private static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int MAX_IDLE = 10_000;
  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

  /**
   * What a node holds and requests.
   *
   * @param left how many tokens the ledger should have, as the node last saw it, for a keeper that
   *     is new to the principal; -1 where unknown
   * @param have tokens that the node holds
   * @param back tokens that it returns; below 0 those that it allowed while its keeper did not
   *     answer
   * @param want tokens that it requests in addition
   * @param inFlight its requests in flight
   * @param places the most requests that it wants in flight, {@code inFlight} included
   */
  record Ask(
      String principal,
      String node,
      Limits limits,
      double left,
      int have,
      int back,
      int want,
      int inFlight,
      int places) {

    public JsonObject toJson() {
      return new JsonObject()
          .put("principal", principal)
          .put("node", node)
          .put("rate", limits.rate())
          .put("burst", limits.burst())
          .put("concurrency", limits.concurrency())
          .put("left", left)
          .put("have", have)
          .put("back", back)
          .put("want", want)
          .put("flying", inFlight)
          .put("places", places);
    }

    public static Ask of(JsonObject json) {
      return new Ask(
          json.getString("principal"),
          json.getString("node"),
          new Limits(
              json.getDouble("rate", 0.0),
              json.getInteger("burst", 0),
              json.getInteger("concurrency", 0)),
          json.getDouble("left", -1.0),
          json.getInteger("have", 0),
          json.getInteger("back", 0),
          json.getInteger("want", 0),
          json.getInteger("flying", 0),
          json.getInteger("places", 0));
    }
  }

  /**
   * The answer.
   *
   * @param tokens how many more the node may spend
   * @param places the most requests that the node may have in flight from now on
   * @param retryMillis when a token will be there, milliseconds; 0 where the node need not wait
   * @param left tokens that are still in the ledger
   */
  record RateGrant(int tokens, int places, long retryMillis, double left) {

    public JsonObject toJson() {
      return new JsonObject()
          .put("tokens", tokens)
          .put("places", places)
          .put("retry", retryMillis)
          .put("left", left);
    }

    public static RateGrant of(JsonObject json) {
      return new RateGrant(
          json.getInteger("tokens", 0),
          json.getInteger("places", 0),
          json.getLong("retry", 0L),
          json.getDouble("left", -1.0));
    }
  }

  private record NodeShare(int tokens, int places, long at) {}

  private static final class Account {
    private final Map<String, NodeShare> nodes = new HashMap<>();
    private Limits limits;
    private double tokens;
    private long filled;

    Account(Limits limits, double tokens, long now) {
      this.limits = limits;
      this.tokens = tokens;
      this.filled = now;
    }

    /** Tokens that nodes hold count as if they were here, so they are not granted twice. */
    void fill(long now, int more, int held) {
      tokens += (now - filled) / SECOND * limits.rate() + more;
      tokens = Math.max(-limits.burst(), Math.min(limits.burst() - held, tokens));
      filled = now;
    }
  }

  private final LongSupplier nanos;
  private final Map<String, Account> accounts = new LinkedHashMap<>();
  private long swept;

  RateLimitLedger(LongSupplier nanos) {
    this.nanos = nanos;
    this.swept = nanos.getAsLong();
  }

  synchronized RateGrant ask(Ask ask) {
    long now = nanos.getAsLong();
    Limits limits = ask.limits();
    Account account =
        accounts.computeIfAbsent(
            ask.principal(),
            name ->
                new Account(
                    limits,
                    ask.left() < 0 ? limits.burst() : Math.min(limits.burst(), ask.left()),
                    now));
    account.limits = limits;
    account.nodes.remove(ask.node());
    account.nodes.values().removeIf(one -> now - one.at() > HOLD_NANOS);
    int held = account.nodes.values().stream().mapToInt(NodeShare::tokens).sum() + ask.have();
    account.fill(now, ask.back(), held);
    int tokens = (int) Math.max(0, Math.min(ask.want(), Math.floor(account.tokens)));
    account.tokens -= tokens;
    int taken = account.nodes.values().stream().mapToInt(NodeShare::places).sum();
    int places = Math.max(ask.inFlight(), Math.min(ask.places(), limits.concurrency() - taken));
    if (ask.have() + tokens + places > 0) {
      account.nodes.put(ask.node(), new NodeShare(ask.have() + tokens, places, now));
    }
    forget(now);
    return new RateGrant(tokens, places, retry(account, ask.want(), tokens), account.tokens);
  }

  private static long retry(Account account, int want, int got) {
    return got >= want || account.limits.rate() <= 0
        ? 0
        : (long) Math.max(1, Math.ceil((1 - account.tokens) / account.limits.rate() * 1_000));
  }

  /** Removes a node that is no member any more: its requests in flight do not count any more. */
  synchronized void left(String node) {
    accounts.values().forEach(account -> account.nodes.remove(node));
  }

  /**
   * Forgets principals with all tokens here and none on nodes: a new account would be the same.
   * Runs at most once a second, because it looks at every account.
   */
  private void forget(long now) {
    if (accounts.size() > MAX_IDLE && now - swept >= SECOND) {
      swept = now;
      accounts
          .values()
          .removeIf(
              account -> {
                account.nodes.values().removeIf(one -> now - one.at() > HOLD_NANOS);
                if (!account.nodes.isEmpty()) {
                  return false;
                }
                account.fill(now, 0, 0);
                return account.tokens >= account.limits.burst();
              });
    }
  }
}
