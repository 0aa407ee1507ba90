package dev.mcpbus.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every transport with a server end of ours must do. The server end is an {@link Acceptor} of
 * this suite, so that both sides are seen.
 */
public abstract class TransportContract {

  protected static final int WINDOW = 64;

  protected Vertx vertx = Vertx.vertx();
  protected Context clientContext = vertx.getOrCreateContext();
  protected Context serverContext = vertx.getOrCreateContext();
  private Recorder client = new Recorder(clientContext);
  private Recorder server = new Recorder(serverContext);
  private final List<Channel> accepted = new CopyOnWriteArrayList<>();
  private boolean greet;

  /** A transport to {@code acceptor}, which is called on {@link #serverContext}. */
  protected abstract Transport connectTo(Acceptor acceptor) throws Exception;

  @BeforeEach
  void contexts() {
    clientContext = ((ContextInternal) vertx.getOrCreateContext()).unwrap();
    serverContext = ((ContextInternal) vertx.getOrCreateContext()).unwrap();
    assertThat(clientContext).isNotSameAs(serverContext);
    client = new Recorder(clientContext);
    server = new Recorder(serverContext);
  }

  @AfterEach
  void close() throws Exception {
    get(vertx.close());
  }

  @Test
  void ten_thousand_messages_keep_their_order_in_both_directions() throws Exception {
    Channel here = open();
    pump(clientContext, here, 10_000);
    pump(serverContext, there(), 10_000);
    await().atMost(Duration.ofSeconds(60)).until(() -> server.count() == 10_000);
    await().atMost(Duration.ofSeconds(60)).until(() -> client.count() == 10_000);
    List<Long> inOrder = IntStream.range(0, 10_000).mapToObj(Long::valueOf).toList();
    assertThat(server.messages().stream().map(Envelope::integerId)).isEqualTo(inOrder);
    assertThat(client.messages().stream().map(Envelope::integerId)).isEqualTo(inOrder);
    assertNobodyStrayed();
  }

  @Test
  void a_message_of_one_mebibyte_arrives_byte_for_byte() throws Exception {
    Channel here = open();
    String text = "x\u00e9".repeat(1024 * 512);
    byte[] bytes = MessageWriter.request(7, "echo", RawJson.of("{\"text\":\"" + text + "\"}"));
    run(clientContext, () -> send(here, OutboundMessage.request(7, "echo", bytes)));
    await().until(() -> server.count() == 1);
    assertThat(server.messages().get(0).text().toString().getBytes(StandardCharsets.UTF_8))
        .isEqualTo(bytes);
  }

  @Test
  void the_server_is_notified_of_the_close_after_the_last_message() throws Exception {
    Channel here = open();
    run(clientContext, () -> send(here, request(1)));
    run(clientContext, here::close);
    await().until(() -> !server.closings().isEmpty());
    assertThat(server.count()).isEqualTo(1);
    assertThat(server.closings()).hasSize(1);
    assertThat(server.closings().get(0).reason()).isEqualTo(Reason.UPSTREAM_RESET);
    assertThat(client.closings()).isEmpty();
    assertNobodyStrayed();
  }

  @Test
  void the_client_is_notified_when_the_server_closes() throws Exception {
    Channel here = open();
    Channel there = there();
    get(run(serverContext, there::close));
    await().until(() -> !client.closings().isEmpty());
    assertThat(client.closings().get(0).reason()).isEqualTo(Reason.UPSTREAM_RESET);
    assertThat(server.closings()).isEmpty();
    TransportException refused = run(clientContext, () -> send(here, request(1)));
    assertClosed(refused);
    get(run(clientContext, here::close));
    assertThat(client.closings()).hasSize(1);
    assertNobodyStrayed();
  }

  @Test
  void a_closed_end_refuses_to_send_and_closes_twice_in_peace() throws Exception {
    Channel here = open();
    get(run(clientContext, here::close));
    get(run(clientContext, here::close));
    assertClosed(run(clientContext, () -> send(here, request(1))));
  }

