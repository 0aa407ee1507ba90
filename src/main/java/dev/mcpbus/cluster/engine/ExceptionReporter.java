package dev.mcpbus.cluster.engine;

import io.vertx.core.Handler;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs what nobody has handled, as Vert.x does by itself, but for one thing: Vert.x has one promise
 * for a publish to several nodes, and takes it for a defect where a node cannot be reached after
 * another has got the message. Where a link is cut that would be thousands of stack traces, which
 * say nothing about the link.
 */
final class ExceptionReporter implements Handler<Throwable> {

  private static final Logger LOG = LoggerFactory.getLogger(ExceptionReporter.class);

  @Override
  public void handle(Throwable failure) {
    if (isOfPublish(failure)) {
      LOG.debug("a node did not get what was published", failure);
    } else {
      LOG.error("unhandled exception", failure);
    }
  }

  static boolean isOfPublish(Throwable failure) {
    return failure instanceof IllegalStateException
        && "Promise already completed".equals(failure.getMessage())
        && Arrays.stream(failure.getStackTrace())
            .anyMatch(
                frame -> frame.getClassName().equals("io.netty.channel.ChannelOutboundBuffer"));
  }
}
