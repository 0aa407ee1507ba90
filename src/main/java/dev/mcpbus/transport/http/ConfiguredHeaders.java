package dev.mcpbus.transport.http;

import dev.mcpbus.protocol.Sensitive;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The configured headers of each request, without those that the protocol sets. Immutable. */
final class ConfiguredHeaders {

  private static final Logger LOG = LoggerFactory.getLogger(ConfiguredHeaders.class);

  private static final Set<String> OF_THE_PROTOCOL =
      Set.of(
          "accept",
          "accept-encoding",
          "connection",
          "content-encoding",
          "content-length",
          "content-type",
          "expect",
          "host",
          "keep-alive",
          "last-event-id",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade");

  private record ConfiguredHeader(CharSequence name, CharSequence value) {}

  private final Map<String, Sensitive> given;
  private final List<ConfiguredHeader> entries;

  private ConfiguredHeaders(Map<String, Sensitive> given, List<ConfiguredHeader> entries) {
    this.given = given;
    this.entries = entries;
  }

  /**
   * Checks the headers. Leaves out, with a warning, those that the protocol sets: {@code Accept},
   * {@code Content-*}, {@code Host}, {@code Mcp-*} and the like.
   *
   * @throws IllegalArgumentException if a header cannot be sent; the message names it
   */
  static ConfiguredHeaders of(Map<String, Sensitive> configured) {
    List<ConfiguredHeader> entries = new ArrayList<>(configured.size());
    configured.forEach(
        (name, value) -> {
          if (!isToken(name)) {
            throw new IllegalArgumentException("a header's name may hold A-Z a-z 0-9 - _ . only");
          }
          if (value.anyMatch(c -> !isFieldCharacter(c))) {
            throw new IllegalArgumentException(
                "header " + name + ": the value may hold visible ASCII characters and blanks only");
          }
          String key = name.toLowerCase(Locale.ROOT);
          if (OF_THE_PROTOCOL.contains(key) || key.startsWith("mcp-")) {
            LOG.warn("header {} is set by the protocol; the configured value is not sent", name);
          } else {
            entries.add(
                new ConfiguredHeader(
                    HttpHeaders.createOptimized(name),
                    HttpHeaders.createOptimized(value.reveal())));
          }
        });
    return new ConfiguredHeaders(Map.copyOf(configured), List.copyOf(entries));
  }

  /** The headers from which this object was created. */
  Map<String, Sensitive> given() {
    return given;
  }

  void addTo(HttpClientRequest request) {
    for (ConfiguredHeader entry : entries) {
      request.putHeader(entry.name, entry.value);
    }
  }

  private static boolean isToken(String name) {
    return !name.isEmpty()
        && name.chars()
            .allMatch(
                c ->
                    (c >= 'a' && c <= 'z')
                        || (c >= 'A' && c <= 'Z')
                        || (c >= '0' && c <= '9')
                        || c == '-'
                        || c == '_'
                        || c == '.');
  }

  private static boolean isFieldCharacter(int c) {
    return (c >= 0x20 && c < 0x7f) || c == '\t';
  }
}
