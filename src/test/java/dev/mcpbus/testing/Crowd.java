package dev.mcpbus.testing;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Thousands of HTTP/1.1 clients with a connection each, that say what they are told and wait. */
public final class Crowd implements AutoCloseable {

  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.1 (\\d{3})");
  private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: (\\d+)");
  private static final int AT_A_TIME = 50;

  /** One of them. Used on its socket's context. */
  public static final class One {
    private final NetSocket socket;
    private final int port;
    private Buffer heard = Buffer.buffer();
    private Promise<String> next = Promise.promise();

    private One(NetSocket socket, int port) {
      this.socket = socket;
      this.port = port;
      socket.handler(this::hear);
    }

    private void hear(Buffer bytes) {
      if (next.future().isComplete()) {
        return; // events of a stream
      }
      String text = heard.appendBuffer(bytes).toString();
      int head = text.indexOf("\r\n\r\n");
      Matcher length = LENGTH.matcher(text);
      int body = head >= 0 && length.find() ? Integer.parseInt(length.group(1)) : 0;
      if (head >= 0 && heard.length() >= head + 4 + body) {
        heard = Buffer.buffer();
        next.complete(text);
      }
    }

    /** Sends a request; gives the head of the answer, and its body where that has a length. */
    public Future<String> say(String request) {
      next = Promise.promise();
      Future<String> answer = next.future();
      return socket
          .write(request.replace("PORT", Integer.toString(port)))
          .compose(sent -> answer.timeout(60, TimeUnit.SECONDS));
    }
  }

  private final Vertx vertx = Vertx.vertx();
  private final NetClient client = vertx.createNetClient();
  private final Queue<NetSocket> sockets = new ConcurrentLinkedQueue<>();
  private final int port;

  public Crowd(int port) {
    this.port = port;
  }

  /** One more, and what it does; gives what that gives. */
  public <T> Future<T> join(Function<One, Future<T>> act) {
    return client
        .connect(port, "127.0.0.1")
        .compose(
            socket -> {
              sockets.add(socket);
              return act.apply(new One(socket, port));
            });
  }

  /** Many more, who all do the same; gives what each has got. */
  public List<String> join(int count, Function<One, Future<String>> act) {
    Queue<String> answers = new ConcurrentLinkedQueue<>();
    AtomicInteger left = new AtomicInteger(count);
    List<Future<Void>> lanes = new ArrayList<>();
    for (int i = 0; i < AT_A_TIME; i++) {
      lanes.add(lane(left, act, answers));
    }
    TestBus.await(Future.all(lanes));
    return List.copyOf(answers);
  }

  private Future<Void> lane(
      AtomicInteger left, Function<One, Future<String>> act, Queue<String> answers) {
    return left.getAndDecrement() <= 0
        ? Future.succeededFuture()
        : join(act)
            .compose(
                answer -> {
                  answers.add(answer);
                  return lane(left, act, answers);
                });
  }

  public static int status(String answer) {
    Matcher found = STATUS.matcher(answer);
    return found.lookingAt() ? Integer.parseInt(found.group(1)) : 0;
  }

  /** The GET of a stream. */
  public static String get(String path, String... headers) {
    return "GET "
        + path
        + " HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAccept: text/event-stream\r\n"
        + String.join("", headers)
        + "\r\n";
  }

  public static String post(String path, String body, String... headers) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Type: application/json\r\n"
        + "Accept: application/json, text/event-stream\r\nContent-Length: "
        + body.length()
        + "\r\n"
        + String.join("", headers)
        + "\r\n"
        + body;
  }

  /** All go away at once. */
  @Override
  public void close() {
    sockets.forEach(NetSocket::close);
    TestBus.await(vertx.close());
  }
}
