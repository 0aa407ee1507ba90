package dev.mcpbus.config;

import dev.mcpbus.bus.TelemetryOptions;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/** Reads {@code metrics} and {@code tracing}. */
final class TelemetryReader {

  private TelemetryReader() {}

  static TelemetryOptions read(ConfigEntry top) {
    Optional<ConfigEntry> tracing = top.object("tracing", ConfigKeys.TRACING);
    return new TelemetryOptions(
        top.object("metrics", ConfigKeys.METRICS).flatMap(m -> m.flag("enabled")).orElse(null),
        tracing.flatMap(t -> t.flag("enabled")).orElse(null),
        tracing.flatMap(TelemetryReader::endpoint).orElse(null),
        tracing.flatMap(t -> t.number("sampling", 0, 1)).orElse(null),
        tracing.flatMap(t -> t.word("service")).orElse(null));
  }

  private static Optional<String> endpoint(ConfigEntry tracing) {
    return tracing.word(
        "endpoint",
        text -> isUrl(text) ? Optional.of(text) : Optional.empty(),
        "\"tracing.endpoint\" must be an http or https URL, not",
        () -> "Write the URL of an OTLP receiver, such as \"http://localhost:4318\"");
  }

  private static boolean isUrl(String text) {
    try {
      URI url = new URI(text);
      return url.getHost() != null
          && ("http".equals(url.getScheme()) || "https".equals(url.getScheme()));
    } catch (URISyntaxException e) {
      return false;
    }
  }
}
