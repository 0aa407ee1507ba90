package dev.mcpbus.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.gateway.request.PublishedSession.StraightCall;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import dev.mcpbus.testing.OpenAccess;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class PublishedSessionTest {

  /** A call that notes what it is told. */
  private static final class Told implements StraightCall {
    private final GatewayRequest request;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean read = true;

    Told(Vertx vertx, String callId) {
      request =
          new GatewayRequest(
              Era.INITIALIZE,
              Principal.LOCAL,
              Objects.requireNonNull(OpenAccess.directory(vertx).view("", Principal.LOCAL)),
              "tools/call",
              RawJson.EMPTY_OBJECT,
              callId,
              "reports",
              "questions",
              false,
              false,
              false,
              null,
              0,
              CallOrigin.NONE);
    }

    @Override
    public GatewayRequest request() {
      return request;
    }

    @Override
    public RawJson id() {
      return RawJson.of("1");
    }

    @Override
    public @Nullable ConnectionId at() {
      return null;
    }

    @Override
    public boolean isRead() {
      return read;
    }

    @Override
    public void cancelled(@Nullable RawJson params) {}

    @Override
    public Future<Boolean> handOver() {
      return Future.succeededFuture(false);
    }

    @Override
    public void sessionEnded() {
      ended.set(true);
    }
  }

  @Test
  void a_call_that_begins_while_its_session_ends_is_refused_or_told(Vertx vertx) throws Exception {
    Told call = new Told(vertx, "c");
    CyclicBarrier together = new CyclicBarrier(2);
    for (int i = 0; i < 10_000; i++) {
      PublishedSession session = new PublishedSession(10, inUse -> {}, () -> {});
      call.ended.set(false);
      CompletableFuture<Boolean> begun = new CompletableFuture<>();
      CountDownLatch over = new CountDownLatch(1);
      Thread door =
          new Thread(
              () -> {
                meet(together);
                begun.complete(session.begin(call));
                over.countDown();
              });
      door.start();
      meet(together);
      session.close();
      over.await();
      assertThat(begun.join() && !call.ended.get()).as("begun, and not told").isFalse();
      if (!begun.join()) {
        assertThat(session.calls()).isEmpty();
      }
    }
  }

  @Test
  void doors_that_begin_calls_at_the_same_time_keep_the_bound(Vertx vertx) throws Exception {
    int doors = 4;
    List<PublishedSession> sessions =
        Stream.generate(() -> new PublishedSession(1, inUse -> {}, () -> {}))
            .limit(20_000)
            .toList();
    List<AtomicInteger> begun = Stream.generate(AtomicInteger::new).limit(sessions.size()).toList();
    CyclicBarrier together = new CyclicBarrier(doors);
    List<Thread> threads = new ArrayList<>();
    for (int door = 0; door < doors; door++) {
      Told call = new Told(vertx, "c" + door);
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < sessions.size(); i++) {
                  if (i % 100 == 0) {
                    meet(together);
                  }
                  if (sessions.get(i).begin(call)) {
                    begun.get(i).incrementAndGet();
                  }
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(begun.stream().filter(calls -> calls.get() != 1)).isEmpty();
  }

  private static void meet(CyclicBarrier barrier) {
    try {
      barrier.await();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void it_is_in_use_while_a_client_reads_or_its_host_says_so(Vertx vertx) {
    List<Boolean> uses = new ArrayList<>();
    PublishedSession session = new PublishedSession(10, uses::add, () -> {});
    Told call = new Told(vertx, "c");
    session.begin(call);
    session.noteUse(false, 0);
    call.read = false;
    session.changed(call, false);
    session.noteUse(true, 1);
    session.changed(call, true);
    session.noteUse(false, 0);
    assertThat(uses).containsExactly(true, true, false, true, true, false);
  }

  @Test
  void calls_of_the_host_count_for_the_bound_and_an_idle_one_closes_without_a_call(Vertx vertx) {
    AtomicInteger ended = new AtomicInteger();
    PublishedSession session = new PublishedSession(2, inUse -> {}, ended::incrementAndGet);
    session.noteUse(true, 1);
    Told one = new Told(vertx, "one");
    assertThat(session.begin(one)).isTrue();
    assertThat(session.begin(new Told(vertx, "two"))).isFalse();
    assertThat(session.closeIfIdle()).isFalse();
    session.changed(one, true);
    assertThat(ended).as("the host cannot see it, and is told").hasValue(1);
    assertThat(session.begin(one)).isTrue();
    assertThat(session.take("one")).isSameAs(one);
    session.changed(one, true);
    assertThat(ended).as("the host has it").hasValue(1);
    assertThat(session.closeIfIdle()).isTrue();
    assertThat(session.begin(one)).isFalse();
  }
}
