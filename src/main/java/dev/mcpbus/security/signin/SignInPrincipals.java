package dev.mcpbus.security.signin;

import dev.mcpbus.security.Principal;
import dev.mcpbus.security.SignInOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Makes principals of verified tokens: of an id token of the provider by the rules of the
 * configuration, of an access token of ours as it says. Stateless.
 */
final class SignInPrincipals {

  private static final int MAX_NAME = 256;
  private static final int MAX_ROLES = 100;

  private SignInPrincipals() {}

  /**
   * The person that an id token names; null if it names nobody. An address of mail that the
   * provider has not verified may be that of another person.
   */
  static @Nullable Principal of(SignInOptions options, JsonObject claims) {
    boolean foreign =
        options.principal().equals("email")
            && !Boolean.TRUE.equals(claims.getValue("email_verified"));
    if (foreign
        || !(claims.getValue(options.principal()) instanceof String name)
        || !Principal.isName(name)) {
      return null;
    }
    String member = options.roles();
    Object value = member == null ? null : claims.getValue(member);
    List<?> words =
        value instanceof JsonArray list
            ? list.getList()
            : value instanceof String text ? List.of(text.split(" ")) : List.of();
    TreeSet<String> roles = new TreeSet<>();
    words.stream()
        .filter(String.class::isInstance)
        .map(String.class::cast)
        .filter(word -> !word.isEmpty() && word.length() <= MAX_NAME)
        .limit(MAX_ROLES)
        .forEach(roles::add);
    return new Principal(
        options.name() + ":" + name, roles, options.admins().stream().anyMatch(roles::contains));
  }

  /** The principal that an access token of ours names. */
  static Principal of(String name, JsonArray roles, boolean admin) {
    TreeSet<String> words = new TreeSet<>();
    roles.forEach(role -> words.add(String.valueOf(role)));
    return new Principal(name, words, admin);
  }
}
