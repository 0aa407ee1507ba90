package dev.mcpbus.protocol;

import java.io.ByteArrayOutputStream;
import java.net.IDN;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a server may take a URI for. Servers parse a URI before they compare it, and each a little
 * differently: letter case, percent-encoding before or after they look for its parts, dots,
 * backslashes, slashes, blanks, users, ports, parameters behind a semicolon, numbers and names in
 * Punycode as hosts, a query, a fragment (RFC 3986, section 6; the URL standard). So a policy that
 * denies {@code file:///secret} must deny {@code FILE:///a/%2e%2e/secret?x}, too. The forms are for
 * decisions: what is sent is the URI as it was written. Not safe for several threads.
 */
public final class UriForms {

  private static final Map<String, String> PORTS =
      Map.of("http", ":80", "ws", ":80", "https", ":443", "wss", ":443", "ftp", ":21", "file", "");

  private static final Pattern CLIMBING = Pattern.compile("(^|[/:?#=&])\\.\\.($|[/:?#=&;])");

  /** A pattern for every URI, or for every one of some schemes. */
  private static final Pattern WHOLE = Pattern.compile("([^/:]*:/{0,3})?\\*+");

  /** Of percent-encoding within percent-encoding. */
  private static final int MAX_DECODINGS = 5;

  /** Characters of all forms; a URI that can be read in more ways is written to deceive. */
  private static final int MAX_FORMS = 64 * 1024;

  /** Characters of all forms that are made, of which most are equal to others. */
  private static final int MAX_MADE = 256 * 1024;

  /** Of an authority. */
  private static final String ENDS = "/?#";

  /** By it a server that is a mcpbus itself reads one of its servers from a URI. */
  private static final String MARK = "mcp+";

  private static final String ID = "[a-z0-9][a-z0-9-]{0,62}";
  private static final Pattern MARKED = Pattern.compile("mcp\\+" + ID + ":");
  private static final Pattern ID_ALONE = Pattern.compile(ID);

  private final String uri;
  private final boolean climbs;
  private @Nullable Set<String> forms;
  private int characters;
  private int made;

  private UriForms(String uri) {
    this.uri = uri;
    String whole = plain(uri);
    this.climbs = whole.contains("..") && CLIMBING.matcher(whole).find();
  }

  /** All forms; made for the first question. */
  private Set<String> forms() {
    Set<String> known = forms;
    if (known == null) {
      known = new HashSet<>();
      forms = known;
      addDecoded(uri);
      String ended = beforeNul(uri);
      if (ended != null) {
        addDecoded(ended);
      }
      String whole = plain(uri);
      if (whole.contains(MARK)) {
        addCut(MARKED.matcher(whole).replaceAll(""));
      }
    }
    return known;
  }

  /** Some servers look for the parts of a URI first, some decode it first, some decode it twice. */
  private void addDecoded(String text) {
    String read = seen(text);
    for (int i = 0; i <= MAX_DECODINGS; i++) {
      addCut(read);
      if (read.indexOf('\\') >= 0) {
        addCut(read.replace('\\', '/'));
      }
      String next = read.indexOf('%') < 0 ? read : seen(decoded(read));
      if (next.equals(read)) {
        return;
      }
      read = next;
    }
  }

  /** With its query and fragment, and without. */
  private void addCut(String text) {
    add(text);
    int fragment = text.indexOf('#');
    String rest = fragment < 0 ? text : text.substring(0, fragment);
    int query = rest.indexOf('?');
    if (fragment >= 0) {
      add(rest);
    }
    if (query >= 0) {
      add(rest.substring(0, query));
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

  /**
   * Whether a pattern that {@link #pattern} has written matches one of the forms; true where there
   * are too many forms to know.
   */
  public boolean matches(String pattern) {
    return matches("", pattern);
  }

  /** As {@link #matches(String)}, with {@code prefix} before each form. */
  public boolean matches(String prefix, String pattern) {
    Set<String> all = forms();
    return isTooMany() || all.stream().anyMatch(form -> Glob.matches(pattern, prefix + form));
  }

  /**
   * A pattern for URIs, as {@link #matches} takes it. A user in it does not count, nor how many
   * slashes follow its scheme; a port, parameters, a query or a fragment do: it denies these alone.
   */
  public static String pattern(String glob) {
    Parts parts = new Parts(plain(glob));
    return parts.together(parts.authority);
  }

  /**
   * Whether a permission whose glob matches the URI covers it: the URI leads out of no folder, its
   * authority is read in one way, and is what the glob has as authority. A pattern for a whole
   * scheme has no folder and no host that could be left.
   */
  public boolean stayWithin(String glob) {
    if (WHOLE.matcher(glob).matches()) {
      return true;
    }
    String authority = written(uri, ENDS);
    boolean clear = plain(authority).chars().noneMatch(c -> c == '@' || ENDS.indexOf(c) >= 0);
    return !climbs
        && (clear || glob.contains(authority))
        && (!glob.contains("://") // then it names no place in the URI
            || Glob.matches(written(glob, "/"), authority) // a question mark may be any character
            || Glob.matches(written(glob, ENDS), authority));
  }

  /** What is written as the authority; empty without one. */
  private static String written(String text, String ends) {
    int start = text.indexOf("://") + 3;
    int end = start;
    while (start > 2 && end < text.length() && ends.indexOf(text.charAt(end)) < 0) {
      end++;
    }
    return start > 2 ? text.substring(start, end) : "";
  }

  /** Without differences of letter case and of characters that look and mean the same. */
  public static String folded(String text) {
    return isAscii(text)
        ? text.toLowerCase(Locale.ROOT)
        : Normalizer.normalize(text, Normalizer.Form.NFKC)
            .toUpperCase(Locale.ROOT)
            .toLowerCase(Locale.ROOT);
  }

  private boolean isTooMany() {
    return characters > MAX_FORMS || made > MAX_MADE;
  }

  private void add(String text) {
    if (isTooMany()) {
      return;
    }
    Parts parts = new Parts(text);
    for (String authority : parts.authorities()) {
      addAll(parts, authority);
    }
    Parts bare = parts.withoutParameters();
    if (bare != null) {
      for (String authority : parts.authorities()) {
        addAll(bare, authority);
      }
    }
  }

  private void addAll(Parts parts, String authority) {
    if (isTooMany()) {
      return;
    }
    String path = parts.straight;
    List<String> all = new ArrayList<>(List.of(parts.before + authority + path));
    all.add(parts.together(authority));
    if (climbs) {
      // Some servers take the host for a folder.
      all.add(parts.before + Parts.withoutSlashes(Parts.resolved(authority + parts.path)));
    }
    if (parts.scheme.equals("file") && !authority.isEmpty()) {
      all.add("file:" + Parts.withoutSlashes(path)); // some servers ignore the host
    }
    if (!authority.isEmpty() && path.length() > 1 && ID_ALONE.matcher(authority).matches()) {
      // A mcpbus takes the authority for one of its servers.
      all.add(parts.scheme + ":" + Parts.withoutSlashes(path));
    }
    for (String form : all) {
      keep(form);
      if (form.endsWith("/")) {
        keep(form.substring(0, form.length() - 1));
      } else if (parts.path.isEmpty() && PORTS.containsKey(parts.scheme)) {
        keep(form + "/");
      }
    }
  }

  private void keep(String form) {
    made += form.length();
    if (forms().add(form)) {
      characters += form.length();
    }
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

  /** A text in its parts; those of a pattern may have {@code *} anywhere. */
  private static final class Parts {

    private final String scheme;
    private final String before;

    /** As servers compare it that read it whole: the host with its port. */
    private final String authority;

    private final String written;
    private final String path;

    /** The path without dots and empty segments. */
    private final String straight;

    /** The parts are found in the text as it is, and decoded then. */
    Parts(String text) {
      int slashes = text.indexOf("://");
      int colon = text.indexOf(':');
      int end = slashes >= 0 && text.lastIndexOf('/', slashes) < 0 ? slashes : colon;
      scheme = end < 0 || text.lastIndexOf('/', end) >= 0 ? "" : plain(text.substring(0, end));
      String rest = scheme.isEmpty() ? text : text.substring(end + 1);
      boolean hasAuthority = rest.startsWith("//");
      if (PORTS.containsKey(scheme)) {
        boolean local = scheme.equals("file") && (!hasAuthority || rest.startsWith("///"));
        rest = (local ? "///" : "//") + withoutSlashes(rest);
        hasAuthority = true;
      }
      before = scheme.isEmpty() ? "" : scheme + (hasAuthority ? "://" : ":");
      int slash = hasAuthority ? rest.indexOf('/', 2) : 0;
      written =
          plain(!hasAuthority ? "" : slash < 0 ? rest.substring(2) : rest.substring(2, slash));
      String host = written.substring(written.lastIndexOf('@') + 1);
      boolean literal = PORTS.containsKey(scheme) || host.indexOf('*') < 0;
      authority = canonical(literal ? host : written);
      path = slash < 0 ? "" : plain(rest.substring(slash));
      straight = resolved(path);
    }

    private Parts(Parts other, String path) {
      this.scheme = other.scheme;
      this.before = other.before;
      this.authority = other.authority;
      this.written = other.written;
      this.path = path;
      this.straight = resolved(path);
    }

    /** The same without {@code ;a=b} in each segment; null where there is none. */
    @Nullable Parts withoutParameters() {
      return path.indexOf(';') < 0 ? null : new Parts(this, path.replaceAll(";[^/]*", ""));
    }

    /** What servers may take for the authority: with and without user, port and parameters. */
    Set<String> authorities() {
      Set<String> all = new LinkedHashSet<>(List.of(authority, written));
      all.add(written.substring(written.indexOf('@') + 1));
      all.add(written.substring(written.lastIndexOf('@') + 1));
      for (String one : List.copyOf(all)) {
        all.add(until(one, one.indexOf(';')));
      }
      for (String one : List.copyOf(all)) {
        int bracket = one.lastIndexOf(']');
        all.add(until(one, one.indexOf(':', bracket < 0 ? 0 : bracket)));
        all.add(until(one, one.lastIndexOf(':') > bracket ? one.lastIndexOf(':') : -1));
      }
      List.copyOf(all).forEach(one -> all.add(canonical(one)));
      return all;
    }

    private static String until(String text, int end) {
      return end < 0 ? text : text.substring(0, end);
    }

    /** Host and port in one form. */
    private String canonical(String text) {
      int bracket = text.lastIndexOf(']');
      int colon = text.lastIndexOf(':');
      String host = colon > bracket ? text.substring(0, colon) : text;
      String port = colon > bracket ? text.substring(colon).replaceFirst(":0+(?=\\d)", ":") : "";
      host = host.replace('\u3002', '.');
      int end = host.length();
      while (end > 1 && host.charAt(end - 1) == '.') {
        end--;
      }
      host = host.substring(0, end);
      if (host.contains("xn--")) {
        host = folded(IDN.toUnicode(host, IDN.ALLOW_UNASSIGNED));
      }
      if (host.startsWith("[") || PORTS.containsKey(scheme)) {
        host = address(host);
      }
      if (host.equals("localhost") && scheme.equals("file")) {
        host = "";
      }
      return port.equals(":") || port.equals(PORTS.get(scheme)) ? host : host + port;
    }

    /** An IP address in one form; a name as it is. Looks nothing up. */
    private static String address(String host) {
      try {
        if (host.startsWith("[")) {
          String inner = host.replaceAll("%.*|[\\[\\]]", ""); // without the zone
          String one =
              inner.matches("[0-9a-f:.]+")
                  ? InetAddress.getByName("[" + inner + "]").getHostAddress()
                  : inner;
          return one.indexOf(':') >= 0 ? "[" + one + "]" : one;
        }
        String[] numbers = host.split("\\.", -1);
        if (numbers.length > 4 || !host.matches("[0-9a-fx.]+")) {
          return host;
        }
        long value = 0;
        for (int i = 0; i < numbers.length; i++) {
          boolean last = i == numbers.length - 1;
          value += Long.decode(numbers[i]) << (last ? 0 : 24 - 8 * i);
        }
        return (value >> 24)
            + "."
            + (value >> 16 & 255)
            + "."
            + (value >> 8 & 255)
            + "."
            + (value & 255);
      } catch (UnknownHostException | NumberFormatException name) {
        return host;
      }
    }

    /** The parts with one colon between, however many slashes the text has there. */
    String together(String host) {
      return scheme.isEmpty() ? host + straight : scheme + ":" + withoutSlashes(host + straight);
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
      List<String> all = List.of(path.split("/", -1));
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
