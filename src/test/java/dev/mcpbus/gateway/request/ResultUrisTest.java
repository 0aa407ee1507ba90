package dev.mcpbus.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The URIs in a result cost the thread of the callers nothing where there are many. */
class ResultUrisTest {

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() {
    TestBus.await(vertx.close());
  }

  private static RawJson links(int count) {
    String link = "{\"type\":\"resource_link\",\"name\":\"a\",\"uri\":\"x:a\"}";
    String all = String.join(",", Collections.nCopies(count, link));
    return RawJson.of("{\"content\":[" + all + "]}");
  }

  /** Changes it on an event loop; whether the change ran there. */
  private boolean ranOnLoop(RawJson result) {
    AtomicReference<Boolean> there = new AtomicReference<>();
    Promise<RawJson> done = Promise.promise();
    vertx
        .getOrCreateContext()
        .runOnContext(
            now -> {
              Future<RawJson> changed =
                  ResultUris.changed(
                      vertx,
                      result,
                      all -> {
                        there.set(Context.isOnEventLoopThread());
                        return ResultUris.renamed(all, uri -> uri + "b");
                      });
              changed.onComplete(done);
            });
    String text = TestBus.await(done.future()).toString();
    assertThat(text).contains("x:ab").doesNotContain("\"x:a\"");
    return Boolean.TRUE.equals(there.get());
  }

  @Test
  void a_large_result_is_changed_on_a_worker_and_a_small_one_at_once() {
    assertThat(ranOnLoop(links(10))).isTrue();
    assertThat(ranOnLoop(links(10_000))).isFalse();
  }
}
