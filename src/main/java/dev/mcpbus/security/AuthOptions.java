package dev.mcpbus.security;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who may come in over HTTP, and what for.
 *
 * @param apiKeys known keys
 * @param jwt tokens of an authorization server, null for none
 * @param policies who may do what; none: everybody who comes in may do everything that needs no
 *     admin right
 * @param limits for each principal whose key has none of its own
 * @param audit whether the audit log is written
 * @param auditFile where it is written beside the log, null for nowhere; the standalone service's
 */
public record AuthOptions(
    List<ApiKey> apiKeys,
    @Nullable Jwt jwt,
    List<Policy> policies,
    Limits limits,
    boolean audit,
    @Nullable AuditFile auditFile) {

  /** Nobody logs in, and whoever is there may do everything. */
  public static final AuthOptions NONE =
      new AuthOptions(List.of(), null, List.of(), Limits.UNBOUNDED, false, null);

  public AuthOptions {
    apiKeys = List.copyOf(apiKeys);
    policies = List.copyOf(policies);
  }

  /** Keys alone, with an audit log. */
  public static AuthOptions ofKeys(List<ApiKey> keys) {
    return new AuthOptions(keys, null, List.of(), Limits.UNBOUNDED, true, null);
  }

  public AuthOptions withPolicies(List<Policy> other) {
    return new AuthOptions(apiKeys, jwt, other, limits, audit, auditFile);
  }

  public AuthOptions withJwt(@Nullable Jwt other) {
    return new AuthOptions(apiKeys, other, policies, limits, audit, auditFile);
  }

  public AuthOptions withLimits(Limits other) {
    return new AuthOptions(apiKeys, jwt, policies, other, audit, auditFile);
  }

  /** Whether both write the same audit log. */
  public boolean hasAuditOf(AuthOptions other) {
    return audit == other.audit && Objects.equals(auditFile, other.auditFile);
  }

  /** True where a request without credentials is refused. */
  public boolean isRequired() {
    return !apiKeys.isEmpty() || jwt != null;
  }

  /**
   * A key, known by its hash alone. Keys are 256 random bits, so that nobody finds one from its
   * SHA-256, and a slow hash would only slow us down.
   *
   * @param name of the principal
   * @param hash {@code sha256:} and 64 hexadecimal digits
   * @param admin whether he may change what runs
   * @param expires when it is good no more, null for never
   * @param limits null for those of everybody
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

    /** Hashes are no secrets, but nobody needs them in a log. */
    @Override
    public String toString() {
      return "ApiKey[" + name + "]";
    }
  }

  /**
   * Access tokens in the form of RFC 9068, from one authorization server.
   *
   * @param issuer exactly as {@code iss} has it
   * @param audience one of these must be in {@code aud}
   * @param jwks where its keys are, null to ask the issuer's metadata
   * @param resource our URL as clients know it, null for {@code http://} and the Host header
   * @param requiredScopes a token without all of them gets 403
   * @param adminScopes a token with one of them may change what runs
   * @param leeway by how much its clock may differ from ours
   */
  public record Jwt(
      String issuer,
      Set<String> audience,
      @Nullable URI jwks,
      @Nullable String resource,
      Set<String> requiredScopes,
      Set<String> adminScopes,
      Duration leeway) {

    public Jwt {
      audience = Set.copyOf(audience);
      requiredScopes = Set.copyOf(requiredScopes);
      adminScopes = Set.copyOf(adminScopes);
    }

    /** Whether tokens of both are signed with the same keys. */
    boolean hasKeysOf(Jwt other) {
      return issuer.equals(other.issuer) && Objects.equals(jwks, other.jwks);
    }
  }

  /**
   * Actions by their words.
   *
   * @param unknown hears of words that are none
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

  /** Whether a policy opens or closes. */
  public enum Effect {
    ALLOW,
    DENY
  }

  /**
   * One rule. Globs ({@code *}, {@code ?}); an empty list stands for everything.
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
      servers = List.copyOf(servers);
      tools = List.copyOf(tools);
      actions = Set.copyOf(actions);
    }
  }

  /**
   * What one principal may use.
   *
   * @param rate requests a second, 0 for no bound
   * @param burst requests at once after a pause
   * @param concurrency requests in flight, 0 for no bound
   */
  public record Limits(double rate, int burst, int concurrency) {

    public static final Limits UNBOUNDED = new Limits(0, 0, 0);
  }

  /**
   * A file of audit lines.
   *
   * @param maxBytes after which another one is begun
   * @param keep how many old ones are kept
   */
  public record AuditFile(String path, long maxBytes, int keep) {}
}
