package dev.mcpbus.security.oauth;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The Bearer and DPoP challenges of a {@code WWW-Authenticate} header (RFC 6750, RFC 9449, RFC
 * 9728), as one. Immutable.
 *
 * @param resourceMetadata URL of the server's metadata, null if not given
 * @param scope the scopes that the server requires, null if not given
 * @param error such as {@code insufficient_scope}, null for none
 * @param bearer whether the server takes Bearer tokens
 * @param dpop whether the server takes tokens that are bound to a key
 */
record TokenChallenge(
    @Nullable String resourceMetadata,
    @Nullable Set<String> scope,
    @Nullable String error,
    boolean bearer,
    boolean dpop) {

  static final TokenChallenge NONE = new TokenChallenge(null, null, null, false, false);

  private static final int MAX_HEADER = 8_192;
  private static final String BEARER = "bearer";
  private static final String DPOP = "dpop";
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

  /**
   * The Bearer and DPoP challenges of {@code header}; {@link #NONE} if there is neither. Of several
   * of one scheme the first that has a parameter counts: a proxy may put its own before that of the
   * server. Where both schemes have a parameter, that of DPoP counts.
   */
  static TokenChallenge parse(@Nullable String header) {
    if (header == null || header.length() > MAX_HEADER) {
      return NONE;
    }
    Map<String, Map<String, String>> challenges = new HashMap<>();
    Map<String, String> current = null;
    Matcher part = PART.matcher(header);
    while (part.find()) {
      String scheme = part.group("scheme");
      if (scheme != null) {
        String name = scheme.toLowerCase(Locale.ROOT);
        boolean counts = name.equals(BEARER) || name.equals(DPOP);
        current = counts ? challenges.computeIfAbsent(name, first -> new HashMap<>()) : null;
      } else if (current != null) {
        String quoted = part.group("quoted");
        String value = quoted == null ? part.group("plain") : quoted.replaceAll("\\\\(.)", "$1");
        current.putIfAbsent(part.group("name").toLowerCase(Locale.ROOT), value);
      }
    }
    Map<String, String> found = new HashMap<>(challenges.getOrDefault(BEARER, Map.of()));
    found.putAll(challenges.getOrDefault(DPOP, Map.of()));
    String scope = found.get("scope");
    return new TokenChallenge(
        found.get("resource_metadata"),
        scope == null || scope.isBlank() ? null : scopes(scope),
        found.get("error"),
        challenges.containsKey(BEARER),
        challenges.containsKey(DPOP));
  }

  /** The scopes of a blank-separated list, without those that RFC 6749 does not allow. */
  static Set<String> scopes(String text) {
    return Stream.of(text.strip().split("\\s+"))
        .filter(scope -> scope.chars().allMatch(c -> c > 0x20 && c < 0x7f && c != '"' && c != '\\'))
        .filter(scope -> !scope.isEmpty())
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }
}
