package dev.mcpbus.testing;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;
import io.vertx.core.eventbus.impl.CodecManager;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message as it stands on the wire between two clustered buses of Vert.x, made by hand.
 *
 * @param reply the address that the reply is wanted at
 * @param sender the id of the node that the receiver takes for the sender
 */
public record BusFrame(
    String address, @Nullable String reply, String sender, Map<String, String> headers) {

  private static final byte PROTOCOL = 2;

  public static BusFrame to(String address) {
    return new BusFrame(address, null, "nobody", Map.of());
  }

  public BusFrame reply(String to) {
    return new BusFrame(address, to, sender, headers);
  }

  public BusFrame sender(String node) {
    return new BusFrame(address, reply, node, headers);
  }

  public BusFrame headers(Map<String, String> all) {
    return new BusFrame(address, reply, sender, all);
  }

  public Buffer with(JsonObject body) {
    return with(CodecManager.JSON_OBJECT_MESSAGE_CODEC, body);
  }

  /** The frame with its length in front. */
  public <T> Buffer with(MessageCodec<T, ?> codec, T body) {
    Buffer written = Buffer.buffer();
    codec.encodeToWire(written, body);
    return with(codec.systemCodecID(), written);
  }

  /**
   * The same.
   *
   * @param codec the number of one of Vert.x' own codecs
   * @param body as that codec writes it
   */
  public Buffer with(byte codec, Buffer body) {
    Buffer frame = Buffer.buffer().appendByte(PROTOCOL).appendByte(codec).appendByte((byte) 0);
    text(frame, address);
    text(frame, reply == null ? "" : reply);
    text(frame, sender);
    Buffer all = Buffer.buffer();
    headers.forEach(
        (name, value) -> {
          text(all, name);
          text(all, value);
        });
    if (headers.isEmpty()) {
      frame.appendInt(Integer.BYTES);
    } else {
      frame.appendInt(2 * Integer.BYTES + all.length()).appendInt(headers.size()).appendBuffer(all);
    }
    frame.appendBuffer(body);
    return Buffer.buffer().appendInt(frame.length()).appendBuffer(frame);
  }

  private static void text(Buffer to, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    to.appendInt(bytes.length).appendBytes(bytes);
  }

  /**
   * Writes frames to the port of a bus, which reads them in this order. In one piece: a bus that
   * refuses the first of them closes the connection at once.
   */
  public static void write(int port, Buffer... frames) {
    Buffer all = Buffer.buffer();
    for (Buffer frame : frames) {
      all.appendBuffer(frame);
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(all.getBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
