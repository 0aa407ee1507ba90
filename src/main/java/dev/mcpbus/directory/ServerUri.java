package dev.mcpbus.directory;

import dev.mcpbus.bus.ConnectionId;
import org.jspecify.annotations.Nullable;

/**
 * The form of a URI, or of a template, that names its server. It keeps the scheme, by which hosts
 * decide what a resource is. Injective, and {@link #read} is its inverse. Stateless.
 *
 * <table>
 *   <caption>The forms for a server {@code s}</caption>
 *   <tr><th>the server's own</th><th>with its server</th></tr>
 *   <tr><td>{@code ui://a/b}, {@code file:///a}, {@code x://{+path}}</td>
 *       <td>{@code ui://s/a/b}, {@code file://s//a}, {@code x://s/{+path}}</td></tr>
 *   <tr><td>{@code urn:a:b}, {@code memo:x}</td>
 *       <td>{@code urn:mcp+s:a:b}, {@code memo:mcp+s:x}</td></tr>
 *   <tr><td>{@code a/b}, {@code {scheme}://a}, {@code mcp+t:x}</td>
 *       <td>{@code mcp+s:a/b}, {@code mcp+s:{scheme}://a}, {@code mcp+s:mcp+t:x}</td></tr>
 * </table>
 *
 * <p>The last form can be read for every URI. Each form only inserts text before the first
 * character that an expansion of a template can begin with, so the form of an expansion is the
 * expansion of the form.
 *
 * @param server its id
 * @param uri the server's own
 */
record ServerUri(String server, String uri) {

  private static final String MARK = "mcp+";
  private static final String SLASHES = "//";

  /** Characters of an id. */
  private static final int MAX_ID = 63;

  /** Characters; clients and servers choose the text, and each look at it costs its length. */
  private static final int MAX_SCHEME = 128;

  private static final int MAX_AUTHORITY = 4_096;

  /** The URI with its server, with the scheme of {@code uri} if it has one. */
  static String of(String server, String uri) {
    int rest = uri.indexOf(':') + 1;
    if (scheme(uri) == null || marked(uri, 0) != null) {
      return unmistakable(server, uri);
    }
    if (!uri.startsWith(SLASHES, rest)) {
      return uri.substring(0, rest) + MARK + server + ":" + uri.substring(rest);
    }
    int authority = rest + SLASHES.length();
    return uri.substring(0, authority) + server + "/" + uri.substring(authority);
  }

  /** As {@link #of}, in the form that no server's own URI can look like but one of this form. */
  static String unmistakable(String server, String uri) {
    return MARK + server + ":" + uri;
  }

  /**
   * Reads a URI in one of the three forms; null for any other text. A server's own URI may look
   * like the first form: what it says then is for {@link ViewUris} to decide.
   */
  static @Nullable ServerUri read(String name) {
    ServerUri whole = marked(name, 0);
    if (whole != null) {
      return whole;
    }
    String scheme = scheme(name);
    if (scheme == null) {
      return null;
    }
    int rest = scheme.length() + 1;
    if (!name.startsWith(SLASHES, rest)) {
      ServerUri opaque = marked(name, rest);
      return opaque == null
          ? null
          : new ServerUri(opaque.server(), name.substring(0, rest) + opaque.uri());
    }
    int authority = rest + SLASHES.length();
    int slash = name.indexOf('/', authority);
    return slash < 0 || !isId(name, authority, slash)
        ? null
        : new ServerUri(
            name.substring(authority, slash),
            name.substring(0, authority) + name.substring(slash + 1));
  }

  /** Whether {@code name} has the form of {@link #unmistakable}. */
  static boolean isUnmistakable(String name) {
    return marked(name, 0) != null;
  }

  /** The server and the text after {@code mcp+<server>:} at that place; null if it is not there. */
  private static @Nullable ServerUri marked(String name, int from) {
    int id = from + MARK.length();
    int end = name.startsWith(MARK, from) ? name.indexOf(':', from) : -1;
    return end < 0 || !isId(name, id, end)
        ? null
        : new ServerUri(name.substring(id, end), name.substring(end + 1));
  }

  /** Looks at the length first: clients and servers choose the text, and most have no id there. */
  private static boolean isId(String text, int from, int to) {
    return to > from
        && to - from <= MAX_ID
        && ConnectionId.problem(text.substring(from, to)) == null;
  }

  /**
   * The scheme as it is written (RFC 3986, section 3.1); null if there is none, or if it has more
   * than {@value #MAX_SCHEME} characters.
   */
  static @Nullable String scheme(String uri) {
    for (int i = 0; i < uri.length() && i <= MAX_SCHEME; i++) {
      char c = uri.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (letter || (i > 0 && ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'))) {
        continue;
      }
      return c == ':' && i > 0 ? uri.substring(0, i) : null;
    }
    return null;
  }

  /**
   * Scheme and authority, such as {@code ui://app}; null if the URI has no authority, or one of
   * more than {@value #MAX_AUTHORITY} characters, or if that of a template is not known before its
   * expansion.
   */
  static @Nullable String authority(String uri) {
    String scheme = scheme(uri);
    if (scheme == null || !uri.startsWith(SLASHES, scheme.length() + 1)) {
      return null;
    }
    int end = scheme.length() + 1 + SLASHES.length();
    while (end < uri.length() && "/?#".indexOf(uri.charAt(end)) < 0) {
      if (uri.charAt(end++) == '{' || end > MAX_AUTHORITY) {
        return null;
      }
    }
    return uri.substring(0, end);
  }
}
