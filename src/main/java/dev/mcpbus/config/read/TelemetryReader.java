package dev.mcpbus.config.read;

import dev.mcpbus.bus.TelemetryOptions;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;

/** Reads {@code metrics} and {@code tracing}. */
final class TelemetryReader {

  private TelemetryReader() {}

  static TelemetryOptions read(ConfigEntry top) {
    Optional<ConfigEntry> tracing = top.object("tracing");
    TelemetryOptions metrics =
        top.object("metrics")
            .map(entry -> Filling.of(entry, TelemetryOptions.DEFAULT).done())
            .orElse(TelemetryOptions.DEFAULT);
    return tracing
        .map(entry -> Filling.of(entry, metrics).hand("endpoint", TelemetryReader::endpoint).done())
        .orElse(metrics);
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
