package dev.mcpbus.gateway.http;

import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.RawBuffers;
import dev.mcpbus.security.Admission;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The response to one message of a JSON-RPC batch (MCP 2025-03-26, Streamable HTTP). The messages
 * of a batch have one HTTP response: a stream of events if the client accepts one, else an array.
 * It ends when the last of them is answered. Confined to the context of the HTTP verticle.
 */
final class BatchedReply extends HttpReply {

  /** The HTTP response of a whole batch. */
  private static final class Batch {
    private final HttpReply whole;
    private final boolean streams;
    private final List<Runnable> gone = new ArrayList<>();
    private final List<Buffer> answers = new ArrayList<>();
    private final Runnable done;
    private boolean answered;
    private int paid;
    private int open;

    Batch(HttpReply whole, boolean streams, int open, Runnable done) {
      this.whole = whole;
      this.streams = streams;
      this.open = open;
      this.done = done;
      whole.onGone(
          () -> {
            done.run();
            giveBack();
            gone.forEach(Runnable::run);
          });
    }

    /** The answers of an array wait for the last one. */
    boolean pays(int length) {
      boolean paying = streams || whole.unread.take(length);
      paid += paying && !streams ? length : 0;
      return paying;
    }

    private void giveBack() {
      whole.unread.give(paid);
      paid = 0;
    }

    void event(byte[] json) {
      answered = true;
      whole.event(null, json);
    }

    void ended(@Nullable Buffer answer) {
      if (answer != null && streams) {
        event(answer.getBytes());
      } else if (answer != null) {
        answers.add(answer);
      }
      if (--open > 0) {
        return;
      }
      done.run();
      giveBack();
      if (!answers.isEmpty()) {
        whole.answer(200, array(), null);
      } else if (answered) {
        whole.end();
      } else {
        whole.status(202);
      }
    }

    private Buffer array() {
      Buffer all = Buffer.buffer("[");
      for (Buffer answer : answers) {
        all.appendString(all.length() == 1 ? "" : ",").appendBuffer(answer);
      }
      return all.appendString("]");
    }
  }

  private final Batch batch;
  private Runnable ended = () -> {};
  private boolean over;

  private BatchedReply(
      HttpServerRequest request, Admission admission, ByteBudget budget, Batch batch) {
    super(request, batch.streams, admission, budget);
    this.batch = batch;
  }

  /**
   * The responses to the messages of a batch.
   *
   * @param whole the response to the HTTP request
   * @param streams whether the client accepts a stream
   * @param done runs once, when all are answered or the client is gone
   */
  static List<BatchedReply> of(
      HttpReply whole,
      HttpServerRequest request,
      boolean streams,
      Admission admission,
      ByteBudget budget,
      int size,
      Runnable done) {
    Batch batch = new Batch(whole, streams, size, done);
    List<BatchedReply> replies = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      replies.add(new BatchedReply(request, admission, budget, batch));
    }
    return replies;
  }

  /** Runs {@code run} when the message has its answer, or its client is gone. */
  void onEnded(Runnable run) {
    ended = run;
  }

  private void ended(@Nullable Buffer answer) {
    if (!over) {
      over = true;
      ended.run();
      batch.ended(
          answer == null || batch.pays(answer.length())
              ? answer
              : RawBuffers.of(unpaid(answer.length())));
    }
  }

  @Override
  HttpReply onGone(Runnable run) {
    batch.gone.add(
        () -> {
          if (!over) {
            over = true;
            ended.run();
            run.run();
          }
        });
    return this;
  }

  @Override
  HttpReply onStream(Runnable begun) {
    return this;
  }

  @Override
  boolean isOver() {
    return over || batch.whole.isOver();
  }

  @Override
  void header(CharSequence name, String value) {}

  @Override
  void repeated(int times) {}

  @Override
  void event(@Nullable String id, byte[] json) {
    if (!isOver()) {
      batch.event(json);
    }
  }

  @Override
  void answer(int status, byte[] json, @Nullable String id) {
    ended(RawBuffers.of(json));
  }

  @Override
  void answer(int status, Buffer json, @Nullable String id) {
    ended(json);
  }

  @Override
  void status(int status) {
    ended(null);
  }

  @Override
  void end() {
    ended(null);
  }

  /** The response of the whole batch is checked, and kept alive. */
  @Override
  void check() {}

  @Override
  void beat() {}
}
