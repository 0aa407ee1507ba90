package dev.mcpbus.transport.http;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.McpHeaders;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.transport.OutboundMessage;
import io.vertx.core.http.HttpClientRequest;
import org.jspecify.annotations.Nullable;

/** The differences between the eras on HTTP. Stateless; a channel uses it for every message. */
interface HttpEra {

  /** The {@code initialize} era: a session, and streams that can be resumed. */
  HttpEra INITIALIZE = of(true);

  /**
   * The {@code discover} era, 2026-07-28: no session, no GET stream, and a stream that is cut is
   * lost.
   */
  HttpEra DISCOVER = of(false);

  /** The era of a protocol version that both sides have agreed on. */
  static HttpEra of(String protocolVersion) {
    return ProtocolVersion.ofWire(protocolVersion)
        .filter(version -> version.era() == Era.DISCOVER)
        .map(version -> DISCOVER)
        .orElse(INITIALIZE);
  }

  private static HttpEra of(boolean sessions) {
    return new HttpEra() {
      @Override
      public void headers(
          @Nullable OutboundMessage message,
          @Nullable CharSequence negotiated,
          HttpClientRequest to) {
        if (negotiated != null) {
          to.putHeader(McpHeaders.PROTOCOL_VERSION, negotiated);
        }
        if (message != null) {
          for (OutboundMessage.MessageHeader header : message.headers()) {
            to.putHeader(header.name(), header.value());
          }
        }
      }

      @Override
      public boolean resumes() {
        return sessions;
      }

      @Override
      public boolean listens() {
        return sessions;
      }
    };
  }

  /**
   * Adds the headers of the era.
   *
   * @param message the posted message, null for GET and DELETE
   * @param negotiated the protocol version that both sides have agreed on, null before that
   */
  void headers(
      @Nullable OutboundMessage message, @Nullable CharSequence negotiated, HttpClientRequest to);

  /** Whether a stream that was cut can be resumed with {@code Last-Event-ID}. */
  boolean resumes();

  /** Whether the server offers a GET stream. */
  boolean listens();
}
