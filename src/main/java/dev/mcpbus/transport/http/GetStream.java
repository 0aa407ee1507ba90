package dev.mcpbus.transport.http;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The GET stream of a session, for messages that belong to no request. It reconnects as long as the
 * channel is open and the server offers the stream; a server without it costs one request.
 *
 * <p>Some servers handle one HTTP request at a time: while the stream is open, each POST hangs or
 * is refused. So there is a rule. Until the server has answered a POST beside the open stream, a
 * POST that waits 2 s, or is refused as by a busy server (409, 423, 429, 5xx), makes mcpbus ask
 * with one ping and close the stream if that has no answer in 2 s either. If the ping is answered
 * then, twice in a row, the second time with no POST on its way, the stream stays off for an hour
 * ({@link GetStreamMemory}); in any other case it is opened again.
 *
 * <p>No message of a caller is repeated. Confined to the owner context of its channel.
 */
final class GetStream implements EventStream.StreamListener {

  private static final Logger LOG = LoggerFactory.getLogger(GetStream.class);

  private static final long PATIENCE_MILLIS = 2_000;
  private static final long REST_MILLIS = 30_000;
  private static final long MAX_BACKOFF_MILLIS = 60_000;
  private static final int MAX_TRIALS = 5;

  /**
   * A ping that is refused is sent anew: the server may not have seen that the stream is closed.
   */
  private static final int MAX_PINGS = 10;

  private static final RawJson PING_ID = RawJson.string("mcpbus-probe");

  private static final byte[] PING =
      "{\"jsonrpc\":\"2.0\",\"id\":\"mcpbus-probe\",\"method\":\"ping\"}"
          .getBytes(StandardCharsets.UTF_8);

  private enum State {
    /** The server has not yet answered a POST beside the stream. */
    UNPROVEN,
    /** A ping is on its way, first beside the stream and then without it. */
    TRIAL,
    /** The server has answered without the stream, which comes back when no POST is on its way. */
    CLOSED,
    /** The server answers beside the stream. */
    PROVEN,
    /** The session has no stream. */
    OFF
  }

  private final HttpChannel channel;
  private final GetStreamMemory memory;

  /** POSTs without an answer, and whether the stream is open since they were sent. */
  private final Map<HttpExchange, Boolean> unanswered = new LinkedHashMap<>();

  private State state = State.UNPROVEN;

  /** Null until the stream is asked for. */
  private @Nullable EventStream stream;

  private @Nullable HttpExchange ping;
  private @Nullable String off;
  private boolean wasOpen;
  private boolean alone;
  private boolean disturbed;
  private boolean resting;
  private int trials;
  private int pings;
  private int rests;
  private long timer = -1;

  GetStream(HttpChannel channel, GetStreamMemory memory) {
    this.channel = channel;
    this.memory = memory;
  }

  /** Asks for the stream, unless it is there or the endpoint is known to have none. */
  void open() {
    if (stream != null || state == State.OFF) {
      return;
    }
    off = memory.off(channel.endpoint(), InstantSource.system().millis());
    if (off != null) {
      state = State.OFF;
      return;
    }
    stream = new EventStream(channel, this);
    stream.get();
  }

  void stop() {
    state = State.OFF;
    endTrial();
    unanswered.clear();
    if (stream != null) {
      stream.stop();
    }
  }

  /** Stops reading, or goes on with it. */
  void hold(boolean paused) {
    if (stream != null) {
      stream.hold(paused);
    }
  }

  boolean isOpen() {
    return stream != null && stream.isOpen();
  }

  boolean hasPosition() {
    return stream != null && stream.position().lastId() != null;
  }

  /** Why the session has no stream, or null. */
  @Nullable String off() {
    return off;
  }

  private boolean watches() {
    return state != State.PROVEN && state != State.OFF;
  }

  /** 409, 423, and what servers say that have no place for a second request. */
  private static boolean refuses(int status) {
    return status == 409 || status == 423 || status == 429 || status >= 500;
  }

  private static boolean isPing(HttpExchange exchange) {
    return exchange.isQuestion() && Methods.PING.equals(exchange.message().method());
  }

  /** A POST was written. */
  void posted(HttpExchange exchange) {
    if (watches() && !isPing(exchange)) {
      unanswered.put(exchange, isOpen());
      disturbed = true;
      watch();
    }
  }

  /** The head of its answer is there; of a ping that is all that matters. */
  void answered(HttpExchange exchange, int status) {
    if (isPing(exchange)) {
      exchange.end(null);
      if (state == State.TRIAL && exchange == ping) {
        pingAnswered(refuses(status));
      }
    } else if (watches()) {
      boolean beside = isOpen() && Boolean.TRUE.equals(unanswered.get(exchange));
      if (beside && !refuses(status)) {
        proven();
      } else {
        if (beside && state == State.UNPROVEN && !resting) {
          tryPing();
        }
        gone(exchange);
      }
    }
  }

  /** The server has answered the POST, or its caller has given up. */
  void gone(HttpExchange exchange) {
    if (unanswered.remove(exchange) != null) {
      reopenIfIdle();
    }
  }

  private void proven() {
    state = State.PROVEN;
    endTrial();
    unanswered.clear();
  }

