package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.ForcedClose;
import dev.mcpbus.internals.RawBuffers;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Admission;
import dev.mcpbus.security.RequestSource;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The response to one HTTP request: a JSON body, or a stream of events if messages come before the
 * answer. Its caller pays for what the client has not read yet; what the caller cannot pay is
 * answered with an error. It closes the connection of a client that does not read. Confined to the
 * context of the HTTP verticle.
 */
public class HttpReply {

  /** Most bytes that a client has not read yet, for a response and for a standing stream. */
  private static final int MAX_QUEUED = 8 * 1024 * 1024;

  private static final int MAX_QUEUED_STANDING = 1024 * 1024;

  /** A client that takes nothing of what waits for it for so many beats (30 s) is cut off. */
  static final int PATIENCE = 6;

  /** After this the response becomes a stream with comments, which keep the connection open. */
  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");

  private static final Buffer COMMENT = Buffer.buffer(": \n\n");

  private final HttpServerRequest request;
  private final HttpServerResponse http;
  private final boolean mayStream;
  private final Admission admission;

  /** Pays for what the client has not read. */
  final ByteBudget.ByteAccount unread;

  private Runnable gone = () -> {};
  private Future<?> call = Future.succeededFuture();
  private final long since = System.nanoTime();
  private @Nullable Runnable streaming;
  private @Nullable RawJson requestId;
  private String method = "";
  private boolean knowsEnds;
  private boolean resumable;
  private boolean prefersStream;
  private boolean stream;
  private boolean standing;
  private boolean over;
  private long queued;
  private long taken;
  private long seen;
  private int stuck;

  /**
   * @param mayStream whether the client accepts a stream
   * @param admission a stream ends when it ends
   */
  HttpReply(HttpServerRequest request, boolean mayStream, Admission admission, ByteBudget budget) {
    this.request = request;
    this.http = request.response();
    this.mayStream = mayStream;
    this.admission = admission;
    this.unread = budget.account(ByteBudget.ByteUse.ANSWERS, admission.principal().name());
  }

  /** Runs {@code run} if the client closes the response before its end. */
  HttpReply onGone(Runnable run) {
    gone = run;
    admission.onLeft(
        () -> {
          if (!over && !http.ended()) {
            over = true;
            gone.run();
          }
        });
    return this;
  }

  /** Whether the client accepts a stream. */
  boolean mayStream() {
    return mayStream;
  }

  /** The client wants the answer, too, as an event of a stream. An error of HTTP stays JSON. */
  void preferStream() {
    prefersStream = true;
  }

  /** Runs {@code begun} when the response becomes a stream. */
  HttpReply onStream(Runnable begun) {
    streaming = begun;
    return this;
  }

  /** The response answers that JSON-RPC request; keeps nothing of its params. */
  void answers(Envelope request) {
    requestId = request.id();
    method = request.method();
    knowsEnds = method.equals(Methods.LISTEN) && AuthorizationEnd.isKnownBy(request);
  }

  /** The request causes {@code call}, which uses its body, its client there or not. */
  void causes(Future<?> call) {
    this.call = call;
    admission.useUntil(call);
  }

  /** When the request arrived, and where its client waits. */
  CallOrigin origin() {
    return admission.origin();
  }

  /** Where the request came from. */
  RequestSource source() {
    return admission.source();
  }

  boolean isOver() {
    return over || http.closed() || http.ended();
  }

  void header(CharSequence name, String value) {
    http.putHeader(name, value);
  }

  /** Says that the call was made again so many times, unless the response is a stream already. */
  void repeated(int times) {
    if (times > 0 && !stream && !isOver()) {
      http.putHeader(CallHeaders.HTTP_REPEATED, Integer.toString(times));
    }
  }

  /** Makes it a standing stream: one without an answer at its end. */
  HttpReply standing() {
    standing = true;
    return this;
  }

  boolean isStanding() {
    return standing;
  }

  /** Makes it a stream. */
  void open() {
    if (stream || isOver()) {
      return;
    }
    stream = true;
    http.setStatusCode(200)
        .putHeader("Content-Type", "text/event-stream")
        .putHeader("Cache-Control", "no-cache, no-transform")
        .putHeader("X-Accel-Buffering", "no")
        .setChunked(true);
    http.writeHead();
    if (streaming != null) {
      streaming.run();
    }
  }

  /** Writes an event id without a message: a client can continue after it. */
  void prime(String id) {
    if (!isOver()) {
      resumable = true;
      admission.awaitUntil(call);
      write(Buffer.buffer("id: " + id + "\ndata: \n\n"));
    }
  }

  /** Writes an event that is no JSON-RPC message. */
  void named(String event, String data) {
    if (!isOver()) {
      write(Buffer.buffer("event: " + event + "\ndata: " + data + "\n\n"));
    }
  }

  /** Writes a message before the answer; drops it if the client accepts no stream. */
  void event(@Nullable String id, byte[] json) {
    if (mayStream && !isOver()) {
      open();
      write(framed(id, json));
    }
  }

  void answer(int status, byte[] json, @Nullable String id) {
    answer(status, RawBuffers.of(json), id);
  }

