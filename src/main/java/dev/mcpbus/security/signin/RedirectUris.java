package dev.mcpbus.security.signin;

import dev.mcpbus.protocol.LoopbackHosts;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a client may be sent back: {@code https}, {@code http} on loopback with any port (RFC 8252,
 * section 7.3), or a scheme of an app that is a domain name in reverse (section 7.1). Stateless.
 */
final class RedirectUris {

  private static final int LONGEST = 512;

  /** No blank, quote, control character or letter beyond ASCII: such a URI has two readings. */
  private static final Pattern PLAIN = Pattern.compile("[!#$%&'()*+,\\-./0-9:;=?@A-Z\\[\\]_a-z~]+");

  /** Editors whose scheme has no dot. */
  private static final Set<String> EDITORS =
      Set.of("cursor", "vscode", "vscode-insiders", "windsurf");

  private RedirectUris() {}

  /** Why no client may have this URI; null if one may. */
  static @Nullable String problem(String text) {
    URI uri = parsed(text);
    if (uri == null) {
      return "a redirect URI is an absolute URI of at most " + LONGEST + " plain characters";
    }
    String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
    String host = host(uri);
    if (text.indexOf('#') >= 0 || uri.getRawUserInfo() != null || text.contains("\\")) {
      return "a redirect URI has no fragment and no user";
    }
    if (scheme.equals("https")) {
      return host.isEmpty() ? "a redirect URI with https has a host" : null;
    }
    if (scheme.equals("http")) {
      return LoopbackHosts.contains(host) ? null : "http is for redirect URIs on loopback alone";
    }
    return scheme.contains(".") || EDITORS.contains(scheme)
        ? null
        : "the scheme of an app is a domain name in reverse, such as com.example.app";
  }

  /** Whether a request may name {@code asked}, where the client has {@code registered}. */
  static boolean permits(List<String> registered, String asked) {
    return problem(asked) == null
        && registered.stream().anyMatch(one -> one.equals(asked) || isSameLoopback(one, asked));
  }

  /** Equal but for the port, on loopback. */
  private static boolean isSameLoopback(String registered, String asked) {
    return isLoopback(registered)
        && isLoopback(asked)
        && withoutPort(registered).equals(withoutPort(asked));
  }

  /** Whether it leads to a program on the computer of the browser. */
  static boolean isLoopback(String text) {
    URI uri = parsed(text);
    return uri != null && "http".equals(uri.getScheme()) && LoopbackHosts.contains(host(uri));
  }

  /** What a person should know of the place: its host, or the scheme of an app. */
  static String place(String text) {
    URI uri = parsed(text);
    return uri == null
        ? ""
        : uri.getScheme().startsWith("http") ? host(uri) : uri.getScheme() + ":";
  }

  private static String withoutPort(String text) {
    URI uri = URI.create(text);
    return uri.getHost() + " " + uri.getRawPath() + " " + uri.getRawQuery();
  }

  private static String host(URI uri) {
    return uri.getHost() == null ? "" : uri.getHost().toLowerCase(Locale.ROOT);
  }

  private static @Nullable URI parsed(String text) {
    try {
      URI uri = new URI(text);
      return text.length() <= LONGEST && PLAIN.matcher(text).matches() && uri.isAbsolute()
          ? uri
          : null;
    } catch (URISyntaxException e) {
      return null;
    }
  }
}
