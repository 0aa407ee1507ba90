package dev.mcpbus.cluster.shared;

import dev.mcpbus.security.AuthOptions.Limits;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What some principals may still do on all nodes together, kept by one node for all. Nodes take
 * tokens and places from here in small amounts, and spend them without asking. What is here and
 * what nodes have in hand is never more than the limits allow. Thread-safe.
 */
public final class RateLimitLedger {

  /** A node that has not asked for so long is taken to be gone; nodes ask once a second. */
  private static final long HOLD_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final int MAX_IDLE = 10_000;
  private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

  /**
   * What a node has, and wants.
   *
   * @param left tokens that it believes to be here, for a keeper that is new to it; -1 unknown
   * @param have tokens in hand
   * @param back tokens that it gives back; below 0 what it allowed while nobody answered
   * @param want tokens beside those in hand
   * @param flying requests in flight
   * @param places requests that it wants to have in flight at most, those of {@code flying} too
   */
  public record Ask(
      String principal,
      String node,
      Limits limits,
      double left,
      int have,
      int back,
      int want,
      int flying,
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
          .put("flying", flying)
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
   * @param tokens to spend, beside those in hand
   * @param places requests in flight from now on
   * @param retryMillis when there will be a token; 0 where there is none to wait for
   * @param left tokens that are still here
   */
  public record Grant(int tokens, int places, long retryMillis, double left) {

    public JsonObject toJson() {
      return new JsonObject()
          .put("tokens", tokens)
          .put("places", places)
          .put("retry", retryMillis)
          .put("left", left);
    }

    public static Grant of(JsonObject json) {
      return new Grant(
          json.getInteger("tokens", 0),
          json.getInteger("places", 0),
          json.getLong("retry", 0L),
          json.getDouble("left", -1.0));
    }
  }

  private record Holding(int tokens, int places, long at) {}

  private static final class Account {
    private final Map<String, Holding> nodes = new HashMap<>();
    private Limits limits;
    private double tokens;
    private long filled;

    Account(Limits limits, double tokens, long now) {
      this.limits = limits;
      this.tokens = tokens;
      this.filled = now;
    }

    /** Tokens in hands count as if they were here, so that they are not handed out twice. */
    void fill(long now, int more, int inHands) {
      tokens += (now - filled) / SECOND * limits.rate() + more;
      tokens = Math.max(-limits.burst(), Math.min(limits.burst() - inHands, tokens));
      filled = now;
    }
  }

  private final LongSupplier nanos;
  private final Map<String, Account> accounts = new LinkedHashMap<>();
  private long swept;

  public RateLimitLedger(LongSupplier nanos) {
    this.nanos = nanos;
    this.swept = nanos.getAsLong();
  }

  public synchronized Grant ask(Ask ask) {
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
    int inHands = account.nodes.values().stream().mapToInt(Holding::tokens).sum() + ask.have();
    account.fill(now, ask.back(), inHands);
    int tokens = (int) Math.max(0, Math.min(ask.want(), Math.floor(account.tokens)));
    account.tokens -= tokens;
    int taken = account.nodes.values().stream().mapToInt(Holding::places).sum();
    int places = Math.max(ask.flying(), Math.min(ask.places(), limits.concurrency() - taken));
    if (ask.have() + tokens + places > 0) {
      account.nodes.put(ask.node(), new Holding(ask.have() + tokens, places, now));
    }
    forget(now);
    return new Grant(tokens, places, retry(account, ask.want(), tokens), account.tokens);
  }

  private static long retry(Account account, int want, int got) {
    return got >= want || account.limits.rate() <= 0
        ? 0
        : (long) Math.max(1, Math.ceil((1 - account.tokens) / account.limits.rate() * 1_000));
  }

  /** A node is no member any more: what it had in flight counts no longer. */
  public synchronized void left(String node) {
    accounts.values().forEach(account -> account.nodes.remove(node));
  }

  /**
   * Whoever has everything here and nothing in hands is as if he had never been here. Looked for
   * once a second at most: with many principals each question would look at all of them.
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
