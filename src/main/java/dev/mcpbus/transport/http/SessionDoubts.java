package dev.mcpbus.transport.http;

import dev.mcpbus.internals.OwnContext;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.protocol.Quirks;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether the server has lost the session, where it says so in other words than HTTP 404.
 * A text alone proves nothing: a tool, too, may not find a session, of a browser for example. So
 * one {@code tools/list} asks again for all requests that are in doubt. If the server refuses it in
 * the same words, it has lost the session and executed none of them. Confined to the owner context
 * of its channel.
 */
final class SessionDoubts {

  private static final long PATIENCE_MILLIS = 5_000;
  private static final int MAX_TEXT = 500;
  private static final int MAX_BYTES = 2_000;
  private static final RawJson ID = RawJson.string("mcpbus-probe");

  private static final byte[] QUESTION =
      "{\"jsonrpc\":\"2.0\",\"id\":\"mcpbus-probe\",\"method\":\"tools/list\",\"params\":{}}"
          .getBytes(StandardCharsets.UTF_8);

  /** What a server says of a session that it does not know, after the word itself. */
  private static final List<String> UNKNOWN =
      List.of(
          "not found",
          "unknown",
          "unrecognized",
          "not recognized",
          "invalid",
          "no valid",
          "not valid",
          "expired",
          "timed out",
          "terminated",
          "closed",
          "ended",
          "stale",
          "gone",
          "lost",
          "missing",
          "required",
          "not exist",
          "n't exist",
          "no longer",
          "no such",
          "no session",
          "no active",
          "not active",
          "no transport",
          "could not find",
          "cannot find",
          "not initialized",
          "not initialised",
          "reinitialize",
          "re initialize",
          "initialization");

  /** What a server says to which this client has not yet introduced itself. */
  private static final List<String> BEGINNING =
      List.of(
          "not initialized",
          "not initialised",
          "not yet initialized",
          "not been initialized",
          "uninitialized",
          "before initializ",
          "initialize first",
          "expect initialize",
          "must initialize",
          "initialization was complete",
          "initialization is complete",
          "initialize request");

  /** The channel of the session that is in doubt. */
  interface DoubtedChannel {

    /**
     * Sends a request of the channel itself.
     *
     * @param verdict gets the status and the text by which the server refuses it, null otherwise;
     *     called once, in a later task
     * @return ends it, with the verdict null
     */
    Runnable question(OutboundMessage message, Consumer<@Nullable String> verdict);

    Quirks quirks();

    /** The server has lost the session; the requests in doubt have failed. */
    void sessionLost();
  }

  /** A request whose answer casts the doubt, what the answer was, and what it means otherwise. */
  private record DoubtedRequest(
      Consumer<TransportException> fail, String said, Runnable otherwise) {}

  private final OwnContext owner;
  private final DoubtedChannel channel;
  private final List<DoubtedRequest> waiting = new ArrayList<>(2);
  private long timer = -1;

  SessionDoubts(OwnContext owner, DoubtedChannel channel) {
    this.owner = owner;
    this.channel = channel;
  }

  /** Whether a text may mean that the server does not know the session; reads 500 characters. */
  static boolean areIn(@Nullable String text) {
    if (text == null) {
      return false;
    }
    String said =
        text.substring(0, Math.min(MAX_TEXT, text.length()))
            .toLowerCase(Locale.ROOT)
            .replace('-', ' ')
            .replace('_', ' ');
    return BEGINNING.stream().anyMatch(said::contains)
        || (said.contains("session") && UNKNOWN.stream().anyMatch(said::contains));
  }

  /** Whether a message answers a question. */
  static boolean isAnswer(Envelope message) {
    return message.kind().isAnswer() && ID.equals(message.id());
  }

  /** The beginning of an answer that is no message. */
  static String textOf(byte[] bytes, int offset, int length) {
    return new String(bytes, offset, Math.min(length, MAX_BYTES), StandardCharsets.UTF_8);
  }

  /** The code and the text of an error, or the beginning of a body that is no error. */
  static @Nullable String textOf(byte[] body, ParseLimits limits) {
    try {
      Envelope error = Envelope.parse(body, 0, body.length, limits);
      if (error.kind() == Envelope.Kind.ERROR) {
        return textOf(error);
      }
    } catch (ProtocolException e) {
      // Most refusals are plain text.
    }
    return textOf(body, 0, body.length);
  }

  /** The code and the text of an error; null where they cannot be read. */
  static @Nullable String textOf(Envelope error) {
    if (error.kind() != Envelope.Kind.ERROR || error.ambiguity() != null) {
      return null;
    }
    JsonRpcError read = JsonRpcError.of(error.payload());
    return read.code() + " " + read.message();
  }

  /**
   * Asks the server again, and then calls {@code fail} as for one of a lost session or runs {@code
   * otherwise}.
   *
   * @param said with the HTTP status, to compare
   */
  void ask(Consumer<TransportException> fail, String said, Runnable otherwise) {
    waiting.add(new DoubtedRequest(fail, said, otherwise));
    if (waiting.size() == 1) {
      Runnable end =
          channel.question(
              OutboundMessage.passedOn(-2, ID, Methods.TOOLS_LIST, QUESTION.clone(), List.of()),
              this::answered);
      timer = owner.setTimer(PATIENCE_MILLIS, id -> end.run());
    }
  }

  /**
   * @param said null where the server knows the session, or nobody can tell
   */
  private void answered(@Nullable String said) {
    owner.cancelTimer(timer);
    timer = -1;
    List<DoubtedRequest> all = List.copyOf(waiting);
    waiting.clear();
    boolean lost =
        said != null
            && (areIn(said) || all.stream().anyMatch(each -> each.said().equals(said)))
            && channel.quirks().tolerates(Quirk.SESSION_LOST_IN_WORDS);
    for (DoubtedRequest each : all) {
      if (lost && each.said().equals(said)) {
        each.fail().accept(HttpFailures.sessionLost());
      } else {
        each.otherwise().run();
      }
    }
    if (lost) {
      channel.sessionLost();
    }
  }

  void stop() {
    owner.cancelTimer(timer);
    waiting.clear();
  }
}
