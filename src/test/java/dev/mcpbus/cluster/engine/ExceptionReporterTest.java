package dev.mcpbus.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

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
}
