package dev.mcpbus.security.oauth;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The hosts of URLs that name this machine, in the form of {@link java.net.URI#getHost} and of the
 * {@code Host} header. An address to listen on has more forms ({@code ::1}, {@code 127.0.0.2}), so
 * the options of the listeners decide for themselves. Any thread may call.
 */
public final class LoopbackHosts {

  /** In lower case. */
  public static final Set<String> ALL = Set.of("localhost", "127.0.0.1", "[::1]");

  private LoopbackHosts() {}

  /** False for null, which is the host of an opaque URL. */
  public static boolean contains(@Nullable String host) {
    return host != null && ALL.contains(host);
  }
}
