package dev.mcpbus.protocol;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a server may take a URI for. Servers parse a URI before they compare it, and each a little
 * differently: letter case, percent-encoding, dots, backslashes, blanks, a host of {@code file:},
 * default ports, a query (RFC 3986, section 6; the URL standard). So a policy that denies {@code
 * file:///secret} must deny {@code FILE:///a/%2e%2e/secret?x}, too. The forms are for decisions:
 * what is sent is the URI as it was written. Immutable.
 */
public final class UriForms {

  private static final Map<String, String> PORTS =
      Map.of("http", ":80", "ws", ":80", "https", ":443", "wss", ":443", "ftp", ":21", "file", "");

  private static final Pattern CLIMBING = Pattern.compile("(^|[/:?#=&])\\.\\.($|[/:?#=&;])");

  /** A pattern for every URI, or for every one of some schemes. */
  private static final Pattern WHOLE = Pattern.compile("([^/:]*:/{0,3})?\\*+");

  /** Of percent-encoding within percent-encoding. */
  private static final int MAX_DECODINGS = 5;

  /** By it a server that is a mcpbus itself reads one of its servers from a URI. */
  private static final String MARK = "mcp+";

  private static final String ID = "[a-z0-9][a-z0-9-]{0,62}";
  private static final Pattern MARKED = Pattern.compile("mcp\\+" + ID + ":");
  private static final Pattern ID_ALONE = Pattern.compile(ID);

  private final Set<String> forms = new HashSet<>();
  private final boolean climbs;

  private UriForms(String uri) {
    String whole = plain(uri);
    this.climbs = whole.contains("..") && CLIMBING.matcher(whole).find();
    addWithPath(uri, whole);
    String ended = beforeNul(uri);
    if (ended != null) {
      addWithPath(ended, plain(ended));
    }
    if (whole.contains(MARK)) {
      String unmarked = MARKED.matcher(whole).replaceAll("");
      addWithPath(unmarked, unmarked);
    }
  }

  private void addWithPath(String text, String plain) {
    add(plain);
    int end = pathEnd(text);
    if (end < text.length()) {
      add(plain(text.substring(0, end)));
    }
  }

  /** What a server in C reads of it, whose texts end at a NUL; null if it has none. */
  private static @Nullable String beforeNul(String uri) {
    String text = uri;
    for (int i = 0; i <= MAX_DECODINGS; i++) {
      int nul = text.indexOf('\0');
      if (nul >= 0) {
        return text.substring(0, nul);
      }
      if (text.indexOf('%') < 0) {
        return null;
      }
      text = decoded(text);
    }
    return null;
  }

  public static UriForms of(String uri) {
    return new UriForms(uri);
  }

  /** Whether a part of it is {@code ..}, so that what begins like a folder may lead out of it. */
  public boolean climbs() {
    return climbs;
  }

  /** Whether a pattern that {@link #pattern} has written matches one of the forms. */
  public boolean matches(String pattern) {
    return matches("", pattern);
  }

  /** As {@link #matches(String)}, with {@code prefix} before each form. */
  public boolean matches(String prefix, String pattern) {
    return forms.stream().anyMatch(form -> Glob.matches(pattern, prefix + form));
  }

  /** A pattern for URIs, as {@link #matches} takes it. */
  public static String pattern(String glob) {
    return new Parts(plain(glob)).text(true);
  }

  /**
   * Whether a permission with this pattern covers the URI as far as {@link #climbs} matters: a
   * pattern for a whole scheme has no folder that could be left.
   */
  public boolean stayWithin(String glob) {
    return !climbs || WHOLE.matcher(glob).matches();
  }

  /** Without differences of letter case and of characters that look and mean the same. */
  public static String folded(String text) {
    return isAscii(text)
        ? text.toLowerCase(Locale.ROOT)
        : Normalizer.normalize(text, Normalizer.Form.NFKC)
            .toUpperCase(Locale.ROOT)
            .toLowerCase(Locale.ROOT);
  }

  private void add(String plain) {
    Parts parts = new Parts(plain);
    List<String> all = new ArrayList<>(List.of(parts.text(true)));
    if (climbs) {
      all.add(parts.text(false)); // some servers take the host for a folder
    }
    if (parts.scheme.equals("file") && !parts.authority.isEmpty()) {
      all.add("file://" + Parts.resolved(parts.path)); // some servers ignore the host
    }
    if (!parts.authority.isEmpty()
        && parts.path.length() > 1
        && ID_ALONE.matcher(parts.authority).matches()) {
      // A mcpbus takes the authority for one of its servers.
      all.add(parts.before + Parts.withoutSlashes(Parts.resolved(parts.path)));
    }
    for (String form : all) {
      forms.add(form);
      if (form.endsWith("/")) {
        forms.add(form.substring(0, form.length() - 1));
      } else if (parts.path.isEmpty() && PORTS.containsKey(parts.scheme)) {
        forms.add(form + "/");
      }
    }
  }

  private static int pathEnd(String uri) {
    int at = 0;
    while (at < uri.length() && uri.charAt(at) != '?' && uri.charAt(at) != '#') {
      at++;
    }
    return at;
  }

  /** The text decoded, folded, without invisible characters, and with slashes of one kind. */
  private static String plain(String text) {
    String plain = seen(text);
    for (int i = 0; i < MAX_DECODINGS && plain.indexOf('%') >= 0; i++) {
      plain = seen(decoded(plain));
    }
    return folded(plain).replace('\\', '/').strip();
  }

  private static boolean isAscii(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) > '~' || text.charAt(i) < ' ') {
        return false;
      }
    }
    return true;
  }

  private static String seen(String text) {
    return !isAscii(text) && text.codePoints().anyMatch(UriForms::isHidden)
        ? text.codePoints()
            .filter(c -> !isHidden(c))
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString()
        : text;
  }

  private static boolean isHidden(int c) {
    return Character.isISOControl(c) || Character.getType(c) == Character.FORMAT;
  }

  private static String decoded(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    byte[] all = text.getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < all.length; i++) {
      int high = all[i] == '%' && i + 2 < all.length ? Character.digit(all[i + 1], 16) : -1;
      int low = high < 0 ? -1 : Character.digit(all[i + 2], 16);
      if (low < 0) {
        bytes.write(all[i]);
      } else {
        bytes.write(high * 16 + low);
        i += 2;
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** Some servers cut parameters ({@code ..;a}) from a segment before they look at it. */
  private static List<String> segments(String path) {
    List<String> all = Arrays.asList(path.split("/", -1));
    if (path.contains(".;")) {
      all.replaceAll(one -> one.startsWith("..;") ? ".." : one.startsWith(".;") ? "." : one);
    }
    return all;
  }

  /** A plain text in its parts; those of a pattern may have {@code *} anywhere. */
  private static final class Parts {

    private final String scheme;
    private final @Nullable String before;
    private final String authority;
    private final String path;

    Parts(String plain) {
      int slashes = plain.indexOf("://");
      int colon = plain.indexOf(':');
      int end = slashes >= 0 && plain.lastIndexOf('/', slashes) < 0 ? slashes : colon;
      scheme = end < 0 || plain.lastIndexOf('/', end) >= 0 ? "" : plain.substring(0, end);
      String rest = scheme.isEmpty() ? plain : plain.substring(end + 1);
      String port = PORTS.get(scheme);
      boolean hasAuthority = rest.startsWith("//");
      if (port != null) {
        boolean local = scheme.equals("file") && (!hasAuthority || rest.startsWith("///"));
        rest = (local ? "///" : "//") + withoutSlashes(rest);
        hasAuthority = true;
      }
      before = scheme.isEmpty() ? null : scheme + (hasAuthority ? "://" : ":");
      int slash = hasAuthority ? rest.indexOf('/', 2) : 0;
      String host = !hasAuthority ? "" : slash < 0 ? rest.substring(2) : rest.substring(2, slash);
      authority = port == null ? host : host(host, port);
      path = slash < 0 ? "" : rest.substring(slash);
    }

    private static String host(String authority, String port) {
      String host = authority.substring(authority.lastIndexOf('@') + 1);
      for (String end : List.of(":", port)) {
        if (!end.isEmpty() && host.endsWith(end)) {
          host = host.substring(0, host.length() - end.length());
        }
      }
      return host.equals("localhost") && port.isEmpty() ? "" : host;
    }

    /**
     * The parts together, without dots and empty segments.
     *
     * @param fixed whether {@code ..} stays below the authority
     */
    String text(boolean fixed) {
      String start = before == null ? "" : before;
      return fixed
          ? start + authority + resolved(path)
          : start + withoutSlashes(resolved(authority + path));
    }

    private static String withoutSlashes(String text) {
      int from = 0;
      while (from < text.length() && text.charAt(from) == '/') {
        from++;
      }
      return text.substring(from);
    }

    private static String resolved(String path) {
      if (!path.contains("/.") && !path.contains("//") && !path.startsWith(".")) {
        return path;
      }
      List<String> kept = new ArrayList<>();
      List<String> all = segments(path);
      for (String segment : all) {
        if (segment.equals("..")) {
          if (!kept.isEmpty()) {
            kept.remove(kept.size() - 1);
          }
        } else if (!segment.isEmpty() && !segment.equals(".")) {
          kept.add(segment);
        }
      }
      String last = all.get(all.size() - 1);
      boolean folder = last.isEmpty() || last.equals(".") || last.equals("..");
      return (path.startsWith("/") ? "/" : "")
          + String.join("/", kept)
          + (folder && !kept.isEmpty() ? "/" : "");
    }
  }
}
