package dev.mcpbus.transport.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/** What is common to all requests and responses. */
final class HttpConventions {

  static final String JSON = "application/json";
  static final String EVENT_STREAM = "text/event-stream";

  static final Handler<Throwable> IGNORE = cause -> {};

  /** More of an unwanted body costs more than a new connection. */
  private static final int DRAIN_BYTES = 64 * 1024;

  private static final int MAX_SESSION_ID = 4_096;

  private HttpConventions() {}

  /** Compares the media type alone, in any case, without parameters. */
  static boolean hasType(HttpClientResponse response, String type) {
    String header = response.getHeader(HttpHeaders.CONTENT_TYPE);
    return header != null
        && header.regionMatches(true, 0, type, 0, type.length())
        && (header.length() == type.length() || " ;\t".indexOf(header.charAt(type.length())) >= 0);
  }

  /** Whether the body is not encoded. We never offer to decode, so that nothing can blow up. */
  static boolean isPlain(HttpClientResponse response) {
    String encoding = response.getHeader(HttpHeaders.CONTENT_ENCODING);
    return encoding == null || encoding.equalsIgnoreCase("identity");
  }

  /** The announced length, -1 where there is none or no number. */
  static long length(HttpClientResponse response) {
    @Nullable String header = response.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (header == null) {
      return -1;
    }
    try {
      return Long.parseLong(header);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** Visible ASCII, as the specification has it. */
  static boolean isSessionId(String id) {
    return !id.isEmpty()
        && id.length() <= MAX_SESSION_ID
        && id.chars().allMatch(c -> c >= 0x21 && c <= 0x7e);
  }

  /** Reads a body away, so that the connection can be used again; a long or endless one is cut. */
  static void drain(HttpClientResponse response) {
    response.exceptionHandler(IGNORE);
    if (hasType(response, EVENT_STREAM) || length(response) > DRAIN_BYTES) {
      response.request().reset();
      return;
    }
    int[] seen = {0};
    response.handler(
        piece -> {
          int before = seen[0];
          seen[0] += piece.length();
          if (before <= DRAIN_BYTES && seen[0] > DRAIN_BYTES) {
            response.request().reset();
          }
        });
  }

  /** A request that nobody wants any more, before anything of it was written. */
  static void giveBack(HttpClientRequest request) {
    request.exceptionHandler(IGNORE).reset();
  }

  /**
   * Gives up the connection of a peer that broke the rules; other HTTP/2 streams are left alone.
   */
  static void discard(HttpClientResponse response) {
    if (response.version() == HttpVersion.HTTP_2) {
      response.request().reset();
    } else {
      response.request().connection().close();
    }
  }
}
