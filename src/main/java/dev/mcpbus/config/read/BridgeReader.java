package dev.mcpbus.config.read;

import dev.mcpbus.bridge.options.BridgeLimitOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions.ClientCertificates;
import java.nio.file.Path;
import java.util.Optional;

/** Reads {@code bridge}: the HTTP server's address, allowed hosts and origins, TLS and bounds. */
final class BridgeReader {

  private BridgeReader() {}

  /**
   * Reports each wrong value and keeps its default.
   *
   * @param remote whether the server may listen beyond loopback; true if callers must authenticate
   */
  static BridgeOptions read(ConfigEntry entry, boolean remote) {
    BridgeOptions base = BridgeOptions.DEFAULT;
    try {
      Filling<BridgeOptions> filling = Filling.of(entry, base);
      BridgeOptions read =
          filling
              .hand(
                  "maxConnectionsPerAddress",
                  bridge ->
                      bridge
                          .whole("maxConnectionsPerAddress")
                          .or(() -> Optional.of(share(filling))))
              .hand("tls", bridge -> bridge.object("tls").flatMap(BridgeReader::tls))
              .set("allowRemote", Optional.of(remote))
              .done();
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

  private static int share(Filling<BridgeOptions> filling) {
    return filling.value("maxConnections") instanceof Integer connections
        ? BridgeLimitOptions.share(connections)
        : BridgeLimitOptions.DEFAULT.maxConnectionsPerAddress();
  }

  private static Optional<BridgeTlsOptions> tls(ConfigEntry entry) {
    Optional<Path> cert = entry.path("certFile");
    Optional<Path> key = entry.path("keyFile");
    if (entry.lacks("certFile", "keyFile")) {
      entry.wrong(
          entry.node().line(),
          "\"bridge.tls\" needs \"certFile\" and \"keyFile\"",
          "Name a certificate chain and its PKCS#8 key, both PEM");
    }
    Optional<Path> authorities = entry.path("clientCaFile");
    Optional<ClientCertificates> clients =
        entry.choice("clientCertificates", ClientCertificates.class);
    if (clients.isPresent() && entry.lacks("clientCaFile")) {
      entry.wrong(
          entry.line("clientCertificates"),
          "\"bridge.tls.clientCertificates\" needs \"clientCaFile\"",
          "Name the authorities whose client certificates are good, PEM");
    }
    return cert.flatMap(
        chain ->
            key.map(
                secret ->
                    new BridgeTlsOptions(
                        chain,
                        secret,
                        authorities.orElse(null),
                        clients.orElse(ClientCertificates.OPTIONAL))));
  }
}
