package dev.mcpbus.testing;

import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.protocol.Quirks;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Owns a channel on a context of its own and writes down what it hears. For test threads. */
public final class ChannelProbe implements Channel.Receiver {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Context owner;
  private final Channel channel;
  private final List<Envelope> messages = new CopyOnWriteArrayList<>();
  private final Map<Long, TransportException> failures = new ConcurrentHashMap<>();
  private final List<TransportException> closings = new CopyOnWriteArrayList<>();
  private final AtomicInteger foreignCallbacks = new AtomicInteger();

  private final Quirks quirks;

  private ChannelProbe(Vertx vertx, Transport transport, boolean strict) throws Exception {
    quirks = new Quirks(strict, quirk -> {});
    owner = ((VertxInternal) vertx).createEventLoopContext();
    channel = on(() -> transport.open(owner, this)).get(60, TimeUnit.SECONDS);
  }

  public static ChannelProbe open(Vertx vertx, Transport transport) throws Exception {
    return new ChannelProbe(vertx, transport, false);
  }

  /** Tolerates no {@link Quirk}. */
  public static ChannelProbe strict(Vertx vertx, Transport transport) throws Exception {
    return new ChannelProbe(vertx, transport, true);
  }

  /** How often the quirk was tolerated. */
  public long tolerated(Quirk quirk) {
    return quirks.toJson().stream()
        .map(JsonObject.class::cast)
        .filter(row -> row.getString("quirk").equals(quirk.name()))
        .mapToLong(row -> row.getLong("count"))
        .sum();
  }

  @Override
  public Quirks quirks() {
    return quirks;
  }

  public void request(long id, String method) throws Exception {
    send(OutboundMessage.request(id, method, MessageWriter.request(id, method, null)));
  }

  public void notify(String method) throws Exception {
    send(OutboundMessage.notification(method, MessageWriter.notification(method, null)));
  }

  /** Fails with the {@link TransportException} of a message that was refused at once. */
  public void send(OutboundMessage message) throws Exception {
    run(() -> channel.send(message));
  }

  /** Sends and waits for the ending. */
  public Envelope call(long id, String method) throws Exception {
    request(id, method);
    return reply(id);
  }

  /** Sends and waits for the failure. */
  public TransportException fail(long id, String method) throws Exception {
    request(id, method);
    return failure(id);
  }

  public Envelope reply(long id) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(2))
        .until(() -> replyNow(id) != null || failures.containsKey(id));
    Envelope reply = replyNow(id);
    if (reply == null) {
      throw new AssertionError("request " + id + " failed", failures.get(id));
    }
    return reply;
  }

  public TransportException failure(long id) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(2))
        .until(() -> replyNow(id) != null || failures.containsKey(id));
    TransportException failure = failures.get(id);
    if (failure == null) {
      throw new AssertionError("request " + id + " was answered: " + replyNow(id));
    }
    return failure;
  }

  /** How often request {@code id} ended. */
  public long endings(long id) {
    return messages.stream().filter(message -> isReply(message, id)).count()
        + (failures.containsKey(id) ? 1 : 0);
  }

  public List<Envelope> messages() {
    return messages;
  }

  /** Methods of the server's requests and notifications so far. */
  public List<String> heard() {
    return messages.stream()
        .filter(
            message ->
                message.kind() == Envelope.Kind.NOTIFICATION
                    || message.kind() == Envelope.Kind.REQUEST)
        .map(Envelope::method)
        .toList();
  }

  public List<TransportException> closings() {
    return closings;
  }

  /** Callbacks that came on a thread that is not the owner's. */
  public int foreignCallbacks() {
    return foreignCallbacks.get();
  }

  public void run(ThrowingRunnable action) throws Exception {
    on(() -> {
          action.run();
          return Future.succeededFuture();
        })
        .get(60, TimeUnit.SECONDS);
  }

  public Channel channel() {
    return channel;
  }

  public void close() throws Exception {
    on(channel::close).get(60, TimeUnit.SECONDS);
  }

  @Override
  public void onMessage(Envelope message) {
    check();
    messages.add(message);
  }

  @Override
  public void onRequestFailed(long id, TransportException reason) {
    check();
    if (failures.put(id, reason) != null) {
      throw new AssertionError("request " + id + " failed twice");
    }
  }

  @Override
  public void onClosed(TransportException reason) {
    check();
    closings.add(reason);
  }

  /** May throw what it likes. */
  @FunctionalInterface
  public interface ThrowingRunnable {
    void run() throws Exception;
  }

  private void check() {
    if (Vertx.currentContext() != owner) {
      foreignCallbacks.incrementAndGet();
    }
  }

  private @Nullable Envelope replyNow(long id) {
    return messages.stream().filter(message -> isReply(message, id)).findFirst().orElse(null);
  }

  private static boolean isReply(Envelope message, long id) {
    return message.integerId() == id
        && (message.kind() == Envelope.Kind.RESULT || message.kind() == Envelope.Kind.ERROR);
  }

  private <T> Waiting<T> on(Callable<Future<T>> action) {
    var done = new java.util.concurrent.CompletableFuture<T>();
    owner.runOnContext(
        nothing -> {
          try {
            action
                .call()
                .onComplete(
                    (value, failure) -> {
                      if (failure != null) {
                        done.completeExceptionally(failure);
                      } else {
                        done.complete(value);
                      }
                    });
          } catch (Exception e) {
            done.completeExceptionally(e);
          }
        });
    return (time, unit) -> {
      try {
        return done.get(time, unit);
      } catch (java.util.concurrent.ExecutionException e) {
        if (e.getCause() instanceof Exception cause) {
          throw cause;
        }
        throw e;
      }
    };
  }

  private interface Waiting<T> {
    T get(long time, TimeUnit unit) throws Exception, TimeoutException;
  }
}
