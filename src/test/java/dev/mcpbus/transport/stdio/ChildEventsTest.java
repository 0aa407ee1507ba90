package dev.mcpbus.transport.stdio;

import static dev.mcpbus.bus.BusTests.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.transport.stdio.ChildEvents.ChildEventListener;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.junit5.VertxExtension;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a child says reaches the event loop that also serves other connections. */
@ExtendWith(VertxExtension.class)
class ChildEventsTest {

  private static final byte[] CHUNK = new byte[1 << 20];

  /** A child that has said more whenever something of it was read; each chunk takes 1 ms. */
  private static final class Flood implements ChildEventListener {

    private final AtomicLong clock = new AtomicLong();
    private final AtomicInteger chunks = new AtomicInteger();
    private final ChildEvents events;
    private volatile boolean over;

    Flood(Context owner) {
      events = new ChildEvents(owner, clock::get);
      events.start(this);
      events.stdout(CHUNK);
    }

    @Override
    public void stdout(byte[] chunk) {
      chunks.incrementAndGet();
      clock.addAndGet(1_000_000);
      if (!over) {
        events.stdout(CHUNK);
      }
    }

    @Override
    public void writable() {}

    @Override
    public void ended(String how) {}

    @Override
    public void batchEnd() {}
  }

  /** Else its neighbours on the event loop wait for up to a second for each of their packets. */
  @Test
  void a_child_that_never_pauses_leaves_the_sockets_of_its_event_loop_their_turn(Vertx vertx) {
    NetServer server =
        await(
            vertx
                .createNetServer()
                .connectHandler(socket -> socket.handler(socket::write))
                .listen(0, "127.0.0.1"));
    Context context = vertx.getOrCreateContext();
    Promise<Integer> needed = Promise.promise();
    context.runOnContext(
        now ->
            vertx
                .createNetClient()
                .connect(server.actualPort(), "127.0.0.1")
                .onFailure(needed::fail)
                .onSuccess(socket -> exchange(socket, new Flood(context), needed)));
    assertThat(await(needed.future())).isPositive();
  }

  /** Ten packets there and back; completes with the chunks that the child has said meanwhile. */
  private static void exchange(NetSocket socket, Flood flood, Promise<Integer> needed) {
    AtomicInteger left = new AtomicInteger(10);
    socket.handler(
        packet -> {
          if (left.decrementAndGet() > 0) {
            socket.write(packet);
          } else {
            flood.over = true;
            needed.complete(flood.chunks.get());
          }
        });
    socket.write(Buffer.buffer("x"));
  }
}
