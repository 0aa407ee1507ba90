package dev.mcpbus.config.read;

import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads {@code oauth} and {@code auth} as other programs write them. Pure. */
final class ForeignOAuth {

  /** Other programs' keys in {@code oauth}, by ours. */
  private static final Map<String, List<String>> NAMES =
      Map.of(
          "clientId", List.of("client_id"),
          "clientSecret", List.of("client_secret"),
          "scopes", List.of("scope", "oauthScopes"));

  /** Keys beside {@code oauth} by those in it. */
  static final Map<String, String> BESIDE =
      Map.of("oauthScopes", "scopes", "oauth_scopes", "scopes", "oauthClientId", "clientId");

  /** What other programs have to be told of an authorization server; mcpbus finds it out. */
  private static final Pattern FOUND_OUT =
      Pattern.compile(
          "enabled|oauth|(?:authorization|token|registration|revocation)_?[uU](?:rl|RL)|redirect_?[uU]r[il]"
              + "|audiences?|tokenParamName|client_?[nN]ame|auth_?[sS]erver_?[mM]etadata_?[uU]rl"
              + "|flow|grant_types(?:_supported)?|pkce");

  private ForeignOAuth() {}

  /** Whether it only says that there is no login. */
  static boolean isOff(ConfigNode oauth) {
    return Stream.of(oauth, oauth.get("enabled"), oauth.get("oauth"))
        .anyMatch(node -> node != null && node.text().equals("false"));
  }

  /**
   * An object or {@code true} in our own keys.
   *
   * @param ignored receives keys that say nothing to mcpbus
   */
  static ConfigNode translated(ConfigNode written, Consumer<ConfigMember> ignored) {
    ConfigNode oauth = ConfigNode.object(written.line(), written.members());
    for (ConfigMember member : written.members()) {
      for (Map.Entry<String, List<String>> one : NAMES.entrySet()) {
        if (one.getValue().contains(member.name()) && written.get(one.getKey()) == null) {
          oauth = oauth.without(member.name()).with(one.getKey(), member.value());
        }
      }
      if (FOUND_OUT.matcher(member.name()).matches()) {
        oauth = oauth.without(member.name());
        if (!member.value().is(ValueType.BOOLEAN)) {
          ignored.accept(member);
        }
      }
    }
    return oauth;
  }
}