  /** Gives the oldest POST its time. */
  private void watch() {
    if (state != State.UNPROVEN || timer >= 0 || unanswered.isEmpty() || !isAsked()) {
      return;
    }
    HttpExchange oldest = unanswered.keySet().iterator().next();
    after(
        PATIENCE_MILLIS,
        () -> {
          if (unanswered.containsKey(oldest) && isAsked()) {
            tryPing();
          } else {
            watch();
          }
        });
  }

  private boolean isAsked() {
    return stream != null && stream.isAsked();
  }

  /** A trial begins, with the stream open or asked for. */
  private void tryPing() {
    state = State.TRIAL;
    trials++;
    disturbed = !unanswered.isEmpty();
    alone = false;
    pings = 0;
    sendPing();
  }

  private void sendPing() {
    ping =
        channel.question(
            OutboundMessage.passedOn(-2, PING_ID, Methods.PING, PING.clone(), List.of()),
            said -> {});
    after(PATIENCE_MILLIS, this::pingIsLate);
  }

  private void pingAnswered(boolean refused) {
    if (refused && !alone) {
      closeStream();
      sendPing();
    } else if (refused && ++pings < MAX_PINGS) {
      after(PATIENCE_MILLIS / MAX_PINGS, this::sendPing);
    } else if (!refused && alone) {
      blamed();
    } else if (!refused && isOpen()) {
      proven();
    } else {
      rest();
    }
  }

  private void pingIsLate() {
    if (alone) {
      rest();
    } else {
      closeStream();
      after(PATIENCE_MILLIS, this::pingIsLate);
    }
  }

  private void closeStream() {
    alone = true;
    unanswered.replaceAll((exchange, beside) -> false);
    if (stream != null) {
      stream.suspend();
    }
  }

  /** The ping was answered as soon as the stream was closed. */
  private void blamed() {
    endTrial();
    if (trials >= 2 && (!disturbed || trials >= MAX_TRIALS)) {
      turnOff("serial");
    } else {
      state = State.CLOSED;
      reopenIfIdle();
    }
  }

  /**
   * The next trial begins when the stream is open, or when the server leaves its GET unanswered.
   */
  private void reopenIfIdle() {
    if (state == State.CLOSED && timer < 0 && unanswered.isEmpty() && stream != null) {
      stream.get();
      after(PATIENCE_MILLIS, this::tryPing);
    }
  }

  /** The stream was not the cause: it comes back, and the next trial is far away. */
  private void rest() {
    endTrial();
    if (alone && stream != null) {
      stream.get();
    }
    state = State.UNPROVEN;
    trials = 0;
    resting = true;
    after(
        REST_MILLIS << Math.min(rests++, 8),
        () -> {
          resting = false;
          watch();
        });
  }

  private void turnOff(String why) {
    stop();
    off = why;
    boolean isNew = memory.leaveOff(channel.endpoint(), why, InstantSource.system().millis());
    if (isNew && why.equals("serial")) {
      LOG.warn(
          "{} answers no request while its GET stream is open: mcpbus leaves the stream off, so"
              + " what the server says outside of calls does not arrive",
          channel.endpoint());
    }
  }

  /** There is one timer: what is waited for replaces what was waited for before. */
  private void after(long millis, Runnable next) {
    cancelTimer();
    timer =
        channel.after(
            millis,
            () -> {
              timer = -1;
              next.run();
            });
  }

  private void endTrial() {
    cancelTimer();
    if (ping != null) {
      ping.abort();
    }
  }

  private void cancelTimer() {
    channel.cancel(timer);
    timer = -1;
  }

  /** The stream may stay open as long as the channel, so it gets a connection of its own. */
  @Override
  public Future<HttpClientRequest> get() {
    return channel.streamRequest();
  }

  @Override
  public void opened() {
    wasOpen = true;
    if (state == State.CLOSED) {
      tryPing();
    } else {
      watch();
    }
  }

  /**
   * A server that refuses the first GET with 405 or 409 has no stream. A later 409 is about a
   * stream of ours that the server has not seen end.
   */
  @Override
  public void refused(HttpClientResponse response) {
    int status = response.statusCode();
    if (!wasOpen && (status == 405 || status == 409)) {
      if (watches()) {
        turnOff("refused");
      }
    } else if (status >= 500 || status == 429 || status == 409) {
      reconnect();
    }
  }

  @Override
  public void failed(TransportException why, boolean isFinal) {
    if (!isFinal) {
      reconnect();
    }
  }

  @Override
  public void cut(@Nullable Throwable cause) {
    reconnect();
  }

  @Override
  public void broken(TransportException why) {
    channel.junk++;
    reconnect();
  }

  private void reconnect() {
    if (stream != null) {
      long retry = stream.position().retryMillis();
      int doublings = Math.min(16, stream.countAttempt() - 1);
      stream.reopenAfter(Math.max(retry, Math.min(MAX_BACKOFF_MILLIS, retry << doublings)));
    }
  }

  @Override
  public boolean message(Envelope message, boolean replayed) {
    if (message.kind().isAnswer()) {
      channel.junk++;
    } else if (!replayed) {
      channel.deliver(message, Channel.Receiver.STANDING_STREAM);
    }
    return true;
  }
}
