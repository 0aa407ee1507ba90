package dev.mcpbus.security;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;

/**
 * What stands behind the HTTP server for one part of its paths. The server has checked Host, Origin
 * and size before, and knows who calls. One instance per HTTP verticle; every method runs on that
 * verticle's context.
 */
public interface MountedHandler {

  /** True where requests of this path are its own. */
  boolean owns(String path);

  /** Completes when requests can be handled. */
  Future<Void> open();

  /**
   * Answers a request, now or later.
   *
   * @param admission who sent it; what stays open asks it whether that still holds
   * @param body in full, empty where there is none
   */
  void handle(HttpServerRequest request, Admission admission, Buffer body);

  /** Ends what is open, so that the server can close. Idempotent. */
  void close();
}
