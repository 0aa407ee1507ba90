package dev.mcpbus.transport;

import dev.mcpbus.protocol.Envelope;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Remembers what one end of a channel heard, and whether it was on the owner's context. */
public final class Recorder implements Channel.Receiver {

  private final @Nullable Context owner;
  private final Consumer<Envelope> onMessage;
  private final List<Envelope> messages = Collections.synchronizedList(new ArrayList<>());
  private final List<TransportException> closings = new CopyOnWriteArrayList<>();
  private final List<String> strays = new CopyOnWriteArrayList<>();
  private volatile int count;

  /** Keeps every message. */
  public Recorder(@Nullable Context owner) {
    this.owner = owner;
    this.onMessage = messages::add;
  }

  /** Hands every message on instead of keeping it. */
  public Recorder(@Nullable Context owner, Consumer<Envelope> onMessage) {
    this.owner = owner;
    this.onMessage = onMessage;
  }

  @Override
  @SuppressWarnings("NonAtomicVolatileUpdate") // one context writes
  public void onMessage(Envelope message) {
    check("onMessage");
    onMessage.accept(message);
    count++;
  }

  @Override
  public void onRequestFailed(long id, TransportException reason) {
    check("onRequestFailed");
  }

  @Override
  public void onClosed(TransportException reason) {
    check("onClosed");
    closings.add(reason);
  }

  /** A callback may run on a duplicate of the owner's context: the same event loop. */
  private void check(String callback) {
    Context now = Vertx.currentContext();
    if (owner != null
        && (!(now instanceof ContextInternal at)
            || at.unwrap() != ((ContextInternal) owner).unwrap())) {
      strays.add(callback + " on " + Thread.currentThread().getName());
    }
  }

  public List<Envelope> messages() {
    synchronized (messages) {
      return List.copyOf(messages);
    }
  }

  public int count() {
    return count;
  }

  public List<TransportException> closings() {
    return closings;
  }

  /** Callbacks that came elsewhere than on the owner's context. */
  public List<String> strays() {
    return strays;
  }
}