  /** Writes the answer and ends the response; {@code json} must not change any more. */
  void answer(int status, Buffer json, @Nullable String id) {
    if (isOver()) {
      return;
    }
    int length = json.length();
    boolean paid = unread.take(length);
    if (!paid && !stream) {
      http.putHeader(HttpHeaders.RETRY_AFTER, "1");
    }
    Buffer body = paid ? json : RawBuffers.of(unpaid(length));
    if (prefersStream && paid && status == 200) {
      streaming = null; // it begins with its answer: nothing is to be resumed
      open();
    }
    if (stream) {
      write(framed(id, body.getBytes()), paid ? length : 0);
      end();
      return;
    }
    over = true;
    http.setStatusCode(paid ? status : 503).putHeader(HttpHeaders.CONTENT_TYPE, JSON);
    (RawBuffers.isWhole(body) ? http.end(body) : end(body))
        .onComplete(written -> unread.give(paid ? length : 0));
  }

  /** The error in place of an answer of that length, for which there is no room. */
  final byte[] unpaid(int length) {
    McpFailure unpaid = McpFailure.unpaid(McpFailure.Sent.MAYBE, unread.refusal(length));
    return McpErrors.message(requestId, unpaid);
  }

  /**
   * Answers the request with that failure, because the HTTP server closes; does nothing for a
   * response to no request.
   *
   * @param eventId of the answer on a stream
   */
  void giveUp(McpFailure failure, @Nullable String eventId) {
    if (requestId != null) {
      answer(200, McpErrors.message(requestId, failure), eventId);
    }
  }

  /**
   * Answers with an error.
   *
   * @param id of the request, null where it is not known
   */
  void refuse(int status, @Nullable RawJson id, McpFailure failure) {
    answer(status, McpErrors.message(id, failure), null);
  }

  /** Writes the pieces of a long message one by one: one buffer would be a copy. */
  private Future<Void> end(Buffer json) {
    http.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(json.length()));
    RawBuffers.pieces(json).forEach(http::write);
    return http.end();
  }

  /** Ends the response without a body. */
  void status(int status) {
    if (!isOver()) {
      over = true;
      http.setStatusCode(status).end();
    }
  }

  /** Ends the response as a stream. */
  void end() {
    if (isOver()) {
      return;
    }
    if (!stream) {
      open();
    }
    over = true;
    http.end();
  }

  /** Bytes that the connection has not taken yet, and those that it has. */
  long queued() {
    return queued;
  }

  long taken() {
    return taken;
  }

  /**
   * Ends a stream whose credential has ended, as if the client had closed it; one that may stay
   * open for long also if the client's rights have changed ({@link AuthorizationEnd}). Another
   * request that is still open fails, unless the stream is resumable: then the client comes back
   * for the answer with a valid credential. Runs every second.
   */
  void check() {
    if (!stream || isOver()) {
      return;
    }
    boolean lasts = standing || (requestId != null && Methods.mayStream(method));
    String why = lasts ? admission.changed() : admission.ended();
    if (why == null) {
      return;
    }
    if (queued > 0) {
      ForcedClose.on(request);
      return;
    }
    over = true;
    http.end(last(why));
    gone.run();
  }

  private Buffer last(String why) {
    RawJson id = requestId;
    Buffer comment = Buffer.buffer(": " + why + "\n\n");
    if (id == null || resumable) {
      return comment;
    }
    List<byte[]> defined = AuthorizationEnd.messages(method, id, knowsEnds, admission.endReason());
    if (defined == null) {
      return framed(null, McpErrors.message(id, ended(why)));
    }
    defined.forEach(message -> comment.appendBuffer(framed(null, message)));
    return comment;
  }

  private static McpFailure ended(String why) {
    return McpFailure.maybeSent(
        FailureCode.FORBIDDEN,
        why + "; log in again and repeat the request, which may have been carried out");
  }

  /** Keeps a response alive, and closes the connection of a client that does not read. */
  void beat() {
    if (isOver() || !mayStream) {
      return;
    }
    if (!stream && System.nanoTime() - since > SILENCE_NANOS) {
      open();
    }
    if (!stream) {
      return;
    }
    stuck = queued > 0 && taken == seen ? stuck + 1 : 0;
    seen = taken;
    if (stuck > PATIENCE) {
      ForcedClose.on(request);
    } else if (queued == 0) {
      write(COMMENT);
    }
  }

  private void write(Buffer bytes) {
    int length = bytes.length();
    if (queued > (standing ? MAX_QUEUED_STANDING : MAX_QUEUED) || !unread.take(length)) {
      ForcedClose.on(request);
    } else {
      write(bytes, length);
    }
  }

  private void write(Buffer bytes, int paid) {
    int length = bytes.length();
    queued += length;
    http.write(bytes)
        .onComplete(
            written -> {
              queued -= length;
              unread.give(paid);
              taken += length;
            });
  }

  /** Line breaks between tokens would end the line; in strings JSON has none. */
  private static Buffer framed(@Nullable String id, byte[] json) {
    Buffer out = Buffer.buffer(json.length + 48);
    if (id != null) {
      out.appendString("id: " + id + "\n");
    }
    out.appendString("event: message\ndata: ");
    int from = out.length();
    out.appendBytes(json);
    for (int i = 0; i < json.length; i++) {
      if (json[i] == '\n' || json[i] == '\r') {
        out.setByte(from + i, (byte) ' ');
      }
    }
    return out.appendBytes("\n\n".getBytes(StandardCharsets.US_ASCII));
  }
}
