package dev.mcpbus.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A name server on loopback that knows one IPv4 address for every name, which may change. */
public final class TinyDns implements AutoCloseable {

  private static final int HEADER = 12;
  private static final short NO_ERROR = (short) 0x8180;

  private final DatagramSocket socket;
  private final int ttlSeconds;
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private volatile byte[] address;

  /**
   * @param ttlSeconds how long its answers may be kept
   */
  public TinyDns(String address, int ttlSeconds) {
    this.ttlSeconds = ttlSeconds;
    this.address = bytes(address);
    try {
      socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Thread thread = new Thread(this::serve, "tiny-dns");
    thread.setDaemon(true);
    thread.start();
  }

  public String place() {
    return "127.0.0.1:" + socket.getLocalPort();
  }

  public void moveTo(String other) {
    address = bytes(other);
  }

  /** Names that were asked for, in order. */
  public List<String> asked() {
    return List.copyOf(asked);
  }

  private void serve() {
    byte[] buffer = new byte[1_500];
    while (!socket.isClosed()) {
      try {
        DatagramPacket question = new DatagramPacket(buffer, buffer.length);
        socket.receive(question);
        byte[] answer = answer(ByteBuffer.wrap(buffer, 0, question.getLength()));
        socket.send(new DatagramPacket(answer, answer.length, question.getSocketAddress()));
      } catch (IOException e) {
        return;
      }
    }
  }

  /** The question again, with an A record where one was asked for. */
  private byte[] answer(ByteBuffer question) {
    int end = HEADER;
    StringBuilder name = new StringBuilder();
    for (int length = question.get(end); length > 0; length = question.get(end)) {
      name.append(name.length() == 0 ? "" : ".");
      for (int i = 1; i <= length; i++) {
        name.append((char) question.get(end + i));
      }
      end += 1 + length;
    }
    asked.add(name.toString());
    boolean wantsIpv4 = question.getShort(end + 1) == 1;
    end += 5;
    ByteBuffer answer = ByteBuffer.allocate(end + 16);
    answer.put(question.slice(0, end));
    answer.putShort(2, NO_ERROR).putShort(6, (short) (wantsIpv4 ? 1 : 0)).putInt(8, 0);
    if (wantsIpv4) {
      answer.putShort((short) 0xc00c).putShort((short) 1).putShort((short) 1);
      answer.putInt(ttlSeconds).putShort((short) 4).put(address);
    }
    answer.flip();
    byte[] bytes = new byte[answer.remaining()];
    answer.get(bytes);
    return bytes;
  }

  private static byte[] bytes(String address) {
    try {
      return InetAddress.getByName(address).getAddress();
    } catch (UnknownHostException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    socket.close();
  }
}
