package dev.mcpbus.transport.http;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.McpHeaders;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.transport.OutboundMessage;
import io.vertx.core.http.HttpClientRequest;
import org.jspecify.annotations.Nullable;

/**
 * What differs between the MCP eras on the wire. Holds no state; a channel asks it for every
 * message.
 */
interface HttpEra {

  /** The eras that open with {@code initialize}: a session, streams that can be resumed. */
  HttpEra INITIALIZE = of(true);

  /** 2026-07-28: no session, no GET stream, a stream that was cut is lost. */
  HttpEra DISCOVER = of(false);

  /** The dialect of a version that both sides settled on. */
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
          for (OutboundMessage.Header header : message.headers()) {
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
   * @param message what is posted, null for GET and DELETE
   * @param negotiated the version settled on, null before that
   */
  void headers(
      @Nullable OutboundMessage message, @Nullable CharSequence negotiated, HttpClientRequest to);

  /** Whether a stream that was cut goes on by {@code Last-Event-ID}. */
  boolean resumes();

  /** Whether there is a GET stream. */
  boolean listens();
}
