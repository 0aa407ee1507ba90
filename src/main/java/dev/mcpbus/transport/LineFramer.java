package dev.mcpbus.transport;

import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.HeldBytes;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.ProtocolException.TextFault;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.protocol.StrayLine;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Splits a byte stream into messages, one per line. A line within one chunk is parsed in place,
 * without a copy; the parts of a line over several chunks are joined. A partial line is never
 * parsed, not even at the end of the stream.
 *
 * <p>A line that cannot be a message is noise ({@link StrayLine}): counted and skipped, up to a
 * rate ({@link NoiseBudget}). If it ends with an answer that stands behind other text, the answer
 * counts during the handshake, or if that text is only colours and the like; later another party
 * may have had the line written, so its owner is told that it is {@link SkippedLine#unusable}. A
 * line that may be a message and is not strict JSON-RPC ends the stream, unless the owner has asked
 * for {@link #tolerant such lines}. Not thread-safe: confined to the owner context.
 */
public final class LineFramer {

  private static final int KEPT_JUNK_LINES = 3;
  private static final int KEPT_JUNK_BYTES = 300;

  /** Takes a line that is no message, before it is skipped or ends the stream. */
  @FunctionalInterface
  public interface SkippedLine {
    void skipped(byte[] bytes, int from, int to);

    /** Whether a deviation from the specification is tolerated; it is counted. */
    default boolean tolerates(Quirk quirk) {
      return true;
    }

    /** The answer to request {@code id} has come in a form that cannot be trusted. */
    default void unusable(long id, String why) {}
  }

  private final String source;
  private final ParseLimits limits;
  private final NoiseBudget budget;
  private final Consumer<Envelope> messages;
  private final SkippedLine skipped;
  private final @Nullable Consumer<ProtocolException> bad;
  private boolean negotiated;
  private boolean batches;
  private boolean skipping;
  private final HeldBytes partial;
  private long lines;
  private long junk;
  private final List<String> firstJunk = new ArrayList<>();

  /**
   * @param source the name of the stream in error messages, such as {@code stdout}
   * @param junkBurst how many lines of noise may come at once before the stream fails
   * @param messages receives each message in order; its bytes are never changed afterwards
   */
  public LineFramer(String source, ParseLimits limits, int junkBurst, Consumer<Envelope> messages) {
    this(source, limits, junkBurst, messages, (bytes, from, to) -> {}, ByteBudget.unbounded());
  }

  /**
   * The same, for a stream that must not hold more than an account can pay.
   *
   * @param skipped gets lines that are no messages; must not keep the bytes
   * @param account pays for an unfinished line
   */
  public LineFramer(
      String source,
      ParseLimits limits,
      int junkBurst,
      Consumer<Envelope> messages,
      SkippedLine skipped,
      ByteBudget.ByteAccount account) {
    this(
        source,
        limits,
        new NoiseBudget(junkBurst, System::nanoTime),
        messages,
        skipped,
        account,
        null);
  }

  LineFramer(
      String source,
      ParseLimits limits,
      NoiseBudget budget,
      Consumer<Envelope> messages,
      SkippedLine skipped,
      ByteBudget.ByteAccount account,
      @Nullable Consumer<ProtocolException> bad) {
    this.source = source;
    this.limits = limits;
    this.budget = budget;
    this.messages = messages;
    this.skipped = skipped;
    this.bad = bad;
    // One more than the limit: a carriage return may still turn out to be the last byte.
    int most = (int) Math.min(Integer.MAX_VALUE, limits.maxBytes() + 1L);
    this.partial = new HeldBytes(most, ByteBudget.SMALL, account);
  }

  /**
   * A framer that goes on after a line that is no message: for a server, which answers it with an
   * error. {@link #feed} does not throw then, and no line counts as junk.
   *
   * @param bad receives the fault of each such line, among the messages, in order
   */
  public static LineFramer tolerant(
      String source,
      ParseLimits limits,
      Consumer<Envelope> messages,
      Consumer<ProtocolException> bad) {
    return new LineFramer(
        source,
        limits,
        new NoiseBudget(0, () -> 0),
        messages,
        (bytes, from, to) -> {},
        ByteBudget.unbounded(),
        bad);
  }

  /** How many lines were skipped so far. */
  public long junk() {
    return junk;
  }

  /** The first lines that were skipped, at most 3; of one over 300 bytes only its length. */
  public List<String> firstJunk() {
    return List.copyOf(firstJunk);
  }

  /** How many bytes of an unfinished line are held. */
  public int pending() {
    return partial.length();
  }

  /** Holds nothing of an unfinished line any more: the stream has ended. */
  public void close() {
    partial.clear();
  }

  /**
   * Reads the next bytes, which must not change afterwards.
   *
   * @throws TransportException {@code LIMIT_EXCEEDED} or {@code PROTOCOL_ERROR}, with the line and
   *     byte; the caller must not feed the stream any more
   */
  public void feed(byte[] chunk) throws TransportException {
    int from = 0;
    for (int i = 0; i < chunk.length; i++) {
      if (chunk[i] != '\n') {
        continue;
      }
      if (skipping) {
        skipping = false;
        lines++;
      } else if (partial.length() == 0) {
        line(chunk, from, i);
      } else {
        joined(chunk, from, i);
      }
      from = i + 1;
    }
    hold(chunk, from, chunk.length);
  }

  private void joined(byte[] chunk, int from, int to) throws TransportException {
    hold(chunk, from, to);
    if (skipping) {
      skipping = false;
      lines++;
      return;
    }
    byte[] joined = partial.array();
    int length = partial.length();
    partial.clear();
    line(joined, 0, length);
  }

  private void hold(byte[] chunk, int from, int to) throws TransportException {
    if (skipping || from == to) {
      return;
    }
    HeldBytes.Fit fit = partial.add(chunk, from, to);
    if (fit == HeldBytes.Fit.HELD) {
      return;
    }
    String why = partial.refusal();
    partial.clear();
    skipping = true;
    if (fit == HeldBytes.Fit.TOO_LONG) {
      tooLong();
    } else {
      throw new TransportException(Reason.OVERLOADED, Reached.MAYBE, source + ": " + why);
    }
  }

  private void line(byte[] bytes, int from, int to) throws TransportException {
    lines++;
    int end = to > from && bytes[to - 1] == '\r' ? to - 1 : to;
    if (end - from > limits.maxBytes()) {
      tooLong();
      return;
    }
    int first = afterBlanks(bytes, afterMark(bytes, from, end), end);
    if (first == end) {
      return;
    }
    if (bad == null && bytes[first] != '{' && bytes[first] != '[') {
      stray(bytes, first, end, null);
      return;
    }
    Envelope message = null;
    List<Envelope> batch = List.of();
    try {
      if (batches && bytes[first] == '[') {
        batch = Envelope.batch(bytes, first, end - first, limits, false);
      } else {
        message = Envelope.received(bytes, from, end - from, limits);
      }
    } catch (ProtocolException e) {
      if (bad != null) {
        bad.accept(e);
      } else {
        stray(bytes, first, end, e);
      }
      return;
    }
    budget.message();
    if (message != null) {
      messages.accept(message);
    } else {
      batch.forEach(messages);
    }
  }

  /** A line that is no message. */
  private void stray(byte[] bytes, int first, int end, @Nullable ProtocolException fault)
      throws TransportException {
    skipped.skipped(bytes, first, end);
    Envelope answer = StrayLine.behindText(bytes, first, end, limits);
    long id = answer == null ? StrayLine.answers(bytes, first, end, limits) : answer.integerId();
    if (answer == null
        && (id == -1 || (fault != null && fault.isLimit()))
        && StrayLine.mayBeMessage(bytes, first, end, limits)) {
      throw noMessage(shown(bytes, first, end), fault);
    }
    noise(bytes, first, end);
    boolean sure =
        answer != null
            && (!negotiated || StrayLine.isInvisible(bytes, first, answer.text().offset()));
    if (sure && skipped.tolerates(Quirk.ANSWER_BEHIND_TEXT)) {
      messages.accept(answer);
      return;
    }
    if (id >= 0) {
      skipped.unusable(
          id,
          "the answer on line "
              + lines
              + " of "
              + source
              + (fault != null && answer == null
                  ? " is no JSON-RPC message: " + fault.getMessage()
                  : " stands behind other text, which needs a line break and belongs on stderr")
              + quoted(shown(bytes, first, end)));
    }
  }

  private void noise(byte[] bytes, int first, int end) throws TransportException {
    junk++;
    if (firstJunk.size() < KEPT_JUNK_LINES) {
      firstJunk.add(shown(bytes, first, end));
    }
    if (!skipped.tolerates(Quirk.NOISE)) {
      throw new TransportException(
          Reason.PROTOCOL_ERROR,
          Reached.MAYBE,
          "a line on "
              + source
              + " is not JSON-RPC, and the entry is \"strict\"; logs belong on stderr"
              + quoted(shown(bytes, first, end)));
    }
    if (!budget.take(end - first)) {
      throw new TransportException(
          Reason.PROTOCOL_ERROR,
          Reached.MAYBE,
          source
              + " is flooded with lines that are not JSON-RPC ("
              + junk
              + " so far); logs belong on stderr. The first lines: "
              + String.join("\n", firstJunk));
    }
  }

  private TransportException noMessage(String shown, @Nullable ProtocolException fault) {
    return new TransportException(
        fault != null && fault.isLimit() ? Reason.LIMIT_EXCEEDED : Reason.PROTOCOL_ERROR,
        Reached.MAYBE,
        "line "
            + lines
            + " of "
            + source
            + " is no JSON-RPC message: "
            + (fault == null ? "a message stands on one line" : fault.getMessage())
            + quoted(shown));
  }

  private static String quoted(String shown) {
    return "; the line: " + shown;
  }

  /** Both sides have agreed on a version of MCP. */
  public void negotiated(String version) {
    negotiated = !version.isEmpty();
    batches = ProtocolVersion.hasBatches(version);
  }

  /** The whole line or none of it: half of a secret could not be recognized and masked. */
  private static String shown(byte[] bytes, int first, int end) {
    return end - first > KEPT_JUNK_BYTES
        ? "(a line of " + (end - first) + " bytes)"
        : new String(bytes, first, end - first, StandardCharsets.UTF_8).strip();
  }

  private static int afterMark(byte[] bytes, int from, int end) {
    boolean mark =
        end - from >= 3
            && bytes[from] == (byte) 0xEF
            && bytes[from + 1] == (byte) 0xBB
            && bytes[from + 2] == (byte) 0xBF;
    return mark ? from + 3 : from;
  }

  private static int afterBlanks(byte[] bytes, int from, int end) {
    int p = from;
    while (p < end && (bytes[p] == ' ' || bytes[p] == '\t' || bytes[p] == '\r')) {
      p++;
    }
    return p;
  }

  private void tooLong() throws TransportException {
    if (bad != null) {
      bad.accept(
          new ProtocolException(
              TextFault.TOO_LARGE,
              limits.maxBytes(),
              "the line is longer than " + limits.maxBytes() + " bytes"));
      return;
    }
    throw new TransportException(
        Reason.LIMIT_EXCEEDED,
        Reached.MAYBE,
        "line " + lines + " of " + source + " is longer than " + limits.maxBytes() + " bytes");
  }
}
