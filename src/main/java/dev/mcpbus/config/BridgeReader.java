package dev.mcpbus.config;

import dev.mcpbus.bridge.options.BridgeLimitOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** Reads {@code bridge}: the HTTP server's address, allowed hosts and origins, TLS and bounds. */
final class BridgeReader {

  private static final int MAX_COUNT = 1_000_000;
  private static final int MAX_BODY = 1024 * 1024 * 1024;
  private static final int MAX_HEADER = 1024 * 1024;
  private static final long MIN_IN_FLIGHT = 1024 * 1024;
  private static final long MAX_IN_FLIGHT = 1L << 40;

  private BridgeReader() {}

  /**
   * Reports each wrong value and keeps its default.
   *
   * @param remote whether the server may listen beyond loopback; true if callers must authenticate
   */
  static BridgeOptions read(ConfigEntry entry, boolean remote) {
    BridgeOptions base = BridgeOptions.DEFAULT;
    try {
      BridgeOptions read =
          base.withPort(entry.whole("port", 0, 65_535).orElse(base.port()))
              .withMaxBodyBytes(
                  entry.whole("maxBodyBytes", 1_024, MAX_BODY).orElse(base.maxBodyBytes()))
              .withReceiveTimeout(
                  entry.duration("receiveTimeout", false).orElse(base.receiveTimeout()))
              .withDrain(entry.duration("drain", true).orElse(null))
              .withLimits(limits(entry, base.limits()))
              .withEventBus(entry.flag("eventBus").orElse(base.eventBus()))
              .withConsole(entry.flag("console").orElse(base.console()))
              .withTls(
                  entry
                      .object("tls", ConfigKeys.BRIDGE_TLS)
                      .flatMap(BridgeReader::tls)
                      .orElse(null))
              .withAllowed(words(entry, "allowedHosts"), words(entry, "allowedOrigins"))
              .withRemote(remote);
      Optional<String> host = entry.word("host");
      if (host.isPresent() && host.get().isBlank()) {
        entry.wrong(
            entry.line("host"), "\"bridge.host\" is empty", "Write \"" + base.host() + "\"");
      }
      return read.withHost(host.filter(text -> !text.isBlank()).orElse(base.host()));
    } catch (IllegalArgumentException e) {
      entry.wrong(
          entry.node().line(), String.valueOf(e.getMessage()), "See src/docs/http.md of mcpbus");
      return base;
    }
  }

  private static BridgeLimitOptions limits(ConfigEntry entry, BridgeLimitOptions base) {
    int connections = entry.whole("maxConnections", 1, MAX_COUNT).orElse(base.maxConnections());
    return new BridgeLimitOptions(
        entry.whole("maxHeaderBytes", 1_024, MAX_HEADER).orElse(base.maxHeaderBytes()),
        connections,
        entry
            .whole("maxConnectionsPerAddress", 1, MAX_COUNT)
            .orElse(BridgeLimitOptions.share(connections)),
        entry.whole("maxStreams", 1, MAX_COUNT).orElse(base.maxStreams()),
        entry.duration("heartbeat", false).orElse(base.heartbeat()),
        entry
            .number("maxBytesInFlight", MIN_IN_FLIGHT, MAX_IN_FLIGHT)
            .map(Double::longValue)
            .orElse(base.maxBytesInFlight()));
  }

  private static Set<String> words(ConfigEntry entry, String key) {
    return Set.copyOf(entry.words(key));
  }

  private static Optional<BridgeTlsOptions> tls(ConfigEntry entry) {
    Optional<Path> cert = entry.path("certFile");
    Optional<Path> key = entry.path("keyFile");
    if (!entry.has("certFile") || !entry.has("keyFile")) {
      entry.wrong(
          entry.node().line(),
          "\"bridge.tls\" needs \"certFile\" and \"keyFile\"",
          "Name a certificate chain and its PKCS#8 key, both PEM");
    }
    return cert.flatMap(chain -> key.map(secret -> new BridgeTlsOptions(chain, secret)));
  }
}
