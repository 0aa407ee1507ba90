package dev.mcpbus.security;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;

/**
 * Handles all requests below one part of the HTTP server's paths. The server has checked Host,
 * Origin and size and has authenticated the caller before. There is one instance per HTTP verticle;
 * every method runs on that verticle's context.
 */
public interface MountedHandler {

  /** Whether this handler serves {@code path}. */
  boolean owns(String path);

  /** Completes when the handler is ready for requests. */
  Future<Void> open();

  /**
   * Answers a request, now or later.
   *
   * @param admission the caller and its rights; streams and sockets check with it whether they may
   *     stay open
   * @param body the whole body, empty if there is none
   */
  void handle(HttpServerRequest request, Admission admission, Buffer body);

  /**
   * The server closes, and waits for requests in flight: ends all streams and sockets that wait for
   * no answer. Idempotent.
   */
  void close();

  /** The server waits no longer: answers the requests that are still in flight. */
  void giveUp();
}
