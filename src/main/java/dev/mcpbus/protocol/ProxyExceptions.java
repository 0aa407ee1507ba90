package dev.mcpbus.protocol;

import dev.mcpbus.internals.HttpConnections;
import java.net.InetAddress;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a host is reached without the proxy, by lists such as {@code NO_PROXY}. A name in
 * a list stands for itself and all names below it, with a dot before it or without; an address may
 * be written as a range ({@code 10.0.0.0/8}); a star stands for any text ({@code 10.*}, {@code *}
 * alone for all hosts). An entry with a port is for that port alone. Looks no name up. Immutable.
 */
final class ProxyExceptions {

  private final String host;
  private final int port;
  private final @Nullable InetAddress address;

  /**
   * @param host of a URL; an IPv6 address may have brackets
   */
  ProxyExceptions(String host, int port) {
    this.host = bare(host);
    this.port = port;
    this.address = HttpConnections.address(this.host);
  }

  private static String bare(String host) {
    String text = host.strip().toLowerCase(Locale.ROOT);
    if (text.startsWith("[") && text.endsWith("]")) {
      text = text.substring(1, text.length() - 1);
    }
    int zone = text.indexOf('%');
    text = zone < 0 ? text : text.substring(0, zone);
    return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
  }

  /** Loopback, and the address that stands for every address of this machine. */
  boolean isThisMachine() {
    return address == null
        ? host.equals("localhost") || host.endsWith(".localhost")
        : address.isLoopbackAddress() || address.isAnyLocalAddress();
  }

  /**
   * @param list separated by commas or blanks
   */
  boolean listed(String list) {
    for (String each : list.split("[,;\\s]+", -1)) {
      if (!each.isEmpty() && matches(each.toLowerCase(Locale.ROOT))) {
        return true;
      }
    }
    return false;
  }

  private boolean matches(String entry) {
    String text = entry.replaceFirst("^[a-z][a-z0-9+.-]*://", "");
    int colon = text.lastIndexOf(':');
    boolean hasPort = colon > 0 && (text.indexOf(':') == colon || text.charAt(colon - 1) == ']');
    if (hasPort && !text.substring(colon + 1).equals(String.valueOf(port))) {
      return false;
    }
    String name = hasPort ? text.substring(0, colon) : text;
    int slash = name.indexOf('/');
    if (slash > 0) {
      return within(name.substring(0, slash), name.substring(slash + 1));
    }
    String ending = bare(name);
    String domain = bare(name.replaceFirst("^\\*?\\.", ""));
    if (domain.contains("*")) {
      return Glob.matches(ending, host);
    }
    InetAddress listed = HttpConnections.address(ending);
    if (listed != null || address != null) {
      return listed != null && listed.equals(address);
    }
    return !domain.isEmpty() && (host.equals(domain) || host.endsWith("." + domain));
  }

  /** Whether the host is an address in a range. */
  private boolean within(String network, String length) {
    InetAddress range = HttpConnections.address(bare(network));
    if (range == null || address == null || !length.matches("\\d{1,3}")) {
      return false;
    }
    byte[] a = range.getAddress();
    byte[] b = address.getAddress();
    int bits = Integer.parseInt(length);
    if (a.length != b.length || bits > 8 * a.length) {
      return false;
    }
    for (int i = 0; i < bits; i++) {
      if (((a[i / 8] ^ b[i / 8]) >> (7 - i % 8) & 1) != 0) {
        return false;
      }
    }
    return true;
  }
}
