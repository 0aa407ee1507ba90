package dev.mcpbus.config.read;

import dev.mcpbus.transport.TlsOptions;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Reads {@code tls} of a server's entry. The files themselves are read when the transport connects.
 */
record TlsReader(ConfigEntry outer, JsonObject view) {

  private static final List<String> WITH_TLS = List.of("https", "tls");

  /** Empty if the entry has none, or after a problem. */
  Optional<TlsOptions> read(URI url) {
    return outer.object("tls").flatMap(entry -> read(entry, url));
  }

  private Optional<TlsOptions> read(ConfigEntry entry, URI url) {
    Optional<Path> ca = entry.path("caFile");
    Optional<Path> cert = entry.file("certFile");
    Optional<Path> key = entry.file("keyFile");
    if (entry.has("certFile") != entry.has("keyFile")) {
      if (entry.lacks("certFile", "keyFile")) {
        entry.wrong(
            entry.node().line(),
            "\"certFile\" and \"keyFile\" go together",
            "Give both, or neither of them");
      }
      return Optional.empty();
    }
    if (!WITH_TLS.contains(String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT))) {
      entry.wrong(
          outer.line("tls"),
          "\"tls\" is given, but the scheme of the url does not use TLS",
          "Begin the url with https:// (or tls:// for a socket), or remove \"tls\"");
      return Optional.empty();
    }
    view.put(
        "tls",
        new JsonObject()
            .put("caFile", ca.isPresent())
            .put("clientCertificate", cert.isPresent() && key.isPresent()));
    return Optional.of(
        new TlsOptions(
            ca.orElse(null),
            key.isPresent() ? cert.orElse(null) : null,
            cert.isPresent() ? key.orElse(null) : null));
  }
}
