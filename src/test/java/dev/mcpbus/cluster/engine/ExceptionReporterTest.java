package dev.mcpbus.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.concurrent.OutboundMessageQueue;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class ExceptionReporterTest {

  @Test
  void a_promise_that_is_completed_twice_is_a_defect() {
    Promise<Void> promise = Promise.promise();
    promise.complete();

    Throwable twice = catchThrowable(() -> promise.fail("x"));

    assertThat(twice).hasMessage("Promise already completed");
    assertThat(ExceptionReporter.isOfPublish(twice)).isFalse();
    assertThat(ExceptionReporter.isOfPublish(new IllegalStateException("x"))).isFalse();
  }

  @Test
  void one_that_is_completed_twice_by_what_could_not_be_written_is_of_a_publish() {
    Promise<Void> promise = Promise.promise();
    promise.complete();
    List<Throwable> twice = new ArrayList<>();
    EmbeddedChannel channel = new EmbeddedChannel();
    var unwritten =
        channel
            .write(Unpooled.buffer())
            .addListener(end -> twice.add(catchThrowable(() -> promise.fail(end.cause()))));

    var closed = channel.close();

    assertThat(closed.isSuccess()).isTrue();
    assertThat(unwritten.isSuccess()).isFalse();
    assertThat(twice).singleElement().matches(ExceptionReporter::isOfPublish);
  }

  /** A node that does not read lets messages wait in Vert.x, too. */
  @Test
  void one_that_waited_before_the_channel_is_of_a_publish(Vertx vertx) {
    Promise<Void> promise = Promise.promise();
    promise.complete();
    List<Throwable> twice = new CopyOnWriteArrayList<>();
    ContextInternal context = ((VertxInternal) vertx).createEventLoopContext();
    OutboundMessageQueue<String> queue =
        new OutboundMessageQueue<>(context.executor()) {
          @Override
          public boolean test(String message) {
            return false;
          }

          @Override
          protected void handleDispose(String message) {
            twice.add(catchThrowable(() -> promise.fail(message)));
          }
        };

    context.runOnContext(
        now -> {
          queue.write("x");
          queue.close();
        });

    Awaitility.await().until(() -> !twice.isEmpty());
    assertThat(twice).singleElement().matches(ExceptionReporter::isOfPublish);
  }
}
