package dev.mcpbus.transport.http;

import java.time.InstantSource;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether a channel has its {@link StandaloneStream}. Some servers handle one HTTP request
 * at a time: while the GET stream is open, each POST hangs or is refused. The first answer to a
 * POST that was sent beside the open stream shows that a server is not like that, and from then on
 * nothing is checked.
 *
 * <p>If a POST has no answer after {@link #PATIENCE_MILLIS}, a {@code ping} of our own asks again;
 * no message of a caller is repeated. If the ping has no answer either, the stream is closed, which
 * lets a serial server go on. If the ping is answered then, the same trial runs once more when no
 * POST is on its way, so that a call that just happened to end is not taken for the cause. After
 * two such trials {@link GetStreamMemory} keeps the stream off; in any other case the stream is
 * opened again. Confined to the owner context of its channel.
 */
final class GetStream {

  static final long PATIENCE_MILLIS = 2_000;

  private static final Logger LOG = LoggerFactory.getLogger(GetStream.class);
  private static final long REST_MILLIS = 30_000;
  private static final int MAX_TRIALS = 5;
  private static final int MAX_ALONE_PINGS = 10;

  private enum Stage {
    /** The stream was not asked for yet. */
    NEW,
    /** It is open or asked for; the server has not shown yet that it answers beside it. */
    WATCHED,
    /** A ping is on its way beside the stream. */
    BESIDE,
    /** The stream is closed; a ping is on its way alone. */
    ALONE,
    /** The stream is closed until no POST is on its way; then comes the next trial. */
    RELIEVED,
    /** The stream is being opened for the next trial. */
    OPENING,
    /** The stream was not the cause; no trial for a while. */
    RESTING,
    /** The server answers beside the stream. */
    PROVEN,
    /** The session has no stream. */
    OFF
  }

  private final HttpChannel channel;
  private final GetStreamMemory memory;

  /** POSTs without an answer, and whether the stream was open when they were sent. */
  private final Map<HttpExchange, Boolean> unanswered = new LinkedHashMap<>();

  private Stage stage = Stage.NEW;
  private @Nullable StandaloneStream stream;
  private @Nullable HttpExchange suspect;
  private @Nullable PingProbe ping;
  private @Nullable String off;
  private boolean disturbed;
  private int trials;
  private int rests;
  private int alonePings;
  private long timer = -1;

  GetStream(HttpChannel channel, GetStreamMemory memory) {
    this.channel = channel;
    this.memory = memory;
  }

  /** Opens the stream, unless it is open or the endpoint is known to have none. */
  void open() {
    if (stage != Stage.NEW) {
      return;
    }
    off = memory.off(channel.endpoint(), InstantSource.system().millis());
    if (off != null) {
      stage = Stage.OFF;
      return;
    }
    stage = Stage.WATCHED;
    stream = new StandaloneStream(channel, this);
    stream.start();
  }

  void stop() {
    stage = Stage.OFF;
    channel.cancel(timer);
    unanswered.clear();
    if (ping != null) {
      ping.stop();
    }
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

  private boolean isAsked() {
    return stream != null && stream.isAsked();
  }

  boolean hasPosition() {
    return stream != null && stream.hasPosition();
  }

  /** Why the session has no stream, or null. */
  @Nullable String off() {
    return off;
  }

  private boolean watches() {
    return stage != Stage.PROVEN && stage != Stage.OFF;
  }

  /** A POST was written. */
  void posted(HttpExchange exchange) {
    if (watches()) {
      unanswered.put(exchange, stage == Stage.WATCHED && isOpen());
      disturbed = true;
      watch();
    }
  }

  /** The head of its answer is there. */
  void answered(HttpExchange exchange, int status) {
    if (!watches()) {
      return;
    }
    boolean beside = Boolean.TRUE.equals(unanswered.get(exchange));
    if (stage == Stage.WATCHED && beside && isOpen()) {
      if (!refuses(status)) {
        proven();
        return;
      }
      beginTrial();
    }
    gone(exchange);
  }

  /** The server has answered the POST, or its caller has given up. */
  void gone(HttpExchange exchange) {
    if (watches() && unanswered.remove(exchange) != null) {
      tryAgainIfIdle();
    }
  }

  /** 409, 423, and what servers say that have no place for a second request. */
  private static boolean refuses(int status) {
    return status == 409 || status == 423 || status == 429 || status >= 500;
  }

  private void watch() {
    if (stage == Stage.WATCHED && timer < 0 && isAsked()) {
      Iterator<HttpExchange> oldest = unanswered.keySet().iterator();
      suspect = oldest.hasNext() ? oldest.next() : null;
      if (suspect != null) {
        timer = channel.after(PATIENCE_MILLIS, this::overdue);
      }
    }
  }

  private void overdue() {
    timer = -1;
    if (stage == Stage.WATCHED) {
      if (isAsked() && suspect != null && unanswered.containsKey(suspect)) {
        beginTrial();
      } else {
        watch();
      }
    }
  }

  private void beginTrial() {
    trials++;
    disturbed = !unanswered.isEmpty();
    stage = Stage.BESIDE;
    sendPing();
  }

  private void sendPing() {
    PingProbe probe = new PingProbe(channel, this::pingAnswered);
    ping = probe;
    probe.start();
    waitFor(PATIENCE_MILLIS, this::silent);
  }

  private void waitFor(long millis, Runnable next) {
    channel.cancel(timer);
    timer =
        channel.after(
            millis,
            () -> {
              timer = -1;
              next.run();
            });
  }

  private void pingAnswered(int status) {
    boolean refused = refuses(status);
    if (stage == Stage.BESIDE && !refused && isOpen()) {
      proven();
    } else if (stage == Stage.BESIDE && refused) {
      suspend();
      alonePings = 0;
      sendPing();
    } else if (stage == Stage.ALONE && !refused) {
      blamed();
    } else if (stage == Stage.ALONE && ++alonePings < MAX_ALONE_PINGS) {
      // The server may not have seen yet that the stream is closed.
      waitFor(PATIENCE_MILLIS / MAX_ALONE_PINGS, this::sendPing);
    } else {
      rest();
    }
  }

  private void silent() {
    if (stage == Stage.BESIDE) {
      suspend();
      waitFor(PATIENCE_MILLIS, this::silent);
    } else {
      rest();
    }
  }

  private void suspend() {
    stage = Stage.ALONE;
    if (stream != null) {
      stream.suspend();
    }
  }

  /** The ping was answered as soon as the stream was closed. */
  private void blamed() {
    channel.cancel(timer);
    timer = -1;
    if (trials >= 2 && (!disturbed || trials >= MAX_TRIALS)) {
      turnOff("serial");
    } else {
      stage = Stage.RELIEVED;
      tryAgainIfIdle();
    }
  }

  private void tryAgainIfIdle() {
    if (stage == Stage.RELIEVED && unanswered.isEmpty() && stream != null) {
      stage = Stage.OPENING;
      stream.start();
      waitFor(PATIENCE_MILLIS, this::opened);
    }
  }

  /**
   * The stream is open, or it has no answer: then the server may have begun with it all the same.
   */
  void opened() {
    if (stage == Stage.OPENING) {
      channel.cancel(timer);
      timer = -1;
      beginTrial();
    } else {
      watch();
    }
  }

  /** The stream was not the cause: it comes back, and the next trial is far away. */
  private void rest() {
    if (ping != null) {
      ping.stop();
    }
    channel.cancel(timer);
    trials = 0;
    Stage from = stage;
    stage = Stage.RESTING;
    if (stream != null && from != Stage.BESIDE) {
      stream.start();
    }
    timer =
        channel.after(
            REST_MILLIS << Math.min(rests++, 8),
            () -> {
              timer = -1;
              stage = Stage.WATCHED;
              watch();
            });
  }

  private void proven() {
    channel.cancel(timer);
    timer = -1;
    stage = Stage.PROVEN;
    suspect = null;
    unanswered.clear();
  }

  /** The server has refused the first GET of the session with 405 or 409: it has no stream. */
  void refused() {
    if (watches()) {
      turnOff("refused");
    }
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
}
