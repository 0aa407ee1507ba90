package dev.mcpbus.bridge.options;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.LoopbackHosts;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The address of the bridge, and who may use it. Immutable.
 *
 * @param host name or address to bind, default {@code 127.0.0.1}
 * @param port default 8790; 0 takes a free one
 * @param maxBodyBytes longest request body, default 16 MiB
 * @param receiveTimeout how long a client may take to send one whole request, and how long an idle
 *     connection is kept, default 60 s
 * @param allowedHosts values of the {@code Host} header that are accepted beside the loopback names
 * @param allowedOrigins origins of web pages that may call, {@code scheme://host[:port]}; default
 *     none
 * @param allowRemote whether {@code host} may be more than loopback; requires {@code allowedHosts}
 * @param limits of connections, headers and streams
 * @param eventBus whether {@code /eventbus} serves the event bus to web pages and remote verticles;
 *     default true
 * @param console whether browsers get the console at {@code /}; default true
 * @param url the origin under which browsers of people reach the bridge, such as {@code
 *     https://bus.example}; null: the bridge's own, where that is on loopback
 * @param tls null for plain HTTP, the default
 * @param drain how long the service {@code run} goes on serving after SIGTERM, not ready, so that a
 *     balancer notices before the door closes; at most 1 h; null for the default, 5 s in a cluster,
 *     else none. An embedding program calls {@code McpBus.leave} and waits itself
 */
public record BridgeOptions(
    String host,
    int port,
    int maxBodyBytes,
    Duration receiveTimeout,
    Set<String> allowedHosts,
    Set<String> allowedOrigins,
    boolean allowRemote,
    BridgeLimitOptions limits,
    boolean eventBus,
    boolean console,
    @Nullable String url,
    @Nullable BridgeTlsOptions tls,
    @Nullable Duration drain) {

  public static final BridgeOptions DEFAULT =
      new BridgeOptions(
          "127.0.0.1",
          8790,
          16 * 1024 * 1024,
          Duration.ofSeconds(60),
          Set.of(),
          Set.of(),
          false,
          BridgeLimitOptions.DEFAULT,
          true,
          true,
          null,
          null,
          null);

  private static final Pattern ORIGIN =
      Pattern.compile("https?://(\\[[0-9a-fA-F:.]+]|[A-Za-z0-9._-]+[A-Za-z0-9_-])(:\\d{1,5})?");
  private static final Pattern HOST =
      Pattern.compile("(\\[[0-9a-fA-F:.]+]|[A-Za-z0-9._-]*[A-Za-z0-9_-])(:\\d{1,5})?");

  /**
   * Rejects a configuration that would open the bridge by accident; the message names the option
   * and the remedy.
   */
  public BridgeOptions {
    allowedHosts = Set.copyOf(allowedHosts);
    allowedOrigins = Set.copyOf(allowedOrigins);
    check(port >= 0 && port <= 65535, "bridge port " + port + " is not in 0..65535");
    check(maxBodyBytes > 0, "bridge maxBodyBytes must be positive");
    check(receiveTimeout.toMillis() > 0, "bridge receiveTimeout must be positive");
    check(
        drain == null || (!drain.isNegative() && drain.compareTo(Duration.ofHours(1)) <= 0),
        "bridge.drain is longer than 1 h; write a few seconds more than the balancer needs to notice"
            + " /health/ready, such as \"10s\"");
    check(
        allowRemote || LoopbackHosts.isListenAddress(host),
        "bridge host '"
            + host
            + "' is reachable from other machines;"
            + " use 127.0.0.1, or let callers log in: auth.apiKeys (java -jar mcpbus.jar --new-key"
            + " NAME) or auth.jwt, and bridge.allowedHosts");
    check(
        !allowRemote || LoopbackHosts.isListenAddress(host) || !allowedHosts.isEmpty(),
        "bridge.allowedHosts is missing: beyond loopback it has to list the names that clients reach this host by");
    check(
        url == null || isOrigin(url),
        "bridge.url must be https://host[:port], without a path; http is for 127.0.0.1, localhost"
            + " and [::1] alone");
    for (String name : allowedHosts) {
      check(
          HOST.matcher(name).matches(),
          "bridge allowedHosts: '" + name + "' is not host or host:port");
    }
    for (String origin : allowedOrigins) {
      check(
          ORIGIN.matcher(origin).matches(),
          "bridge allowedOrigins: '" + origin + "' is not scheme://host[:port]");
    }
  }

  /**
   * Rejects an address that other machines reach without authentication: any caller could start
   * processes.
   *
   * @param auth whether a request without a credential is refused
   */
  public void requireAuth(boolean auth) {
    check(
        auth || LoopbackHosts.isListenAddress(host),
        "bridge host '"
            + host
            + "' is reachable from other machines without a login; configure auth.apiKeys"
            + " (java -jar mcpbus.jar --new-key NAME) or auth.jwt, or use 127.0.0.1");
  }

  private static boolean isOrigin(String url) {
    return ORIGIN.matcher(url).matches()
        && (url.startsWith("https:") || LoopbackHosts.contains(URI.create(url).getHost()));
  }

  private static void check(boolean fine, String problem) {
    if (!fine) {
      throw new IllegalArgumentException(problem);
    }
  }

  public BridgeOptions withHost(String other) {
    return RecordCopy.with(this, "host", other);
  }

  public BridgeOptions withPort(int other) {
    return RecordCopy.with(this, "port", other);
  }

  /**
   * The origin under which browsers reach the bridge; null where that is not known.
   *
   * @param bound the port that it listens on
   */
  public @Nullable String reachedAt(int bound) {
    if (url != null) {
      return url.toLowerCase(Locale.ROOT);
    }
    return LoopbackHosts.isListenAddress(host) ? scheme() + "://127.0.0.1:" + bound : null;
  }

  /** {@code https} with TLS, else {@code http}. */
  public String scheme() {
    return tls == null ? "http" : "https";
  }
}
