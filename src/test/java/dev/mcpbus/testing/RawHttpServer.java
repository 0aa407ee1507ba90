package dev.mcpbus.testing;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP server that says exactly the bytes it is told to, on loopback, one thread per connection.
 * What a script throws ends its connection; {@link #close()} ends all.
 */
public final class RawHttpServer implements AutoCloseable {

  /** Plays one connection from its first byte to its last. */
  @FunctionalInterface
  public interface Script {
    void play(Peer peer) throws IOException;
  }

  /** Answers one request of a connection that is kept alive. */
  @FunctionalInterface
  public interface Answer {
    void to(Request request, Peer peer) throws IOException;
  }

  /**
   * What a client sent.
   *
   * @param headers by name in lower case
   */
  public record Request(String method, String path, Map<String, String> headers, String body) {

    private static final Pattern ID = Pattern.compile("\"id\":(\\d+)");

    /** The number after the first {@code "id":}, or -1. */
    public long id() {
      Matcher matcher = ID.matcher(body);
      return matcher.find() ? Long.parseLong(matcher.group(1)) : -1;
    }

    public boolean calls(String rpcMethod) {
      return body.contains("\"method\":\"" + rpcMethod + "\"");
    }
  }

  private final ServerSocket server;
  private final Script script;
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();
  private final Thread acceptor = new Thread(this::accept);

  private RawHttpServer(InetAddress host, int port, Script script) throws IOException {
    this.server = new ServerSocket();
    this.server.setReuseAddress(true);
    this.server.bind(new InetSocketAddress(host, port), 200);
    this.script = script;
  }

  public static RawHttpServer start(Script script) {
    return start("127.0.0.1", 0, script);
  }

  /**
   * @param host an address of loopback
   * @param port one that is free, or 0
   */
  public static RawHttpServer start(String host, int port, Script script) {
    try {
      RawHttpServer server = new RawHttpServer(InetAddress.getByName(host), port, script);
      server.acceptor.setName("raw-http-" + server.port());
      server.acceptor.setDaemon(true);
      server.acceptor.start();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Answers request after request, for as long as the client keeps the connection. */
  public static RawHttpServer answering(Answer answer) {
    return answering("127.0.0.1", 0, answer);
  }

  /** The same at a place of the test's choice. */
  public static RawHttpServer answering(String host, int port, Answer answer) {
    return start(
        host,
        port,
        peer -> {
          while (true) {
            answer.to(peer.read(), peer);
          }
        });
  }

  /** A port of loopback on which nobody listens. */
  public static int refusingPort() {
    return FreePorts.one();
  }

  public int port() {
    return server.getLocalPort();
  }

  public URI url() {
    return URI.create("http://127.0.0.1:" + port() + "/mcp");
  }

  /** All requests so far, in the order read. */
  public List<Request> requests() {
    return List.copyOf(requests);
  }

  public List<Request> requests(String method) {
    return requests.stream().filter(request -> request.method().equals(method)).toList();
  }

  /** Connections accepted so far. */
  public int accepted() {
    return accepted.get();
  }

  /** Connections that neither side has closed yet. */
  public int open() {
    return open.size();
  }

  /** After it nobody listens; {@link #open()} says when the connections have ended too. */
  @Override
  public void close() {
    try {
      server.close();
      // A close only wakes the thread that accepts; the port is closed once that has left.
      acceptor.join(10_000);
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        open.add(socket);
        accepted.incrementAndGet();
        Thread thread = new Thread(() -> play(socket), "raw-http-peer");
        thread.setDaemon(true);
        thread.start();
      } catch (IOException e) {
        return;
      }
    }
  }

  private void play(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      script.play(new Peer(socket));
    } catch (IOException e) {
      // the end of this connection
    } finally {
      open.remove(socket);
    }
  }

  /** The server's side of one connection. */
  public final class Peer {

    private final Socket socket;
    private final InputStream in;

    private Peer(Socket socket) throws IOException {
      this.socket = socket;
      this.in = new java.io.BufferedInputStream(socket.getInputStream());
    }

    /**
     * Reads one request with its body.
     *
     * @throws EOFException where the client has closed
     */
    public Request read() throws IOException {
      String[] first = line().split(" ", 3);
      Map<String, String> headers = new TreeMap<>();
      for (String line = line(); !line.isEmpty(); line = line()) {
        int colon = line.indexOf(':');
        headers.put(
            line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
      }
      int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
      String body = new String(in.readNBytes(length), StandardCharsets.UTF_8);
      Request request = new Request(first[0], first[1], headers, body);
      requests.add(request);
      return request;
    }

    public void send(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
    }

    public void send(String text) throws IOException {
      send(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A status line, the given header lines, the right Content-Length and the body. */
    public void reply(String status, String body, String... headers) throws IOException {
      String[] all = Arrays.copyOf(headers, headers.length + 1);
      all[headers.length] = "Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length;
      head(status, all);
      send(body);
    }

    /** A status line and header lines alone; the body is the script's matter. */
    public void head(String status, String... headers) throws IOException {
      StringBuilder head = new StringBuilder("HTTP/1.1 " + status + "\r\n");
      for (String header : headers) {
        head.append(header).append("\r\n");
      }
      send(head.append("\r\n").toString());
    }

    public void json(String body, String... headers) throws IOException {
      String[] all = Arrays.copyOf(headers, headers.length + 1);
      all[headers.length] = "Content-Type: application/json";
      reply("200 OK", body, all);
    }

    /** The result {@code {"n":id}} of a request. */
    public void result(long id) throws IOException {
      json(resultOf(id));
    }

    /** The head of an event stream, chunked; {@link #chunk} goes on. */
    public void stream() throws IOException {
      head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked");
    }

    public void chunk(String text) throws IOException {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      send(Integer.toHexString(bytes.length) + "\r\n" + text + "\r\n");
    }

    /** Ends a chunked body. */
    public void end() throws IOException {
      send("0\r\n\r\n");
    }

    /** Sends byte after byte, {@code micros} apart. */
    public void drip(String text, long micros) throws IOException {
      for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
        send(new byte[] {b});
        LockSupport.parkNanos(micros * 1_000);
      }
    }

    /** Ends the connection in order. */
    public void close() throws IOException {
      socket.close();
      throw new EOFException("closed by the script");
    }

    /** Ends the connection with RST. */
    public void reset() throws IOException {
      socket.setSoLinger(true, 0);
      close();
    }

    /** Says nothing until the client closes. */
    public void silence() throws IOException {
      in.transferTo(java.io.OutputStream.nullOutputStream());
      throw new EOFException("closed by the client");
    }

    /** Lets the client read what was sent so far. */
    public void silenceFor(long millis) {
      LockSupport.parkNanos(millis * 1_000_000);
    }

    private String line() throws IOException {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      for (int b = in.read(); b != '\n'; b = in.read()) {
        if (b < 0) {
          throw new EOFException("closed by the client");
        }
        if (b != '\r') {
          line.write(b);
        }
      }
      return line.toString(StandardCharsets.UTF_8);
    }
  }

  public static String resultOf(long id) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{\"n\":" + id + "}}";
  }

  public static String errorOf(@Nullable Object id, int code, String message) {
    return "{\"jsonrpc\":\"2.0\",\"id\":"
        + id
        + ",\"error\":{\"code\":"
        + code
        + ",\"message\":\""
        + message
        + "\"}}";
  }

  public static String notification(String method) {
    return "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\"}";
  }
}
