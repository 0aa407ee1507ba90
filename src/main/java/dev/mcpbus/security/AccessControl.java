package dev.mcpbus.security;

import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.security.AuthOptions.Issuer;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The present access rules of a process: keys, tokens, policies, limits and the audit log. All
 * doors of a process share one instance. {@link #reload} replaces all rules in one step.
 * Thread-safe.
 *
 * <p>If the configuration has no keys and no tokens, no login is required: each caller on a
 * loopback connection is {@link Principal#LOCAL}, without the admin right. Only the admin token
 * gives that right then; this class generates a new one at each start.
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
  private volatile @Nullable OwnTokens ownTokens;
  private volatile AuthState state;

  /**
   * @param clock decides whether keys and tokens have expired
   * @param nanos monotonic time in nanoseconds, for rate limits and for the age of an issuer's keys
   * @param random generates the admin token
   * @param nodes how many nodes of the cluster serve, which share the limits; 0 without one
   */
  public AccessControl(
      AuthOptions options,
      InstantSource clock,
      LongSupplier nanos,
      SecureRandom random,
      IntSupplier nodes) {
    this.required = options.isRequired();
    this.audit = new Audit(options.audit(), clock, options.auditFile());
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
    this.limiter = new RateLimiter(state.limits(), nodes, nanos);
  }

  /** Makes the part that authenticates and admits the requests of one HTTP verticle. */
  public AdmissionControl admissionControl(Vertx vertx) {
    return new AdmissionControl(vertx, this);
  }

  /** Accepts the tokens that this mcpbus issues itself, where the options have a sign-in. */
  public void ownTokens(OwnTokens tokens) {
    ownTokens = tokens;
  }

  /** Null where this mcpbus issues none. */
  @Nullable OwnTokens ownTokens() {
    return ownTokens;
  }

  /**
   * Whether requests without credentials are refused. Decided at the start; a reload does not
   * change it.
   */
  public boolean isRequired() {
    return required;
  }

  /**
   * The key that gives the admin right if no login is required; valid until this process ends. Null
   * if the configuration has keys or tokens. A secret.
   */
  public @Nullable String adminToken() {
    return adminToken;
  }

  public Audit audit() {
    return audit;
  }

  /** What {@code principal} may do according to the present policies. */
  public Rights rights(Principal principal) {
    return state.policy().rights(principal);
  }

  /**
   * Replaces keys, tokens, policies and limits. They apply to new requests and to all that is open:
   * event streams and sockets whose principal is no longer valid are closed.
   *
   * <p>Whether login is required is decided at the start and stays. If login was required and the
   * new options have neither keys nor tokens, every request is refused. If login was not required
   * and the new options have keys or tokens, the reload is ignored. Both cases write a warning to
   * the log.
   *
   * @return the names of the keys that are there no more
   */
  public Set<String> reload(AuthOptions options) {
    if (options.isRequired() && !required) {
      LOG.warn(
          "auth: the new configuration requires login; restart mcpbus to apply it. Until then"
              + " mcpbus goes on serving loopback callers without login");
      return Set.of();
    }
    if (required && !options.isRequired()) {
      LOG.warn(
          "auth: the new configuration has no keys and no tokens, so mcpbus refuses every request;"
              + " add a key or a token issuer, or restart mcpbus to serve without login");
    }
    Set<String> gone = names(state.options());
    gone.removeAll(names(options));
    AuthState next = new AuthState(options, adminKey);
    limiter.limits(next.limits());
    state = next;
    LOG.info(
        "auth: reloaded: {} keys, {} policies{}",
        options.apiKeys().size(),
        options.policies().size(),
        options.issuers().isEmpty()
            ? ""
            : options.issuers().stream()
                .map(Issuer::issuer)
                .collect(Collectors.joining(", ", ", tokens of ", "")));
    return gone;
  }

  private static Set<String> names(AuthOptions options) {
    return options.apiKeys().stream()
        .map(ApiKey::name)
        .collect(Collectors.toCollection(TreeSet::new));
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
