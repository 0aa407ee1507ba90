package dev.mcpbus.security.oauth;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The Bearer challenge of a {@code WWW-Authenticate} header (RFC 6750, RFC 9728). Immutable.
 *
 * @param resourceMetadata URL of the server's metadata, null if not given
 * @param scope the scopes that the server requires, null if not given
 * @param error such as {@code insufficient_scope}, null for none
 */
record BearerChallenge(
    @Nullable String resourceMetadata, @Nullable Set<String> scope, @Nullable String error) {

  static final BearerChallenge NONE = new BearerChallenge(null, null, null);

  private static final int MAX_HEADER = 8_192;
  private static final String TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

  /** A scheme or a parameter with its value, after the separators. */
  private static final Pattern PART =
      Pattern.compile(
          "\\G[\\s,]*(?:(?<name>"
              + TOKEN
              + ")\\s*=\\s*(?:\"(?<quoted>(?:[^\"\\\\]|\\\\.)*+)\"|(?<plain>[^\\s,\"]++))"
              + "|(?<scheme>"
              + TOKEN
              + ")(?:\\s+(?<token68>[A-Za-z0-9._~+/-]+=*)(?=\\s*(?:,|$)))?)");

  /** The first Bearer challenge of {@code header}; {@link #NONE} if there is none. */
  static BearerChallenge parse(@Nullable String header) {
    if (header == null || header.length() > MAX_HEADER) {
      return NONE;
    }
    Map<String, String> found = new LinkedHashMap<>();
    boolean bearer = false;
    boolean seen = false;
    Matcher part = PART.matcher(header);
    while (part.find()) {
      String scheme = part.group("scheme");
      if (scheme != null) {
        if (seen) {
          break;
        }
        bearer = scheme.equalsIgnoreCase("bearer");
        seen = bearer;
      } else if (bearer) {
        String quoted = part.group("quoted");
        String value = quoted == null ? part.group("plain") : quoted.replaceAll("\\\\(.)", "$1");
        found.putIfAbsent(part.group("name").toLowerCase(Locale.ROOT), value);
      }
    }
    String scope = found.get("scope");
    return new BearerChallenge(
        found.get("resource_metadata"),
        scope == null || scope.isBlank() ? null : scopes(scope),
        found.get("error"));
  }

  /** The scopes of a blank-separated list, without those that RFC 6749 does not allow. */
  static Set<String> scopes(String text) {
    Set<String> scopes = new LinkedHashSet<>();
    for (String scope : List.of(text.strip().split("\\s+"))) {
      if (!scope.isEmpty()
          && scope.chars().allMatch(c -> c > 0x20 && c < 0x7f && c != '"' && c != '\\')) {
        scopes.add(scope);
      }
    }
    return scopes;
  }
}
