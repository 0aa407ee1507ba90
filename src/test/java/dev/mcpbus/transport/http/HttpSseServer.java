package dev.mcpbus.transport.http;

import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.RawHttpServer.Peer;
import dev.mcpbus.testing.RawHttpServer.Request;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server of the HTTP+SSE kind: {@code GET /sse} is the stream, posts are the test's matter. */
final class HttpSseServer {

  /** Answers one POST. */
  @FunctionalInterface
  interface Posts {
    void to(Request request, Peer peer, Stream stream) throws IOException;
  }

  private final RawHttpServer http;
  private final Posts posts;
  private final Map<String, String> redirects = new ConcurrentHashMap<>();
  private volatile String endpoint = "/messages?sessionId=7";
  private volatile String greeting = "";
  private volatile String refusal = "404 Not Found";
  private volatile @Nullable String error;
  private volatile @Nullable Stream stream;

  HttpSseServer(Posts posts) {
    this.posts = posts;
    this.http = RawHttpServer.answering(this::answer);
  }

  RawHttpServer http() {
    return http;
  }

  URI url() {
    return http.url().resolve("/sse");
  }

  void endpoint(String data) {
    endpoint = data;
  }

  /** Sent in one piece with the endpoint event. */
  void greeting(String events) {
    greeting = events;
  }

  /** The status of a message that is posted to the stream's own URL. */
  void refusal(String status) {
    refusal = status;
  }

  /** The same with a JSON-RPC error as the body. */
  void refusal(String status, String body) {
    refusal = status;
    error = body;
  }

  void redirect(String from, String to) {
    redirects.put(from, to);
  }

  /** The stream that was opened last. */
  Stream stream() {
    Stream open = stream;
    if (open == null) {
      throw new AssertionError("no stream is open");
    }
    return open;
  }

  private void answer(Request request, Peer peer) throws IOException {
    String to = redirects.get(request.path());
    if (to != null) {
      peer.reply("307 Temporary Redirect", "", "Location: " + to);
    } else if (request.method().equals("GET")) {
      stream = new Stream(peer);
      peer.stream();
      peer.chunk("event: endpoint\ndata: " + endpoint + "\n\n" + greeting);
      stream().awaitClose();
      peer.end();
      peer.close();
    } else if (request.path().equals("/sse")) {
      String body = error;
      if (body != null) {
        peer.reply(refusal, body, "Content-Type: application/json");
        return;
      }
      peer.reply(refusal, "<pre>Cannot POST /sse</pre>", "Content-Type: text/html");
    } else {
      posts.to(request, peer, stream());
    }
  }

  /** The open stream. */
  static final class Stream {

    private final Peer peer;
    private final CountDownLatch closing = new CountDownLatch(1);

    private Stream(Peer peer) {
      this.peer = peer;
    }

    synchronized void event(String type, String data) throws IOException {
      peer.chunk("event: " + type + "\ndata: " + data + "\n\n");
    }

    void close() {
      closing.countDown();
    }

    private void awaitClose() throws IOException {
      try {
        while (!closing.await(20, TimeUnit.MILLISECONDS)) {
          synchronized (this) {
            peer.chunk(": still here\n\n");
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
