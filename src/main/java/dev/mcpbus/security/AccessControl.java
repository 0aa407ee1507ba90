package dev.mcpbus.security;

import dev.mcpbus.security.AuthOptions.ApiKey;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who may come in, and what for, as it is now: one for all doors of a process. A {@link #reload}
 * swaps all of it at once. Thread-safe.
 *
 * <p>Where nobody has to log in, whoever can open a loopback connection is {@link Principal#LOCAL}
 * and has no admin right. That right then comes with one key alone, which is made here, anew at
 * each start: the admin token.
 */
public final class AccessControl {

  private static final Logger LOG = LoggerFactory.getLogger(AccessControl.class);

  private final boolean required;
  private final Audit audit;
  private final InstantSource clock;
  private final LongSupplier nanos;
  private final RateLimiter limiter;
  private final @Nullable String adminToken;
  private final @Nullable ApiKey adminKey;
  private volatile AuthState state;

  /**
   * @param clock for expiry
   * @param nanos for rates and for how long keys of an issuer are kept
   * @param random makes the admin token
   */
  public AccessControl(
      AuthOptions options, InstantSource clock, LongSupplier nanos, SecureRandom random) {
    this(options, clock, nanos, random, null);
  }

  /**
   * The same.
   *
   * @param shared holds the limits of several nodes together; null for those of this one
   */
  public AccessControl(
      AuthOptions options,
      InstantSource clock,
      LongSupplier nanos,
      SecureRandom random,
      @Nullable RateLimiter shared) {
    this.required = options.isRequired();
    this.audit = new Audit(options.audit(), clock);
    this.clock = clock;
    this.nanos = nanos;
    if (required) {
      this.adminToken = null;
      this.adminKey = null;
    } else {
      ApiKeys.Fresh fresh = ApiKeys.generate(random);
      this.adminToken = fresh.key();
      this.adminKey = new ApiKey(Principal.LOCAL.name(), fresh.hash(), Set.of(), true, null, null);
    }
    this.state = new AuthState(options, adminKey);
    this.limiter = shared == null ? new LocalRateLimiter(state.limits(), nanos) : shared;
  }

  /** Without login and without an audit log. */
  public static AccessControl open() {
    return new AccessControl(
        AuthOptions.NONE, InstantSource.system(), System::nanoTime, new SecureRandom());
  }

  /** What finds out who sends a request, for one HTTP verticle. */
  public AdmissionControl keeper(Vertx vertx) {
    return new AdmissionControl(vertx, this);
  }

  /** Whether callers have to say who they are. As it was at the start, whatever was reloaded. */
  public boolean isRequired() {
    return required;
  }

  /**
   * The key that gives the admin right where nobody has to log in, good for as long as this process
   * runs; null where the configuration has keys or tokens of its own. A secret.
   */
  public @Nullable String adminToken() {
    return adminToken;
  }

  public Audit audit() {
    return audit;
  }

  /** What a principal may do now. */
  public Rights rights(Principal principal) {
    return state.policy().rights(principal);
  }

  /**
   * From now on that holds, for requests that come and for all that is open: who is known no more
   * is heard no more. Whether callers have to log in at all is as it was at the start: a
   * configuration without keys and tokens after one that had them lets nobody in, and one that has
   * them after one that had none changes nothing. Both are told in the log.
   */
  public void reload(AuthOptions options) {
    if (options.isRequired() && !required) {
      LOG.warn(
          "auth: callers have to log in only after a restart of mcpbus; until then all stays open on"
              + " loopback as it was");
      return;
    }
    if (required && !options.isRequired()) {
      LOG.warn(
          "auth: there are no keys and no tokens any more, so everybody is refused; give some, or"
              + " restart mcpbus to serve without login");
    }
    AuthState next = new AuthState(options, adminKey);
    limiter.limits(next.limits());
    state = next;
    LOG.info(
        "auth: changed: {} keys, {} policies{}",
        options.apiKeys().size(),
        options.policies().size(),
        options.jwt() == null ? "" : ", tokens of " + options.jwt().issuer());
  }

  AuthState state() {
    return state;
  }

  Instant now() {
    return clock.instant();
  }

  LongSupplier nanos() {
    return nanos;
  }

  RateLimiter rateLimiter() {
    return limiter;
  }
}
