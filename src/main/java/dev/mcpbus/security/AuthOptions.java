package dev.mcpbus.security;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.ServerId;
import dev.mcpbus.security.oauth.IssuerKeys;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of inbound access over HTTP: who may call, and what they may do.
 *
 * @param apiKeys the valid keys
 * @param issuers the authorization servers whose tokens are accepted; no two have the same name or
 *     the same identifier
 * @param resource our URL as clients know it; null: {@code http://} and the Host header
 * @param dpop what clients are told of tokens that are bound to a key, and which of them they need
 * @param policies who may do what; empty: every admitted caller may do everything that does not
 *     require the admin right
 * @param limits for each principal whose key has no limits of its own
 * @param audit whether the audit log is written
 * @param auditFile a file for audit lines, in place of the common log; null for none
 * @param signIn mcpbus as an authorization server of its own; null: it is none
 */
public record AuthOptions(
    List<ApiKey> apiKeys,
    List<Issuer> issuers,
    @Nullable String resource,
    Dpop dpop,
    List<Policy> policies,
    Limits limits,
    boolean audit,
    @Nullable AuditFile auditFile,
    @Nullable SignInOptions signIn) {

  /** No login is required, and everything but admin operations is allowed. */
  public static final AuthOptions NONE =
      new AuthOptions(
          List.of(), List.of(), null, Dpop.DEFAULT, List.of(), Limits.UNBOUNDED, false, null);

  /** Without a sign-in. */
  public AuthOptions(
      List<ApiKey> apiKeys,
      List<Issuer> issuers,
      @Nullable String resource,
      Dpop dpop,
      List<Policy> policies,
      Limits limits,
      boolean audit,
      @Nullable AuditFile auditFile) {
    this(apiKeys, issuers, resource, dpop, policies, limits, audit, auditFile, null);
  }

  /** Without a sign-in. */
  public AuthOptions(
      List<ApiKey> apiKeys,
      List<Issuer> issuers,
      @Nullable String resource,
      List<Policy> policies,
      Limits limits,
      boolean audit,
      @Nullable AuditFile auditFile) {
    this(apiKeys, issuers, resource, Dpop.DEFAULT, policies, limits, audit, auditFile, null);
  }

  public AuthOptions {
    apiKeys = List.copyOf(apiKeys);
    issuers = List.copyOf(issuers);
    policies = List.copyOf(policies);
  }

  /** True where a request without credentials is refused. */
  public boolean isRequired() {
    return !apiKeys.isEmpty() || takesTokens();
  }

  /** True where an access token may be a credential. */
  boolean takesTokens() {
    return !issuers.isEmpty() || signIn != null;
  }

  /**
   * An API key, known by its hash alone. A key has 256 random bits, so it cannot be guessed from
   * its SHA-256; a slow password hash would add cost and no safety.
   *
   * @param name of the principal
   * @param hash {@code sha256:} and 64 hexadecimal digits
   * @param admin whether the principal may change what runs
   * @param expires the end of its validity, null for never
   * @param limits null for the common limits
   */
  public record ApiKey(
      String name,
      String hash,
      Set<String> roles,
      boolean admin,
      @Nullable Instant expires,
      @Nullable Limits limits) {

    public ApiKey {
      roles = Set.copyOf(roles);
    }

    /** Without the hash: it is no secret, but a log does not need it. */
    @Override
    public String toString() {
      return "ApiKey[" + name + "]";
    }
  }

  /**
   * One authorization server, whose access tokens are accepted: JWTs in the form of RFC 9068, and
   * others by introspection.
   *
   * @param name of the issuer here: principals are called by it, a colon and the claim that names a
   *     person, so that subjects of two issuers never meet
   * @param issuer must equal the {@code iss} claim exactly
   * @param audience one of these must be in {@code aud}
   * @param jwks URL of the issuer's keys; null: read it from the issuer's metadata
   * @param requiredScopes a token without all of them gets 403
   * @param adminScopes a token with one of them has the admin right
   * @param leeway by how much the issuer's clock may differ from ours
   * @param algorithms of its signatures; empty: all that are asymmetric
   * @param claims what makes a principal of a token; the scopes are roles in any case
   * @param introspection asks the issuer what a token is that is no JWT; null: such a token is
   *     refused
   */
  public record Issuer(
      String name,
      String issuer,
      Set<String> audience,
      @Nullable URI jwks,
      Set<String> requiredScopes,
      Set<String> adminScopes,
      Duration leeway,
      Set<String> algorithms,
      ClaimMapping claims,
      @Nullable Introspection introspection) {

    /** The name of an issuer that the configuration gives no name. */
    public static final String DEFAULT_NAME = "jwt";

    /** The leeway where the configuration says nothing. */
    public static final Duration DEFAULT_LEEWAY = Duration.ofSeconds(30);

    public Issuer {
      audience = Set.copyOf(audience);
      requiredScopes = Set.copyOf(requiredScopes);
      adminScopes = Set.copyOf(adminScopes);
      algorithms = Set.copyOf(algorithms);
    }

    /** An issuer with nothing but defaults. */
    public static Issuer of(String name, String issuer, Set<String> audience) {
      return new Issuer(
          name,
          issuer,
          audience,
          null,
          Set.of(),
          Set.of(),
          DEFAULT_LEEWAY,
          Set.of(),
          ClaimMapping.DEFAULT,
          null);
    }

    /** Whether this is the issuer that {@code iss} names, a slash at the end apart. */
    public boolean isCalled(String iss) {
      return IssuerKeys.isSame(issuer, iss);
    }
  }

  /**
   * How an issuer is asked about a token that is no JWT (RFC 7662).
   *
   * @param prefix tokens that begin with it go to this issuer; empty for all
   * @param clientSecret for {@code client_secret_basic}
   * @param cache how long an answer holds, at most until the token's {@code exp}; so long a revoked
   *     token is good
   */
  public record Introspection(
      URI url, String prefix, String clientId, Sensitive clientSecret, Duration cache) {

    public static final Duration DEFAULT_CACHE = Duration.ofSeconds(60);
  }

  /**
   * Tokens that are bound to a key of the client (DPoP, RFC 9449). They are verified in any case.
   *
   * @param offered whether clients are told so; the others imply it
   * @param required whether tokens that are not bound so are refused
   * @param nonce whether a proof needs a nonce of ours
   */
  public record Dpop(boolean offered, boolean required, boolean nonce) {

    public static final Dpop DEFAULT = new Dpop(false, false, false);

    public Dpop {
      offered |= required || nonce;
    }
  }

  /**
   * The actions with these words.
   *
   * @param unknown receives each word that names no action
   */
  public static Set<Action> actions(List<String> words, Consumer<String> unknown) {
    Set<Action> actions = EnumSet.noneOf(Action.class);
    for (String word : words) {
      Arrays.stream(Action.values())
          .filter(action -> action.word().equals(word))
          .findFirst()
          .ifPresentOrElse(actions::add, () -> unknown.accept(word));
    }
    return actions;
  }

  /** Whether a policy permits or denies. */
  public enum Effect {
    ALLOW,
    DENY
  }

  /**
   * One policy. Lists hold globs ({@code *}, {@code ?}); an empty list matches everything.
   *
   * @param principals names, or {@code role:} and a role
   * @param servers ids
   * @param tools names of tools and prompts, URIs of resources
   */
  public record Policy(
      List<String> principals,
      List<String> servers,
      List<String> tools,
      Set<Action> actions,
      Effect effect) {

    public Policy {
      principals = List.copyOf(principals);
      servers =
          servers.stream()
              .flatMap(one -> ServerId.patterns(one, effect == Effect.DENY).stream())
              .distinct()
              .toList();
      tools = List.copyOf(tools);
      actions = Set.copyOf(actions);
    }
  }

  /**
   * The limits of one principal.
   *
   * @param rate requests per second, 0 for unbounded
   * @param burst requests at once after a pause
   * @param concurrency requests in flight, 0 for unbounded
   */
  public record Limits(double rate, int burst, int concurrency) {

    public static final Limits UNBOUNDED = new Limits(0, 0, 0);
  }

  /** What happens to calls while the audit file cannot be written. */
  public enum OnAuditFailure {
    /** They go on. Their lines wait in memory, up to a bound; those beyond are lost and counted. */
    CONTINUE,
    /**
     * They are refused. Each call has a line {@code BEGIN} that is on the disk before the call is
     * sent, and the line of its outcome.
     */
    REFUSE
  }

  /**
   * A file for audit lines.
   *
   * @param maxBytes size at which the file is rotated
   * @param keep how many rotated files are kept
   */
  public record AuditFile(String path, long maxBytes, int keep, OnAuditFailure onFailure) {}
}
