package dev.mcpbus.protocol;

import io.vertx.core.net.ProxyOptions;
import io.vertx.core.net.ProxyType;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The proxy through which mcpbus reaches a URL: the one of the server's entry, else the one that
 * the environment names as it does for curl ({@code HTTPS_PROXY}, {@code HTTP_PROXY}, {@code
 * ALL_PROXY}, {@code NO_PROXY}, of which the lower-case form has precedence), else that of Java's
 * system properties. This machine itself is always reached directly, unless the entry names a
 * proxy. The proxy looks the host up, with SOCKS too. Immutable; its text has no password.
 *
 * @param host as in the URL, an IPv6 address without brackets
 * @param user null for no authentication
 * @param source where the proxy is configured, for messages
 */
public record OutboundProxy(
    ProxyType type,
    String host,
    int port,
    @Nullable Sensitive user,
    Sensitive password,
    String source) {

  /** As {@code proxy} of an entry: connect directly, whatever the environment says. */
  public static final String NONE = "none";

  private static final Map<String, ProxyType> TYPES =
      Map.of(
          "http", ProxyType.HTTP,
          "socks", ProxyType.SOCKS5,
          "socks5", ProxyType.SOCKS5,
          "socks5h", ProxyType.SOCKS5,
          "socks4", ProxyType.SOCKS4,
          "socks4a", ProxyType.SOCKS4);

  /** As curl reads it: the last {@code @} ends the password, and a name may have an underscore. */
  private static final Pattern URL =
      Pattern.compile(
          "([A-Za-z0-9]++)://(?:([^/?#\\s]*)@)?(\\[[0-9A-Fa-f:.]++]|[\\w.-]++)(?::(\\d{1,5}))?(?:[/?#].*)?");

  private static final Set<String> DIRECT = Set.of(NONE, "direct", "false");

  /**
   * The proxy for a URL; null to connect directly.
   *
   * @param own the URL of a proxy, or {@link #NONE}, from the server's entry; null for none
   * @throws IllegalArgumentException if the URL of the proxy cannot be used; the message names its
   *     source, not its value
   */
  public static @Nullable OutboundProxy of(URI target, @Nullable Sensitive own) {
    return of(target, own, System::getenv, System::getProperty);
  }

  /**
   * The same, for other variables and system properties than those of this process.
   *
   * @param variables gives the value of a variable, null where it is not set
   * @param properties gives the value of a system property, null where it is not set
   */
  public static @Nullable OutboundProxy of(
      URI target,
      @Nullable Sensitive own,
      UnaryOperator<@Nullable String> variables,
      UnaryOperator<@Nullable String> properties) {
    String scheme = String.valueOf(target.getScheme()).toLowerCase(Locale.ROOT);
    boolean tls = scheme.equals("https");
    UrlPlace place = UrlPlace.of(target);
    String host = place.host();
    if (host == null || !(tls || scheme.equals("http"))) {
      return null;
    }
    if (own != null) {
      return check(own);
    }
    int port = place.port() >= 0 ? place.port() : tls ? 443 : 80;
    ProxyExceptions exceptions = new ProxyExceptions(host, port);
    if (exceptions.isThisMachine() || exceptions.listed(either("no_proxy", variables))) {
      return null;
    }
    for (String name : new String[] {scheme + "_proxy", "all_proxy"}) {
      String text = either(name, variables);
      if (!text.isEmpty()) {
        String upper = name.toUpperCase(Locale.ROOT);
        return read(text, present(variables.apply(name)).isEmpty() ? upper : name);
      }
    }
    return exceptions.listed(present(properties.apply("http.nonProxyHosts")).replace('|', ','))
        ? null
        : ofProperties(scheme, properties);
  }

  /**
   * The proxy that an entry names, null for {@link #NONE}.
   *
   * @throws IllegalArgumentException if its URL cannot be used; the message does not quote it
   */
  public static @Nullable OutboundProxy check(Sensitive own) {
    return DIRECT.contains(own.reveal().strip().toLowerCase(Locale.ROOT))
        ? null
        : read(own.reveal(), "\"proxy\" of the entry");
  }

  private static @Nullable OutboundProxy ofProperties(
      String scheme, UnaryOperator<@Nullable String> properties) {
    for (String prefix : new String[] {scheme + ".proxy", "socksProxy"}) {
      String host = present(properties.apply(prefix + "Host"));
      if (!host.isEmpty()) {
        String port = present(properties.apply(prefix + "Port"));
        String shown = host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
        String url = (prefix.startsWith("socks") ? "socks5://" : "http://") + shown;
        return read(port.isEmpty() ? url : url + ":" + port, "-D" + prefix + "Host");
      }
    }
    return null;
  }

  private static String either(String lower, UnaryOperator<@Nullable String> variables) {
    String text = present(variables.apply(lower));
    return text.isEmpty() ? present(variables.apply(lower.toUpperCase(Locale.ROOT))) : text;
  }

  private static String present(@Nullable String text) {
    return text == null ? "" : text.strip();
  }

  /**
   * A proxy from its URL; without a scheme it is an HTTP proxy.
   *
   * @param source where the URL stands, for messages
   * @throws IllegalArgumentException if it cannot be used; the message does not quote it
   */
  private static OutboundProxy read(String text, String source) {
    Matcher url = URL.matcher(withScheme(text));
    String scheme = url.matches() ? url.group(1).toLowerCase(Locale.ROOT) : "";
    if (scheme.equals("https")) {
      throw new IllegalArgumentException(
          source
              + " names a proxy that is reached over TLS (https://), which mcpbus does not support:"
              + " write http:// if the proxy takes plain connections, as most do; the connection"
              + " through it has TLS all the same");
    }
    ProxyType type = TYPES.get(scheme);
    int port = type == null || url.group(4) == null ? -1 : Integer.parseInt(url.group(4));
    if (type == null || port == 0 || port > 65_535) {
      throw new IllegalArgumentException(
          source
              + " is not the URL of a proxy: write http://host:port, http://user:password@host:port,"
              + " or socks5://host:port, with / ? # of a password as %2F %3F %23");
    }
    String host = url.group(3);
    String user = url.group(2);
    int colon = user == null ? -1 : user.indexOf(':');
    return new OutboundProxy(
        type,
        host.startsWith("[") ? host.substring(1, host.length() - 1) : host,
        port >= 0 ? port : type == ProxyType.HTTP ? 80 : 1080,
        user == null ? null : decoded(colon < 0 ? user : user.substring(0, colon)),
        decoded(user == null || colon < 0 ? "" : user.substring(colon + 1)),
        source);
  }

  /** The text as a URL: {@code proxy:3128} is one of HTTP. */
  public static String withScheme(String text) {
    String written = text.strip();
    return written.contains("://") || DIRECT.contains(written.toLowerCase(Locale.ROOT))
        ? written
        : "http://" + written;
  }

  /** A percent sign that begins no code stands for itself. */
  private static Sensitive decoded(String part) {
    String codes = part.replace("+", "%2B").replaceAll("%(?![0-9A-Fa-f]{2})", "%25");
    return Sensitive.of(URLDecoder.decode(codes, StandardCharsets.UTF_8));
  }

  /**
   * For Vert.x.
   *
   * @param connectTimeout for the connection to the proxy, and for its answer
   */
  public ProxyOptions options(Duration connectTimeout) {
    ProxyOptions options =
        new ProxyOptions()
            .setType(type)
            .setHost(host)
            .setPort(port)
            .setConnectTimeout(connectTimeout);
    return user == null
        ? options
        : options.setUsername(user.reveal()).setPassword(password.reveal());
  }

  /** Such as {@code http://proxy.example:3128 (HTTPS_PROXY)}. */
  @Override
  public String toString() {
    String scheme = type.name().toLowerCase(Locale.ROOT);
    String place = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return scheme + "://" + place + ":" + port + " (" + source + ")";
  }
}
