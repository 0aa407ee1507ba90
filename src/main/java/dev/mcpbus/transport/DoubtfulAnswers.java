package dev.mcpbus.transport;

import dev.mcpbus.protocol.Envelope;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The requests whose answer has come in a form that cannot be trusted ({@link
 * LineFramer.SkippedLine#unusable}). The line may be a log line, and the answer follows: so a
 * request fails only when no proper answer has come for {@link #GRACE_MILLIS}. Confined to the
 * owner context of a channel.
 */
public final class DoubtfulAnswers {

  /** How long a proper answer may take after the line, in milliseconds. */
  public static final long GRACE_MILLIS = 1_000;

  /** Of more requests at once, each further one fails without a wait. */
  private static final int MOST = 16;

  private final Map<Long, String> waiting = new HashMap<>();
  private final Consumer<Runnable> later;
  private final BiConsumer<Long, String> fails;

  /**
   * @param later runs a task on the owner context after {@link #GRACE_MILLIS}
   * @param fails gets the id of a request that has failed, and why
   */
  public DoubtfulAnswers(Consumer<Runnable> later, BiConsumer<Long, String> fails) {
    this.later = later;
    this.fails = fails;
  }

  /** The answer to request {@code id} cannot be used, for the reason {@code why}. */
  public void add(long id, String why) {
    if (waiting.containsKey(id)) {
      return;
    }
    if (waiting.size() >= MOST) {
      fails.accept(id, why);
      return;
    }
    waiting.put(id, why);
    later.accept(
        () -> {
          if (waiting.remove(id, why)) {
            fails.accept(id, why);
          }
        });
  }

  /** A proper message has come. */
  public void came(Envelope message) {
    if (!waiting.isEmpty() && message.kind().isAnswer()) {
      waiting.remove(message.integerId());
    }
  }
}
