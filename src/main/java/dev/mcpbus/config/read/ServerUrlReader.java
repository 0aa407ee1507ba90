package dev.mcpbus.config.read;

import dev.mcpbus.config.read.Substitution.Filled;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.UrlPlace;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the {@code url} of a server's entry. No problem quotes it: it may hold a password. */
record ServerUrlReader(ConfigEntry entry) {

  /** {@code http:/host}, {@code https//host}: a scheme with a colon or a slash too few or many. */
  private static final Pattern SLIP =
      Pattern.compile("(?is)(https?)(?::/?|//|:///+|/)([^/:\\s][^\\s]*)");

  /** {@code localhost:3000/mcp}, {@code 10.0.0.7}, {@code example.com/mcp}; the port alone. */
  private static final Pattern HOST =
      Pattern.compile(
          "(?is)(localhost|\\d+\\.\\d+\\.\\d+\\.\\d+|\\[[\\da-f:]+\\]|[a-z\\d-]+(?:\\.[a-z\\d-]+)++"
              + "|[a-z][a-z\\d_-]*(?=:\\d))(:\\d{1,5})?(?:[/?].*)?");

  /** Stands for a URL of which a variable is kept. */
  static final URI UNKNOWN = URI.create("https://variable.invalid/");

  private static final Pattern REFERENCE = Pattern.compile("\\$\\{[^}]*+(\\}|\\z)");

  /** A text of the same form, in which every variable that is left open has some value. */
  private static Filled complete(Filled text, String unknown) {
    if (!text.open()) {
      return text;
    }
    String raw = text.value().reveal().strip();
    StringBuilder out = new StringBuilder();
    Matcher reference = REFERENCE.matcher(raw);
    while (reference.find() && !reference.group(1).isEmpty()) {
      String before = raw.substring(0, reference.start());
      String after = raw.substring(reference.end());
      String value;
      if (before.isEmpty()) {
        boolean scheme = after.startsWith("://");
        value = scheme ? unknown.substring(0, unknown.indexOf(':')) : unknown;
      } else {
        value = before.endsWith(":") && !before.endsWith("://") ? "80" : "variable";
      }
      reference.appendReplacement(out, Matcher.quoteReplacement(value));
    }
    return new Filled(Sensitive.of(reference.appendTail(out).toString()), text.shown());
  }

  /** An http(s) URL, or the URL of a Unix socket with the HTTP path as fragment. */
  Optional<URI> http(Filled written) {
    Filled text = complete(written, "https://variable.invalid");
    String meant = withScheme(text);
    if (!meant.isEmpty()) {
      return wrong("the url does not begin with http:// or https://", "Write " + meant);
    }
    Optional<URI> parsed = parse(text, "https://host:port/path");
    if (parsed.isEmpty()) {
      return parsed;
    }
    URI uri = parsed.get();
    String scheme = scheme(uri);
    if (scheme.equals("unix")) {
      return file(uri);
    }
    if (scheme.equals("ws") || scheme.equals("wss")) {
      return wrong(
          "the url is that of a WebSocket, which MCP does not use",
          "Write " + (scheme.equals("ws") ? "http" : "https") + ":// and the path of MCP");
    }
    if (scheme.equals("pipe")) {
      return wrong("named pipes (pipe:) are not supported", "Use an http or a unix URL");
    }
    if (scheme.equals("tcp") || scheme.equals("tls")) {
      return wrong("the url is that of a socket", "Set \"type\": \"socket\", or use an http URL");
    }
    if (!scheme.equals("http") && !scheme.equals("https")) {
      return wrong("the url is neither http nor https", "Begin it with http:// or https://");
    }
    UrlPlace place = UrlPlace.of(uri);
    if (place.host() == null || place.port() > 65_535) {
      return wrong("the url has no valid host and port", "Write https://host:port/path");
    }
    if (uri.getRawFragment() != null) {
      return wrong("the url has a fragment (#)", "Remove it");
    }
    return parsed;
  }

