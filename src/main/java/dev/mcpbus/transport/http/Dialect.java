package dev.mcpbus.transport.http;

import dev.mcpbus.transport.Outbound;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import org.jspecify.annotations.Nullable;

/**
 * What differs between the MCP eras on the wire. Holds no state; a channel asks it for every
 * message.
 */
interface Dialect {

  CharSequence VERSION = HttpHeaders.createOptimized("mcp-protocol-version");

  /** The eras that open with {@code initialize}: a session, streams that can be resumed. */
  Dialect INITIALIZE =
      new Dialect() {
        @Override
        public void headers(
            @Nullable Outbound message, @Nullable CharSequence negotiated, HttpClientRequest to) {
          if (negotiated != null) {
            to.putHeader(VERSION, negotiated);
          }
        }

        @Override
        public boolean resumes() {
          return true;
        }

        @Override
        public boolean listens() {
          return true;
        }
      };

  /**
   * Adds the headers of the era.
   *
   * @param message what is posted, null for GET and DELETE
   * @param negotiated the version settled on, null before that
   */
  void headers(@Nullable Outbound message, @Nullable CharSequence negotiated, HttpClientRequest to);

  /** Whether a stream that was cut goes on by {@code Last-Event-ID}. */
  boolean resumes();

  /** Whether there is a GET stream. */
  boolean listens();
}
