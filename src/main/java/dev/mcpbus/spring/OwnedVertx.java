package dev.mcpbus.spring;

import dev.mcpbus.McpBus;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.beans.factory.DisposableBean;

/** The Vert.x of an application that brings none: it ends with the application. */
final class OwnedVertx implements DisposableBean {

  private static final int CLOSE_SECONDS = 30;

  private final Vertx vertx = Vertx.vertx(McpBus.vertxOptions());

  Vertx vertx() {
    return vertx;
  }

  @Override
  public void destroy() throws TimeoutException {
    vertx.close().await(CLOSE_SECONDS, TimeUnit.SECONDS);
  }
}