  /** What was meant by a URL without a right scheme, masked; empty for any other text. */
  private static String withScheme(Filled text) {
    String plain = text.value().reveal().strip();
    Matcher slip = SLIP.matcher(plain);
    if (slip.matches() && !plain.matches("(?is)https?://.*")) {
      return EntryMasking.url(
          slip.group(1).toLowerCase(Locale.ROOT) + "://" + shownRest(text, slip.group(2)));
    }
    Matcher host = HOST.matcher(plain);
    if (!host.matches()) {
      return "";
    }
    String scheme = host.group(2) != null || isLocal(host.group(1)) ? "http" : "https";
    return EntryMasking.url(scheme + "://" + text.shown().strip());
  }

  private static String shownRest(Filled text, String rest) {
    return text.shown().equals(text.value().reveal()) ? rest : "host:port/path";
  }

  private static boolean isLocal(String host) {
    return host.equals("localhost") || host.startsWith("127.") || host.startsWith("[");
  }

  /** {@code tcp://host:port}, {@code tls://host:port} or {@code unix:///path.sock}. */
  Optional<URI> socket(Filled written) {
    Filled text = complete(written, "tls://variable.invalid:80");
    Optional<URI> parsed = parse(text, "tcp://host:port or unix:///path.sock");
    if (parsed.isEmpty()) {
      return parsed;
    }
    URI uri = parsed.get();
    String scheme = scheme(uri);
    if (scheme.equals("unix")) {
      return uri.getRawFragment() == null
          ? file(uri)
          : wrong(
              "a path after # means HTTP over the socket", "Remove it, or set \"type\": \"http\"");
    }
    if (!scheme.equals("tcp") && !scheme.equals("tls")) {
      return wrong("the url is not that of a socket", "Write tcp://host:port or unix:///path.sock");
    }
    String path = uri.getRawPath() == null ? "" : uri.getRawPath();
    boolean plain =
        uri.getRawUserInfo() == null
            && uri.getRawQuery() == null
            && uri.getRawFragment() == null
            && (path.isEmpty() || path.equals("/"));
    UrlPlace place = UrlPlace.of(uri);
    if (!plain || place.host() == null || place.port() < 1 || place.port() > 65_535) {
      return wrong(
          "the url of a socket is host and port and no more", "Write " + scheme + "://host:port");
    }
    return parsed;
  }

  private Optional<URI> file(URI uri) {
    String path = uri.getPath();
    return uri.getRawAuthority() != null || path == null || path.length() < 2
        ? wrong("the url has no path of a socket", "Write unix:///path.sock, with three slashes")
        : Optional.of(uri);
  }

  private Optional<URI> parse(Filled text, String form) {
    try {
      return Optional.of(new URI(text.value().reveal().strip()));
    } catch (URISyntaxException e) {
      return wrong(
          "the url is not well formed"
              + (text.value().anyMatch(Character::isWhitespace) ? ": it holds a blank" : ""),
          "Write " + form);
    }
  }

  private Optional<URI> wrong(String message, String remedy) {
    entry.wrong(entry.line("url"), message, remedy);
    return Optional.empty();
  }

  private static String scheme(URI uri) {
    return String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
  }

  /** Moves {@code user:password@} into a header, so that the URL holds no secret. */
  URI withoutUser(URI uri, Map<String, Sensitive> headers) {
    String user = uri.getUserInfo();
    if (user == null) {
      return uri;
    }
    if (headers.keySet().stream().anyMatch("authorization"::equalsIgnoreCase)) {
      entry.wrong(
          entry.line("url"),
          "the url has a user and the headers have Authorization",
          "Keep one of them");
    } else {
      headers.put(
          "Authorization",
          Sensitive.of(
              "Basic "
                  + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8))));
    }
    String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    return URI.create(uri.getScheme() + "://" + uri.getHost() + port + uri.getRawPath() + query);
  }
}
