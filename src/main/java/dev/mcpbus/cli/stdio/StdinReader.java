package dev.mcpbus.cli.stdio;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.transport.LineFramer;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Context;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;

/**
 * Reads the client's lines. The thread {@code mcpbus-stdin} reads one chunk ahead of the bridge,
 * which takes a chunk when it has room: so a client that sends too much has to wait, and the end of
 * stdin is seen all the same. Everything else runs on the bridge's context.
 */
final class StdinReader {

  private static final int CHUNK = 64 * 1024;

  /** Receives what was read, on the bridge's context, in order. */
  interface LineListener {
    void message(Envelope message);

    void malformed(ProtocolException fault);

    /** The version that the client has agreed on; empty before. */
    default String version() {
      return "";
    }

    /** Runs {@code next}, now or as soon as there is room for more messages. */
    void whenRoom(Runnable next);

    void ended();
  }

  private final Context owner;
  private final InputStream in;
  private final LineListener listener;
  private final LineFramer framer;

  StdinReader(Context owner, InputStream in, LineListener listener) {
    this.owner = owner;
    this.in = in;
    this.listener = listener;
    this.framer =
        LineFramer.tolerant("stdin", ParseLimits.DEFAULT, listener::message, listener::malformed);
  }

  void start() {
    Thread thread = new Thread(this::read, "mcpbus-stdin");
    thread.setDaemon(true);
    thread.start();
  }

  private void read() {
    byte[] buffer = new byte[CHUNK];
    CountDownLatch taken = new CountDownLatch(0);
    try {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        byte[] chunk = Arrays.copyOf(buffer, n);
        taken.await();
        taken = pass(chunk);
      }
    } catch (IOException e) {
      // The client is gone, as at the end of the stream.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    owner.runOnContext(now -> listener.ended());
  }

  private CountDownLatch pass(byte[] chunk) {
    CountDownLatch taken = new CountDownLatch(1);
    owner.runOnContext(
        now -> {
          try {
            framer.negotiated(listener.version());
            framer.feed(chunk);
          } catch (TransportException e) {
            throw new IllegalStateException("a tolerant framer does not throw", e);
          } finally {
            listener.whenRoom(taken::countDown);
          }
        });
    return taken;
  }
}
