package dev.mcpbus.cluster.engine;

import io.vertx.core.Handler;
import java.util.Arrays;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs unhandled exceptions as Vert.x does, except a failed publish to several nodes, which it logs
 * at debug. Vert.x has one promise for such a publish, and reports an error where a node cannot be
 * reached after another node has received the message. While a link is cut that would be thousands
 * of stack traces which do not name the link. Any thread.
 */
final class ExceptionReporter implements Handler<Throwable> {

  private static final Logger LOG = LoggerFactory.getLogger(ExceptionReporter.class);

  /**
   * What reports that a message was not written: its connection ends while it waits, or is closed
   * already when its node is chosen.
   */
  private static final Set<String> UNWRITTEN =
      Set.of(
          "io.netty.channel.ChannelOutboundBuffer",
          "io.vertx.core.internal.concurrent.OutboundMessageQueue",
          "io.vertx.core.eventbus.impl.clustered.OutboundConnection",
          LiveNodeSelector.class.getName());

  @Override
  public void handle(Throwable failure) {
    if (isOfPublish(failure)) {
      LOG.debug("a published message did not reach one of the nodes", failure);
    } else {
      LOG.error("unhandled exception", failure);
    }
  }

  static boolean isOfPublish(Throwable failure) {
    return failure instanceof IllegalStateException
        && "Promise already completed".equals(failure.getMessage())
        && Arrays.stream(failure.getStackTrace())
            .anyMatch(frame -> UNWRITTEN.contains(frame.getClassName()));
  }
}
