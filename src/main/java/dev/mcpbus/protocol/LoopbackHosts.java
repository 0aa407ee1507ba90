package dev.mcpbus.protocol;

import dev.mcpbus.internals.HttpConnections;
import java.net.InetAddress;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The texts that name this machine, without asking DNS. Any thread may call. */
public final class LoopbackHosts {

  /** The hosts of URLs, as {@link java.net.URI#getHost} and {@code Host} have them, lower case. */
  public static final Set<String> ALL = Set.of("localhost", "127.0.0.1", "[::1]");

  private LoopbackHosts() {}

  /** Whether it is the host of such a URL; false for null, which is the host of an opaque URL. */
  public static boolean contains(@Nullable String host) {
    return host != null && ALL.contains(host);
  }

  /**
   * Whether who listens on {@code host} can be reached from this machine alone. An address to
   * listen on has more forms than the host of a URL, such as {@code ::1} and {@code 127.0.0.2}; no
   * name but {@code localhost} counts.
   */
  public static boolean isListenAddress(String host) {
    InetAddress address = HttpConnections.address(host);
    return host.equalsIgnoreCase("localhost") || (address != null && address.isLoopbackAddress());
  }
}
