package dev.mcpbus.server;

import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.LineFramer;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.SendWindow;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * The server's end of two streams. One thread reads, one thread writes; all state belongs to the
 * owner context.
 */
final class StdioServerChannel implements Channel {

  private static final int CHUNK = 64 * 1024;
  private static final int JUNK_LINES = 1_000;

  private final Context owner;
  private final InputStream in;
  private final OutputStream out;
  private final SendWindow window = new SendWindow(SendWindow.MESSAGES, SendWindow.BYTES);
  private final ExecutorService writer =
      Executors.newSingleThreadExecutor(task -> daemon(task, "mcpbus-server-stdout"));
  private final Promise<Void> ended = Promise.promise();
  private @Nullable Receiver receiver;
  private boolean closed;

  private StdioServerChannel(Context owner, InputStream in, OutputStream out) {
    this.owner = owner;
    this.in = in;
    this.out = out;
  }

  /** See {@link StdioServer#serve}. */
  static Future<Void> serve(Vertx vertx, RawServer server, InputStream in, OutputStream out) {
    StdioServerChannel channel = new StdioServerChannel(vertx.getOrCreateContext(), in, out);
    channel.owner.runOnContext(
        now -> {
          channel.receiver = server.accept(channel);
          daemon(channel::read, "mcpbus-server-stdin").start();
        });
    return channel.ended.future().eventually(server::close);
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  private void read() {
    LineFramer framer =
        new LineFramer(
            "stdin",
            ParseLimits.DEFAULT,
            JUNK_LINES,
            message -> {
              if (receiver != null && !closed) {
                receiver.onMessage(message);
              }
            });
    byte[] chunk = new byte[CHUNK];
    try {
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        feed(framer, Arrays.copyOf(chunk, n));
      }
      over(new TransportException(Reason.UPSTREAM_RESET, Reached.MAYBE, "stdin has ended"));
    } catch (IOException e) {
      over(new TransportException(Reason.UPSTREAM_RESET, Reached.MAYBE, "stdin cannot be read"));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Passes one chunk at a time and waits for it, so that a client cannot fill the memory. */
  private void feed(LineFramer framer, byte[] bytes) throws InterruptedException {
    CountDownLatch taken = new CountDownLatch(1);
    owner.runOnContext(
        now -> {
          try {
            if (!closed) {
              framer.feed(bytes);
            }
          } catch (TransportException e) {
            over(e);
          } finally {
            taken.countDown();
          }
        });
    taken.await();
  }

  private void over(TransportException why) {
    owner.runOnContext(
        now -> {
          Receiver present = receiver;
          if (!closed && present != null) {
            present.onClosed(why);
          }
          close();
        });
  }

  @Override
  public void send(OutboundMessage message) throws TransportException {
    if (closed) {
      throw new TransportException(Reason.UPSTREAM_RESET, Reached.NO, "stdout is closed");
    }
    byte[] bytes = message.bytes();
    window.take(bytes.length);
    writer.execute(
        () -> {
          try {
            out.write(bytes);
            out.write('\n');
            out.flush();
            owner.runOnContext(now -> window.give(bytes.length));
          } catch (IOException e) {
            over(
                new TransportException(
                    Reason.UPSTREAM_RESET, Reached.MAYBE, "stdout cannot be written"));
          }
        });
  }

  /** Closes the channel. The two streams belong to the caller and stay open. */
  @Override
  public Future<Void> close() {
    if (!closed) {
      closed = true;
      writer.execute(ended::complete);
      writer.shutdown();
    }
    return ended.future();
  }

  /** Does nothing: this channel keeps no state per request. */
  @Override
  public void forget(long id) {}

  /** Does nothing: on this transport messages do not repeat the version. */
  @Override
  public void negotiated(String protocolVersion) {}

  @Override
  public JsonObject diagnostics() {
    return new JsonObject().put("underWay", window.messages());
  }
}
