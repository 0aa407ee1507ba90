package dev.mcpbus.cli;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The progress of one call, over a socket of the event bus: the call names an address, and this
 * listens there. Where the service offers no socket there is no progress. Frames arrive on a thread
 * of the HTTP client.
 */
final class ProgressFeed implements WebSocket.Listener, AutoCloseable {

  /** The event bus closes sockets that are silent for longer. */
  private static final long PING_SECONDS = 4;

  private static final int MAX_FRAME = 64 * 1024;

  private final String name = UUID.randomUUID().toString();
  private final Consumer<String> listener;
  private final ByteArrayOutputStream frame = new ByteArrayOutputStream();
  private final CompletableFuture<WebSocket> socket;

  /**
   * @param listener gets each progress as a text for people
   */
  ProgressFeed(ServiceClient client, Consumer<String> listener) {
    this.listener = listener;
    this.socket = client.socket("/eventbus/websocket", this);
  }

  /** For the header {@code Progress} of the call. */
  String name() {
    return name;
  }

  @Override
  public void onOpen(WebSocket opened) {
    JsonObject register = new JsonObject().put("type", "register");
    send(opened, register.put("address", "mcp.progress." + name));
    ping(opened);
    opened.request(1);
  }

  private void ping(WebSocket opened) {
    CompletableFuture.delayedExecutor(PING_SECONDS, TimeUnit.SECONDS)
        .execute(
            () -> {
              if (!opened.isOutputClosed()) {
                send(opened, new JsonObject().put("type", "ping"));
                ping(opened);
              }
            });
  }

  private static void send(WebSocket to, JsonObject message) {
    var unused = to.sendText(message.encode(), true);
  }

  /** The event bus sends binary frames with JSON. */
  @Override
  public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
    if (frame.size() + data.remaining() <= MAX_FRAME) {
      byte[] bytes = new byte[data.remaining()];
      data.get(bytes);
      frame.writeBytes(bytes);
    }
    if (last) {
      received(frame.toString(StandardCharsets.UTF_8));
      frame.reset();
    }
    from.request(1);
    return null;
  }

  private void received(String text) {
    try {
      if (new JsonObject(text).getValue("body") instanceof JsonObject progress) {
        listener.accept(describe(progress));
      }
    } catch (DecodeException | ClassCastException notOurs) {
      // no progress
    }
  }

  /** {@code 3 of 5, message}. */
  static String describe(JsonObject progress) {
    Object done = progress.getValue("progress");
    Object total = progress.getValue("total");
    String message = ContentText.text(progress, "message");
    String count =
        (done instanceof Number number ? plain(number) : "")
            + (total instanceof Number number ? " of " + plain(number) : "");
    return count + (count.isEmpty() || message.isEmpty() ? "" : ", ") + message;
  }

  private static String plain(Number number) {
    double value = number.doubleValue();
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : String.format(Locale.ROOT, "%.2f", value);
  }

  @Override
  public void close() {
    var unused = socket.thenAccept(WebSocket::abort);
  }
}
