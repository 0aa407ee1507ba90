package dev.mcpbus.bridge;

import io.vertx.core.buffer.Buffer;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP/2 connection over TLS, frame by frame (RFC 9113), for clients that do what no client
 * library would. Headers are written as literals without an index. One thread writes and reads.
 */
final class RawHttp2 implements Closeable {

  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int PRIORITY = 2;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int GO_AWAY = 7;
  static final int WINDOW_UPDATE = 8;
  static final int CONTINUATION = 9;

  static final int ACK = 1;
  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;

  /** In a head's flags: five bytes of it stand before its fields. */
  private static final int HAS_PRIORITY = 0x20;

  /** A setting. */
  static final int INITIAL_WINDOW = 4;

  static final int PROTOCOL_ERROR = 1;
  static final int REFUSED_STREAM = 7;
  static final int ENHANCE_YOUR_CALM = 11;

  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  /** What the bridge sent. */
  record Frame(int type, int flags, int stream, Buffer payload) {

    /** Of RST_STREAM its error code, of GOAWAY the one behind the last stream. */
    int error() {
      return payload.getInt(type == GO_AWAY ? 4 : 0);
    }

    /** Of a head whether its status is 200, which has a number of its own in HPACK. */
    boolean isOk() {
      int first = (flags & HAS_PRIORITY) == 0 ? 0 : 5;
      return type == HEADERS && payload.getByte(first) == (byte) 0x88;
    }

    boolean endsStream() {
      return (type == HEADERS || type == DATA) && (flags & END_STREAM) != 0;
    }
  }

  private final Socket socket;
  private final String authority;
  private final OutputStream out;
  private final DataInputStream in;

  private RawHttp2(Socket socket, int port) throws IOException {
    this.socket = socket;
    this.authority = "localhost:" + port;
    this.out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
    this.in = new DataInputStream(socket.getInputStream());
  }

  /**
   * A TLS connection of which no byte of HTTP has been sent.
   *
   * @param certificate PEM, whom to trust
   * @param protocol by ALPN, such as {@code h2}
   */
  static SSLSocket secure(int port, Path certificate, String protocol)
      throws IOException, GeneralSecurityException {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (InputStream pem = Files.newInputStream(certificate)) {
      trusted.setCertificateEntry(
          "front", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {protocol});
    socket.setSSLParameters(parameters);
    socket.setSoTimeout(20_000);
    socket.startHandshake();
    return socket;
  }

  /** A connection whose settings are {@code settings}, pairs of number and value. */
  static RawHttp2 connect(int port, Path certificate, int... settings)
      throws IOException, GeneralSecurityException {
    RawHttp2 http = new RawHttp2(secure(port, certificate, "h2"), port);
    http.out.write(PREFACE.getBytes(StandardCharsets.US_ASCII));
    ByteBuffer payload = ByteBuffer.allocate(settings.length * 3);
    for (int i = 0; i < settings.length; i += 2) {
      payload.putShort((short) settings[i]).putInt(settings[i + 1]);
    }
    http.send(SETTINGS, 0, 0, payload.array());
    http.flush();
    return http;
  }

  /** Kept until {@link #flush}, or until there is much of it. */
  void send(int type, int flags, int stream, byte... payload) throws IOException {
    ByteBuffer head = ByteBuffer.allocate(9);
    head.put((byte) (payload.length >> 16)).putShort((short) payload.length);
    head.put((byte) type).put((byte) flags).putInt(stream);
    out.write(head.array());
    out.write(payload);
  }

  void flush() throws IOException {
    out.flush();
  }

  /** A whole request without a body. */
  void get(int stream, String path) throws IOException {
    send(HEADERS, END_HEADERS | END_STREAM, stream, head("GET", path));
  }

  /** The header block of a request from an allowed host. */
  byte[] head(String method, String path, String... headers) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    field(block, ":method", method);
    field(block, ":scheme", "https");
    field(block, ":authority", authority);
    field(block, ":path", path);
    for (int i = 0; i < headers.length; i += 2) {
      field(block, headers[i], headers[i + 1]);
    }
    return block.toByteArray();
  }

  /** A literal field, never indexed. */
  static void field(ByteArrayOutputStream block, String name, String value) {
    block.write(0x10);
    text(block, name);
    text(block, value);
  }

  private static void text(ByteArrayOutputStream block, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    int rest = bytes.length;
    if (rest < 127) {
      block.write(rest);
    } else {
      block.write(127);
      rest -= 127;
      while (rest >= 128) {
        block.write(rest % 128 + 128);
        rest /= 128;
      }
      block.write(rest);
    }
    block.writeBytes(bytes);
  }

  /** The next frame; null where the bridge has closed. */
  @Nullable Frame read() throws IOException {
    try {
      int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int stream = in.readInt();
      return new Frame(type, flags, stream, Buffer.buffer(in.readNBytes(length)));
    } catch (EOFException | SocketException closed) {
      return null;
    }
  }

  /** The next frame of that type, past all others; null where the bridge closes before. */
  @Nullable Frame await(int type) throws IOException {
    Frame frame = read();
    while (frame != null && frame.type() != type) {
      frame = read();
    }
    return frame;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
