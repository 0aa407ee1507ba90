package dev.mcpbus.security;

import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.protocol.Sha256;
import dev.mcpbus.security.AuthOptions.Issuer;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tokens of one issuer that are no JWTs: asks the issuer, and remembers its answers by the hash of
 * the token. One request at a time for one token, {@value #MOST_ASKED} in all, of which one address
 * cannot take all; strangers' tokens cannot push out the answers for good ones. Confined to one
 * context.
 */
final class TokenIntrospection {

  static final int MOST_ASKED = 64;
  static final int MOST_KNOWN = 10_000;

  /** How long the answer holds that a token is not active. */
  static final Duration REFUSED = Duration.ofSeconds(5);

  /** Characters of one answer. */
  private static final int MAX_ANSWER = 16 * 1024;

  private static final Duration LOG_PAUSE = Duration.ofSeconds(30);
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]{1,4096}=*");
  private static final Logger LOG = LoggerFactory.getLogger(TokenIntrospection.class);

  private record KnownToken(TokenOutcome outcome, long end) {}

  private static final class KnownTokens extends LinkedHashMap<String, KnownToken> {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, KnownToken> eldest) {
      return size() > MOST_KNOWN;
    }
  }

  private final Issuer issuer;
  private final Duration cache;
  private final Function<String, Future<JsonObject>> endpoint;
  private final Supplier<Instant> clock;
  private final LongSupplier nanos;
  private final Map<String, KnownToken> active = new KnownTokens();
  private final Map<String, KnownToken> refused = new KnownTokens();
  private final Map<String, Future<TokenOutcome>> asked = new HashMap<>();
  private final Map<String, Integer> askers = new HashMap<>();
  private final Map<String, Long> logged = new HashMap<>();

  /**
   * @param endpoint gives the answer to a token, as {@link
   *     dev.mcpbus.security.oauth.IntrospectionEndpoint#ask}
   * @param clock for {@code exp}
   * @param nanos monotonic time in nanoseconds
   */
  TokenIntrospection(
      Issuer issuer,
      Duration cache,
      Function<String, Future<JsonObject>> endpoint,
      Supplier<Instant> clock,
      LongSupplier nanos) {
    this.issuer = issuer;
    this.cache = cache;
    this.endpoint = endpoint;
    this.clock = clock;
    this.nanos = nanos;
  }

  /**
   * What the issuer says of a token. Never fails: where the issuer gives no usable answer, the
   * outcome is {@link TokenRefusal#UNAVAILABLE}.
   *
   * @param from the address of the caller
   */
  Future<TokenOutcome> outcome(String token, String from) {
    if (!TOKEN.matcher(token).matches()) {
      return Future.succeededFuture(TokenOutcome.INVALID);
    }
    String key =
        Base64.getEncoder().encodeToString(Sha256.of(token.getBytes(StandardCharsets.US_ASCII)));
    long now = nanos.getAsLong();
    KnownToken known = active.getOrDefault(key, refused.get(key));
    if (known != null && known.end() - now > 0) {
      return Future.succeededFuture(known.outcome());
    }
    active.remove(key);
    refused.remove(key);
    Future<TokenOutcome> under = asked.get(key);
    return under == null ? ask(token, key, from) : under;
  }

  private Future<TokenOutcome> ask(String token, String key, String from) {
    int has = askers.getOrDefault(from, 0);
    if (!FairLimit.isShare(has, MOST_ASKED - asked.size())) {
      log("asks", "auth: more unknown tokens of {} than may be asked about at a time{}", "");
      return Future.succeededFuture(TokenOutcome.refused(TokenRefusal.UNAVAILABLE));
    }
    askers.merge(from, 1, Integer::sum);
    Future<TokenOutcome> answer =
        endpoint
            .apply(token)
            .map(claims -> taken(key, claims))
            .otherwise(
                failure -> {
                  log(
                      "failure",
                      "auth: tokens of {} cannot be verified: {}",
                      String.valueOf(failure.getMessage()));
                  return TokenOutcome.refused(TokenRefusal.UNAVAILABLE);
                });
    if (answer.isComplete()) {
      askers.computeIfPresent(from, (who, count) -> count == 1 ? null : count - 1);
      return answer;
    }
    asked.put(key, answer);
    return answer.onComplete(
        done -> {
          asked.remove(key);
          askers.computeIfPresent(from, (who, count) -> count == 1 ? null : count - 1);
        });
  }

  private TokenOutcome taken(String key, JsonObject answer) {
    if (answer.encode().length() > MAX_ANSWER) {
      throw new IllegalStateException("the introspection endpoint answers more than 16 KiB");
    }
    long left = secondsLeft(answer);
    if (left <= 0) {
      refused.put(key, new KnownToken(TokenOutcome.INVALID, nanos.getAsLong() + REFUSED.toNanos()));
      return TokenOutcome.INVALID;
    }
    TokenOutcome outcome = TokenOutcome.of(answer.copy().put("iss", issuer.issuer()));
    Duration held = Duration.ofSeconds(Math.min(left, cache.toSeconds()));
    active.put(key, new KnownToken(outcome, nanos.getAsLong() + held.toNanos()));
    return outcome;
  }

  /** How long a token is good by its answer; 0 for one that is not. */
  private long secondsLeft(JsonObject answer) {
    Object iss = answer.getValue("iss");
    if (!Boolean.TRUE.equals(answer.getValue("active"))
        || !TokenRules.isAccessToken(new JsonObject(), answer)) {
      return 0;
    }
    if (iss != null && !(iss instanceof String text && issuer.isCalled(text))) {
      log("iss", "auth: the introspection of {} speaks for another issuer{}", "");
      return 0;
    }
    double end = TokenRules.seconds(answer.getValue("exp"));
    if (Double.isNaN(end) || !answer.containsKey("aud")) {
      log(
          "claims",
          "auth: the introspection of {} answers without {}, so its tokens are refused",
          "\"exp\" or \"aud\"");
      return 0;
    }
    return (long) end + issuer.leeway().toSeconds() - clock.get().getEpochSecond();
  }

  /** One line of each kind in half a minute. */
  private void log(String kind, String text, String more) {
    long now = nanos.getAsLong();
    Long before = logged.get(kind);
    if (before == null || now - before >= LOG_PAUSE.toNanos()) {
      logged.put(kind, now);
      LOG.warn(text, issuer.name(), more);
    }
  }
}
