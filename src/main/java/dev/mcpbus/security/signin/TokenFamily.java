package dev.mcpbus.security.signin;

import dev.mcpbus.security.Principal;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * One login of a person with a program, and all tokens that come of it.
 *
 * @param id the {@code sid} of its access tokens
 * @param generation of the only refresh token that is valid
 * @param rotated when that was issued, milliseconds since 1970
 * @param until the end of the login, seconds since 1970
 * @param began when the person logged in, seconds since 1970
 * @param rules what made the principal: with other rules the login has ended
 */
record TokenFamily(
    String id,
    long generation,
    long rotated,
    long until,
    long began,
    String rules,
    String base,
    String binding,
    String client,
    String name,
    String resource,
    boolean renews,
    Principal principal) {

  static TokenFamily of(
      String id, LoginRequest login, Principal principal, String rules, long now, long until) {
    return new TokenFamily(
        id,
        0,
        0,
        until,
        now,
        rules,
        login.base(),
        login.binding(),
        login.client(),
        login.name(),
        login.resource(),
        login.renews(),
        principal);
  }

  TokenFamily next(long nowMillis, long end) {
    return new TokenFamily(
        id,
        generation + 1,
        nowMillis,
        end,
        began,
        rules,
        base,
        binding,
        client,
        name,
        resource,
        renews,
        principal);
  }

  JsonObject json() {
    return new JsonObject()
        .put("id", id)
        .put("generation", generation)
        .put("rotated", rotated)
        .put("until", until)
        .put("began", began)
        .put("rules", rules)
        .put("base", base)
        .put("binding", binding)
        .put("client", client)
        .put("name", name)
        .put("resource", resource)
        .put("renews", renews)
        .put("principal", principal.text());
  }

  /** Null for no record, and for one of a family that has ended. */
  static @Nullable TokenFamily of(@Nullable JsonObject stored, String rules, long nowSeconds) {
    if (stored == null || !(stored.getValue("until") instanceof Number until)) {
      return null;
    }
    return until.longValue() <= nowSeconds || !rules.equals(stored.getString("rules"))
        ? null
        : new TokenFamily(
            stored.getString("id"),
            stored.getLong("generation"),
            stored.getLong("rotated"),
            until.longValue(),
            stored.getLong("began"),
            rules,
            stored.getString("base"),
            stored.getString("binding"),
            stored.getString("client"),
            stored.getString("name"),
            stored.getString("resource"),
            stored.getBoolean("renews"),
            Principal.parse(stored.getString("principal")));
  }
}
