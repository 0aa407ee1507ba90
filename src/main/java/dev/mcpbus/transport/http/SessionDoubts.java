package dev.mcpbus.transport.http;

import dev.mcpbus.internals.HeldBytes;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether the server has lost the session, where it says so in other words than HTTP 404.
 * A text alone proves nothing: a tool, too, may not find a session, of a browser for example. So
 * one {@code tools/list} asks again for all requests that are in doubt. If the server refuses it in
 * the same words, it has lost the session and executed none of them. Confined to the owner context
 * of its session.
 */
final class SessionDoubts {

  private static final long PATIENCE_MILLIS = 5_000;

  /** Servers of the Java SDK say it behind the trace of an exception. */
  private static final int MAX_BYTES = 16 * 1024;

  private static final Pattern BETWEEN_WORDS = Pattern.compile("[^\\p{L}\\p{N}]+");
  private static final RawJson ID = RawJson.string("mcpbus-probe");

  private static final byte[] QUESTION =
      "{\"jsonrpc\":\"2.0\",\"id\":\"mcpbus-probe\",\"method\":\"tools/list\",\"params\":{}}"
          .getBytes(StandardCharsets.UTF_8);

  /** An answer begins with its status; the one of an error goes on with the error's code. */
  private static final int CODES = 2;

  /** What a server says of a session that it does not know, as words or behind the word itself. */
  private static final List<String> UNKNOWN =
      Stream.of(
              ("not found|unknown|unrecognized|not recognized|invalid|no valid"
                      + "|not valid|expired|timed out|terminated|closed|ended|stale|gone"
                      + "|lost|missing|required|not exist|t exist|no longer|no such"
                      + "|no session|no active|not active|could not find|cannot find")
                  .split("\\|"))
          .flatMap(word -> Stream.of(" " + word, "session" + word.replace(" ", "")))
          .toList();

  /**
   * What a server says to which this client has not introduced itself, and a proxy that has lost
   * its server. The second is all that the Python SDK says of it.
   */
  private static final List<String> BEGINNING =
      Stream.of(
              ("initiali|uninitiali|invalid request parameters|handshake|not connected"
                      + "|not established|no transport|transport not found"
                      + "|no active transport|no active connection|no active sse"
                      + "|connection not found")
                  .split("\\|"))
          .map(word -> " " + word)
          .toList();

  /** A request whose answer casts the doubt, what the answer was, and what it means otherwise. */
  private record DoubtedRequest(
      Consumer<TransportException> fail, List<String> words, Runnable otherwise) {}

  private final InternalContext owner;
  private final HttpSession session;
  private final List<DoubtedRequest> waiting = new ArrayList<>(2);
  private long timer = -1;

  SessionDoubts(InternalContext owner, HttpSession session) {
    this.owner = owner;
    this.session = session;
  }

  /** Whether a text may mean that the server does not know the session. */
  static boolean areIn(@Nullable String text) {
    if (text == null) {
      return false;
    }
    String said = " " + BETWEEN_WORDS.matcher(text.toLowerCase(Locale.ROOT)).replaceAll(" ");
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

  /**
   * What a refusal says.
   *
   * @param error the error that is the body; null where it is none
   */
  static @Nullable String textOf(HeldBytes body, @Nullable Envelope error) {
    return error == null ? textOf(body.array(), body.offset(), body.length()) : textOf(error);
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
   * The status, the code and the words without those that differ from one answer to the next:
   * times, ids, numbers.
   */
  private static List<String> words(String said) {
    List<String> all = BETWEEN_WORDS.splitAsStream(said).toList();
    return IntStream.range(0, all.size())
        .filter(i -> i < CODES || all.get(i).chars().noneMatch(Character::isDigit))
        .mapToObj(all::get)
        .toList();
  }

  /**
   * Asks the server again, and then calls {@code fail} as for one of a lost session or runs {@code
   * otherwise}.
   *
   * @param said to compare with the answer to the question
   */
  void ask(Consumer<TransportException> fail, String said, Runnable otherwise) {
    waiting.add(new DoubtedRequest(fail, words(said), otherwise));
    if (waiting.size() == 1) {
      HttpExchange asked =
          session.question(
              OutboundMessage.passedOn(-2, ID, Methods.TOOLS_LIST, QUESTION.clone(), List.of()),
              this::answered);
      timer = owner.setTimer(PATIENCE_MILLIS, id -> asked.abort());
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
    List<String> words = words(said == null ? "" : said);
    boolean lost =
        said != null
            && (areIn(said) || all.stream().anyMatch(each -> each.words().equals(words)))
            && session.quirks().tolerates(Quirk.SESSION_LOST_IN_WORDS);
    for (DoubtedRequest each : all) {
      if (lost && each.words().equals(words)) {
        each.fail().accept(HttpFailures.sessionLost());
      } else {
        each.otherwise().run();
      }
    }
    if (lost) {
      session.sessionLost();
    }
  }

  void stop() {
    owner.cancelTimer(timer);
    waiting.clear();
  }
}
