package dev.mcpbus.cli.stdio;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Promise;
import org.jspecify.annotations.Nullable;

/**
 * Answers every request with the reason why there is nothing to serve: an editor shows the answer
 * to {@code initialize}, and often nothing of stderr. Confined to its context.
 */
final class RefusingServer implements StdinReader.LineListener, StdoutWriter.FlowListener {

  private final InternalContext owner;
  private final String why;
  private final StdoutWriter out;
  private final Promise<Void> ended;
  private @Nullable Runnable waitsForRoom;
  private boolean held;

  /**
   * @param why names the place and the remedy
   * @param ended completes at the end of stdin, or if stdout breaks
   */
  RefusingServer(InternalContext owner, String why, StdoutWriter out, Promise<Void> ended) {
    this.owner = owner;
    this.why = why;
    this.out = out;
    this.ended = ended;
  }

  @Override
  public void message(Envelope message) {
    RawJson id = message.id();
    if (message.kind() == Envelope.Kind.REQUEST && id != null) {
      out.write(
          BridgeErrors.message(
              BridgeRequest.copy(id), JsonRpcError.INTERNAL_ERROR, "mcpbus: " + why, null));
    }
  }

  @Override
  public void malformed(ProtocolException fault) {
    out.write(BridgeErrors.malformed(fault));
  }

  @Override
  public void whenRoom(Runnable next) {
    waitsForRoom = next;
    flow();
  }

  @Override
  public void changed() {
    owner.run(this::flow);
  }

  private void flow() {
    held = out.isFull(held);
    Runnable next = waitsForRoom;
    if (!held && next != null) {
      waitsForRoom = null;
      next.run();
    }
  }

  @Override
  public void ended() {
    ended.tryComplete();
  }

  @Override
  public void broken() {
    ended.tryComplete();
  }
}
