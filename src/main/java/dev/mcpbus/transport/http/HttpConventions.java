package dev.mcpbus.transport.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpVersion;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks and constants that all requests and responses share. Stateless. */
final class HttpConventions {

  static final String JSON = "application/json";
  static final String EVENT_STREAM = "text/event-stream";

  /** The forms of an answer to a POST. */
  static final CharSequence POST_ACCEPTS =
      HttpHeaders.createOptimized("application/json, text/event-stream");

  static final Handler<Throwable> IGNORE = cause -> {};

  /** Reading a longer body of a refused response would cost more than a new connection. */
  private static final int DRAIN_BYTES = 64 * 1024;

  private static final Pattern KEEP_ALIVE = Pattern.compile("(?i)\\btimeout\\s?=\\s?\"?(\\d{1,9})");

  private static final int MAX_SESSION_ID = 4_096;

  private HttpConventions() {}

  /** Stops reading a body, or goes on with it. */
  static void hold(HttpClientResponse response, boolean paused) {
    if (paused) {
      response.pause();
    } else {
      response.resume();
    }
  }

  /** Compares the media type alone, ignoring case and parameters. */
  static boolean hasType(HttpClientResponse response, String type) {
    String header = response.getHeader(HttpHeaders.CONTENT_TYPE);
    return header != null
        && header.regionMatches(true, 0, type, 0, type.length())
        && (header.length() == type.length() || " ;\t".indexOf(header.charAt(type.length())) >= 0);
  }

  /**
   * Whether the body has no content encoding. Our requests never accept one, so that a small body
   * cannot expand without a bound.
   */
  static boolean isPlain(HttpClientResponse response) {
    String encoding = response.getHeader(HttpHeaders.CONTENT_ENCODING);
    return encoding == null || encoding.equalsIgnoreCase("identity");
  }

  /** Whether a body that has an end in sight may be kept as a whole. */
  static boolean mayHold(HttpClientResponse response, int cap) {
    return isPlain(response) && length(response) <= cap && !hasType(response, EVENT_STREAM);
  }

  /** Whether the server names the credentials that it wants. */
  static boolean isChallenge(HttpClientResponse response) {
    return response.getHeader("www-authenticate") != null;
  }

  /** The announced length; -1 if there is none, or it is not a number. */
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

  /** How long the server says that it keeps an idle connection; -1 if it does not say. */
  static long keepAliveMillis(HttpClientResponse response) {
    String header = response.getHeader(HttpHeaders.KEEP_ALIVE);
    Matcher timeout = KEEP_ALIVE.matcher(header == null ? "" : header);
    return timeout.find() ? 1_000 * Long.parseLong(timeout.group(1)) : -1;
  }

  /**
   * Visible ASCII characters, as the specification requires (MCP 2025-11-25, Transports, Session
   * Management).
   */
  static boolean isSessionId(String id) {
    return !id.isEmpty()
        && id.length() <= MAX_SESSION_ID
        && id.chars().allMatch(c -> c >= 0x21 && c <= 0x7e);
  }

  /**
   * Reads a body to its end, so that the connection can be used again; resets a long or endless
   * one.
   */
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

  /** Cancels a request of which nothing was written, because its caller no longer needs it. */
  static void giveBack(@Nullable HttpClientRequest request) {
    if (request != null) {
      request.exceptionHandler(IGNORE).reset();
    }
  }

  /**
   * Drops the connection of a peer that violated the protocol; other HTTP/2 streams of the
   * connection stay open.
   */
  static void discard(HttpClientResponse response) {
    if (response.version() == HttpVersion.HTTP_2) {
      response.request().reset();
    } else {
      response.request().connection().close();
    }
  }
}
