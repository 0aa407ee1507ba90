package dev.mcpbus.transport.stdio;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

/** Owns one channel and records all callbacks, for tests on their own thread. */
final class Peer implements Channel.Receiver {

  static final Duration GRACE = Duration.ofMillis(150);

  final List<String> messages = new CopyOnWriteArrayList<>();
  final List<String> failed = new CopyOnWriteArrayList<>();
  final List<String> history = new CopyOnWriteArrayList<>();
  final CompletableFuture<TransportException> closed = new CompletableFuture<>();
  final Context context;
  private @Nullable Channel channel;

  private Peer(Context context) {
    this.context = context;
  }

  static StdioOptions sh(String script) {
    return RecordCopy.with(StdioOptions.of("sh", List.of("-c", script)), "closeGrace", GRACE);
  }

  static Peer open(Vertx vertx, StdioOptions options) throws Exception {
    Peer peer = new Peer(vertx.getOrCreateContext());
    StdioTransport transport = new StdioTransport(options);
    peer.channel =
        get(peer.on(() -> transport.open(peer.context, peer)).compose(opening -> opening));
    return peer;
  }

  private <T> Future<T> on(Callable<T> action) {
    CompletableFuture<T> done = new CompletableFuture<>();
    context.runOnContext(
        ignored -> {
          try {
            done.complete(action.call());
          } catch (Exception e) {
            done.completeExceptionally(e);
          }
        });
    return Future.fromCompletionStage(done);
  }

  static <T> T get(Future<T> future) throws Exception {
    try {
      return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }

  static ConditionFactory await() {
    return Awaitility.await().pollInterval(Duration.ofMillis(5));
  }

  Channel channel() {
    if (channel == null) {
      throw new IllegalStateException("not open");
    }
    return channel;
  }

  void request(long id) throws Exception {
    request(id, RawJson.of("{\"n\":" + id + "}"));
  }

  void request(long id, RawJson params) throws Exception {
    request(id, "test", params);
  }

  void request(long id, String method, RawJson params) throws Exception {
    byte[] bytes = MessageWriter.request(id, method, params);
    get(
        on(
            () -> {
              channel().send(OutboundMessage.request(id, method, bytes));
              return id;
            }));
  }

  JsonObject diagnostics() throws Exception {
    return get(on(() -> channel().diagnostics()));
  }

  long pid() throws Exception {
    return diagnostics().getLong("pid");
  }

  void close() throws Exception {
    get(on(() -> channel().close()).compose(closing -> closing));
  }

  TransportException ending() throws Exception {
    try {
      return closed.get(60, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("still open; heard " + history, e);
    }
  }

  @Override
  public void onMessage(Envelope message) {
    messages.add(message.text().toString());
    history.add("message");
  }

  @Override
  public void onRequestFailed(long id, TransportException reason) {
    failed.add(id + " " + reason.reason() + " " + reason.reached());
    history.add("failed " + id);
  }

  @Override
  public void onClosed(TransportException reason) {
    history.add("closed");
    if (!closed.complete(reason)) {
      throw new AssertionError("closed twice");
    }
  }

  /** True while the process runs; a zombie that is not reaped does not count. */
  static boolean running(long pid) {
    try {
      String stat =
          Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }

  static void signal(String signal, long pid) throws Exception {
    int exit = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor();
    if (exit != 0) {
      throw new IllegalStateException("kill -" + signal + " " + pid + " failed");
    }
  }
}