  @Test
  void a_full_queue_is_refused_at_once_and_opens_again() throws Exception {
    Channel here = open();
    // One task of the client's context: nothing can be taken back in between.
    List<Reason> refusals =
        run(
            clientContext,
            () ->
                IntStream.range(0, WINDOW + 5)
                    .mapToObj(i -> send(here, request(i)))
                    .filter(failure -> failure != null && failure.reached() == Reached.NO)
                    .map(TransportException::reason)
                    .toList());
    assertThat(refusals).hasSize(5).containsOnly(Reason.OVERLOADED);
    await().until(() -> server.count() == WINDOW);
    await().until(() -> run(clientContext, () -> send(here, request(WINDOW))) == null);
    await().until(() -> server.count() == WINDOW + 1);
  }

  @Test
  void a_greeting_of_the_server_comes_after_open_has_completed() throws Exception {
    greet = true;
    List<String> order = new CopyOnWriteArrayList<>();
    client = new Recorder(clientContext, message -> order.add(message.method()));
    Transport transport = connectTo(acceptor());
    run(
        clientContext,
        () -> transport.open(clientContext, client).onSuccess(opened -> order.add("opened")));
    await().until(() -> order.size() == 2);
    assertThat(order).containsExactly("opened", "greeting");
  }

  @Test
  void bytes_that_are_no_message_end_the_channel_on_both_sides() throws Exception {
    Channel here = open();
    OutboundMessage junk = OutboundMessage.notification("x", new byte[] {'n', 'o'});
    run(clientContext, () -> send(here, junk));
    await().until(() -> !server.closings().isEmpty() && !client.closings().isEmpty());
    assertThat(server.closings().get(0).reason()).isEqualTo(Reason.PROTOCOL_ERROR);
    assertThat(client.closings().get(0).reason()).isEqualTo(Reason.UPSTREAM_RESET);
  }

  @Test
  void two_connections_know_nothing_of_each_other() throws Exception {
    Transport transport = connectTo(acceptor());
    Recorder second = new Recorder(clientContext);
    Channel one = get(run(clientContext, () -> transport.open(clientContext, client)));
    get(run(clientContext, () -> transport.open(clientContext, second)));
    await().until(() -> accepted.size() == 2);
    get(run(clientContext, one::close));
    run(serverContext, () -> send(accepted.get(1), request(1)));
    await().until(() -> second.count() == 1);
    assertThat(client.count()).isZero();
    assertThat(second.closings()).isEmpty();
  }

  private Acceptor acceptor() {
    return channel -> {
      accepted.add(channel);
      if (greet) {
        send(
            channel,
            OutboundMessage.notification("greeting", MessageWriter.notification("greeting", null)));
      }
      return server;
    };
  }

  private Channel open() throws Exception {
    Transport transport = connectTo(acceptor());
    return get(run(clientContext, () -> transport.open(clientContext, client)));
  }

  private Channel there() {
    await().until(() -> accepted.size() == 1);
    return accepted.get(0);
  }

  private void assertNobodyStrayed() {
    assertThat(client.strays()).isEmpty();
    assertThat(server.strays()).isEmpty();
  }

  private static void assertClosed(@Nullable TransportException refused) {
    assertThat(refused)
        .isInstanceOfSatisfying(
            TransportException.class,
            failure -> {
              assertThat(failure.reason()).isEqualTo(Reason.UPSTREAM_RESET);
              assertThat(failure.reached()).isEqualTo(Reached.NO);
            });
  }

  private static OutboundMessage request(long id) {
    return OutboundMessage.request(id, "ping", MessageWriter.request(id, "ping", null));
  }

  private static @Nullable TransportException send(Channel channel, OutboundMessage message) {
    try {
      channel.send(message);
      return null;
    } catch (TransportException e) {
      return e;
    }
  }

  /** Sends {@code count} requests, each as soon as the window allows. */
  private static void pump(Context context, Channel channel, int count) {
    context.runOnContext(nothing -> pump(context, channel, 0, count));
  }

  /** Goes on a moment later where the window is full: the event loop needs the time to empty it. */
  private static void pump(Context context, Channel channel, int from, int count) {
    int next = from;
    while (next < count && send(channel, request(next)) == null) {
      next++;
    }
    int rest = next;
    if (rest < count) {
      context.owner().setTimer(1, later -> pump(context, channel, rest, count));
    }
  }

  protected static <T> T run(Context context, Callable<T> task) throws Exception {
    return get(
        Future.future(
            promise ->
                context.runOnContext(
                    nothing -> {
                      try {
                        promise.complete(task.call());
                      } catch (Exception e) {
                        promise.fail(e);
                      }
                    })));
  }

  protected static <T> T get(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }
}
