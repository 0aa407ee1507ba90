package dev.mcpbus.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ListFetcherTest {

  private static final ConnectionId SERVER = new ConnectionId("s");

  private final Vertx vertx = Vertx.vertx();
  private final Context context = vertx.getOrCreateContext();
  private final List<Message<Buffer>> asked = new CopyOnWriteArrayList<>();
  private final List<Integer> read = new CopyOnWriteArrayList<>();
  private final ListFetcher fetcher =
      new ListFetcher(vertx, SERVER, (kind, list) -> read.add(list.result().entries().size()));

  @BeforeEach
  void start() {
    Codecs.register(vertx);
    vertx.eventBus().<Buffer>localConsumer(Addresses.of(SERVER, Addresses.TOOLS_LIST), asked::add);
  }

  @AfterEach
  void close() {
    TestBus.await(vertx.close());
  }

  /** Runs on the fetcher's context. */
  private <T> T on(Supplier<T> action) {
    Promise<T> done = Promise.promise();
    context.runOnContext(now -> done.complete(action.get()));
    return TestBus.await(done.future());
  }

  private void reply(int request, String... names) {
    await().until(() -> asked.size() > request);
    StringBuilder tools = new StringBuilder();
    for (String name : names) {
      tools.append(tools.length() == 0 ? "" : ",").append("{\"name\":\"" + name + "\"}");
    }
    asked.get(request).reply(Buffer.buffer("{\"tools\":[" + tools + "]}"));
  }

  private Future<Void> ask(long patienceNanos) {
    return on(() -> List.of(fetcher.ask(ListKind.TOOLS, patienceNanos))).get(0);
  }

  private boolean outdate() {
    return on(
        () -> {
          fetcher.outdate(ListKind.TOOLS);
          return fetcher.isOutdated(ListKind.TOOLS);
        });
  }

  @Test
  void a_fetch_that_began_before_a_change_is_followed_by_another_one_which_counts() {
    Future<Void> first = ask(Long.MAX_VALUE);
    await().until(() -> asked.size() == 1);
    assertThat(outdate()).isTrue();
    Future<Void> second = ask(Long.MAX_VALUE);
    reply(0, "a");
    TestBus.await(first);
    await().until(() -> asked.size() == 2);
    assertThat(second.isComplete()).isFalse();
    assertThat(on(() -> fetcher.isOutdated(ListKind.TOOLS))).isFalse();
    reply(1, "a", "b");
    TestBus.await(second);
    assertThat(read).containsExactly(1, 2);
  }

  @Test
  void who_asks_after_a_change_waits_no_longer_than_patience_allows() {
    ask(Long.MAX_VALUE);
    await().until(() -> asked.size() == 1);
    outdate();
    assertThat(ask(0).isComplete()).isTrue();
    reply(0, "a");
    reply(1, "b");
    await().until(() -> read.size() == 2);
  }

  @Test
  void a_list_that_was_never_fetched_is_never_outdated() {
    assertThat(outdate()).isFalse();
    assertThat(asked).isEmpty();
  }

  @Test
  void a_list_that_takes_long_to_be_read_is_read_less_often() {
    assertThat(ListFetcher.restNanos(TimeUnit.MILLISECONDS.toNanos(99))).isZero();
    assertThat(ListFetcher.restNanos(TimeUnit.MILLISECONDS.toNanos(200)))
        .isEqualTo(TimeUnit.SECONDS.toNanos(2));
  }
}
