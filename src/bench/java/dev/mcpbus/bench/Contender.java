package dev.mcpbus.bench;

import org.jspecify.annotations.Nullable;

/** One way to call the tool {@code echo}. */
public interface Contender {

  /** The ending of one call; a null failure is a reply that was checked. */
  @FunctionalInterface
  interface Reply {
    void ended(@Nullable Throwable failure);
  }

  /** Connects; blocks until calls can be made. */
  void open() throws Exception;

  /** Runs {@code task} where this kind of caller makes its calls. */
  void execute(Runnable task);

  /** Makes one call. The next one may be made from inside {@code reply}. */
  void call(Reply reply);
}
