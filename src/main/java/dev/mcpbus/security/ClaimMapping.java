package dev.mcpbus.security;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What makes a principal of the claims of a verified token. A path is the name of a claim, or names
 * with dots between them for a claim within others. A claim {@code email} counts only beside {@code
 * email_verified} true. Immutable.
 *
 * @param name path of the claim that names the principal, a text
 * @param roles paths of claims whose values are roles, texts or lists of texts
 * @param rules what else gives roles, and the admin right
 */
public record ClaimMapping(String name, List<String> roles, List<ClaimRule> rules) {

  /** The claim {@code sub}, and no roles. */
  public static final ClaimMapping DEFAULT = new ClaimMapping("sub", List.of(), List.of());

  /** A token with more roles is refused: to leave some out could take a denial away. */
  private static final int MAX_ROLES = 1_000;

  public ClaimMapping {
    roles = List.copyOf(roles);
    rules = List.copyOf(rules);
  }

  /**
   * What a value of a claim gives.
   *
   * @param claim its path
   * @param value that the claim has, or has among others; compared unchanged
   * @param role null for none
   * @param admin whether it gives the admin right
   */
  public record ClaimRule(String claim, String value, @Nullable String role, boolean admin) {

    private boolean isMet(JsonObject claims) {
      return ClaimValues.at(claims, claim).contains(value);
    }
  }

  /**
   * The principal; null if the claims name nobody, or give more than 1,000 roles.
   *
   * @param prefix begins its name
   * @param more roles that it has in any case
   * @param admin whether it has the admin right in any case
   */
  public @Nullable Principal principal(
      String prefix, JsonObject claims, NavigableSet<String> more, boolean admin) {
    NavigableSet<String> all = new TreeSet<>(more);
    boolean isAdmin = admin;
    roles.forEach(path -> all.addAll(ClaimValues.at(claims, path)));
    for (ClaimRule rule : rules) {
      if (rule.isMet(claims)) {
        isAdmin |= rule.admin();
        Stream.ofNullable(rule.role()).forEach(all::add);
      }
    }
    String named = name(claims);
    return named == null || all.size() > MAX_ROLES
        ? null
        : new Principal(prefix + named, all, isAdmin);
  }

  private @Nullable String name(JsonObject claims) {
    String text = ClaimValues.text(claims, name);
    return text != null && Principal.isName(text) ? text : null;
  }

  /** Why claims name nobody, for the owner of the token; null where they name one. */
  public @Nullable String unnamed(JsonObject claims) {
    return name(claims) != null
        ? null
        : "the token has no claim \""
            + name
            + "\" that names a person"
            + (ClaimValues.isEmail(name) ? "; an email counts with email_verified true alone" : "");
  }

  /** Adds by which of its rules a principal has its roles and the admin right. */
  void addGrounds(JsonObject claims, JsonArray grounds) {
    for (String path : roles) {
      ClaimValues.at(claims, path)
          .forEach(role -> grounds.add(ground(role, false, "claims.roles: " + path)));
    }
    for (ClaimRule rule : rules) {
      if (rule.isMet(claims)) {
        grounds.add(
            ground(rule.role(), rule.admin(), "roles: " + rule.claim() + " has " + rule.value()));
      }
    }
  }

  static JsonObject ground(@Nullable String role, boolean admin, String by) {
    JsonObject ground = new JsonObject();
    if (role != null) {
      ground.put("role", role);
    }
    if (admin) {
      ground.put("admin", true);
    }
    return ground.put("by", by);
  }
}
