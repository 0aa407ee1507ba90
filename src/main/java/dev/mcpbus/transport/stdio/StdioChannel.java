package dev.mcpbus.transport.stdio;

import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.FailureLines;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.DoubtfulAnswers;
import dev.mcpbus.transport.LineFramer;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.OutputListener;
import dev.mcpbus.transport.OutputListener.OutputStreamName;
import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The owner's side of a child process. Confined to the owner context. */
final class StdioChannel
    implements Channel, ChildEvents.ChildEventListener, LineFramer.SkippedLine {

  private static final int SHOWN_LINES = 5;

  private final StdioOptions options;
  private final String command;
  private final ChildProcess child;
  private final ChildEvents inbox;
  private final StderrTail stderr;
  private final @Nullable Installer installer;
  private final Receiver receiver;
  private final Context owner;
  private final DoubtfulAnswers doubtful;
  private final LineFramer framer;
  private final StdinQueue queue;
  private boolean over;
  private boolean blocked;
  private boolean flushScheduled;
  private @Nullable Future<Void> closed;

  /**
   * @param installer sees the lines beside messages of a command that installs; null for another
   */
  StdioChannel(
      StdioOptions options,
      ChildProcess child,
      ChildEvents inbox,
      StderrTail stderr,
      @Nullable Installer installer,
      Receiver receiver) {
    this.options = options;
    this.command = options.command().reveal();
    this.child = child;
    this.inbox = inbox;
    this.stderr = stderr;
    this.installer = installer;
    this.receiver = receiver;
    this.owner = inbox.owner();
    this.queue = new StdinQueue(options.writeQueueBytes());
    this.doubtful =
        new DoubtfulAnswers(
            task ->
                InternalContext.of(owner)
                    .setTimer(DoubtfulAnswers.GRACE_MILLIS, late -> task.run()),
            this::failed);
    this.framer =
        new LineFramer(
            "stdout",
            options.limits(),
            options.junkLines(),
            message -> {
              if (!over) {
                doubtful.came(message);
                receiver.onMessage(message);
              }
            },
            this,
            ByteBudget.received(owner));
  }

  void start() {
    inbox.start(this);
    child.start();
  }

  @Override
  public void send(OutboundMessage message) throws TransportException {
    if (over) {
      throw new TransportException(
          Reason.UPSTREAM_RESET, Reached.NO, "the channel to " + command + " is closed");
    }
    if (!queue.offer(message)) {
      throw new TransportException(
          Reason.OVERLOADED,
          Reached.NO,
          command
              + " does not read its stdin: "
              + options.writeQueueBytes()
              + " bytes wait already");
    }
    if (!flushScheduled && !blocked) {
      flushScheduled = true;
      owner.runOnContext(ignored -> flush());
    }
  }

  private void flush() {
    flushScheduled = false;
    if (!over && !blocked) {
      // BROKEN also counts as blocked: the end of the child follows at once and settles the waiting
      // messages.
      blocked = child.flush(queue) != ChildProcess.Flush.DONE;
    }
  }

  @Override
  public void forget(long id) {
    if (blocked) {
      queue.removeIf(one -> one == id);
    }
  }

  @Override
  public boolean isInstalling() {
    return installer != null && installer.isBusy();
  }

  @Override
  public void negotiated(String protocolVersion) {
    framer.negotiated(protocolVersion);
  }

  @Override
  public void stdout(byte[] chunk) {
    if (over) {
      return;
    }
    try {
      framer.feed(chunk);
    } catch (TransportException e) {
      end(
          new TransportException(
              e.reason(), e.reached(), stderr.mask(String.valueOf(e.getMessage()))));
    }
  }

  @Override
  public boolean tolerates(Quirk quirk) {
    return receiver.quirks().tolerates(quirk);
  }

  @Override
  public void unusable(long id, String why) {
    doubtful.add(id, stderr.mask(why));
  }

  private void failed(long id, String why) {
    if (!over) {
      receiver.onRequestFailed(
          id, new TransportException(Reason.PROTOCOL_ERROR, Reached.MAYBE, why));
    }
  }

  @Override
  public void skipped(byte[] bytes, int from, int to) {
    int kept = Math.min(to - from, OutputListener.MAX_LINE_BYTES);
    byte[] text = Arrays.copyOfRange(bytes, from, from + kept);
    OutputListener output = installer == null ? receiver.output() : installer;
    output.line(OutputStreamName.STDOUT, text, kept < to - from);
  }

  @Override
  public void writable() {
    blocked = false;
    queue.removeIf(id -> !receiver.isAwaited(id));
  }

  @Override
  public void batchEnd() {
    if (!queue.isEmpty()) {
      flush();
    }
  }

  @Override
  public void ended(String how) {
    stderr.endLine();
    if (!over) {
      end(new TransportException(Reason.UPSTREAM_EXITED, Reached.MAYBE, end(how)));
    }
    child.closeInput();
  }

  /** Why the child ended: the status, what to do where that is known, and the child's own words. */
  private String end(String how) {
    String said = stderr.ends();
    String remedy = FailureLines.remedy(said);
    String last = FailureLines.tail(said, SHOWN_LINES);
    String first = FailureLines.head(shownJunk(), SHOWN_LINES);
    return command
        + ": "
        + how
        + (remedy.isEmpty() ? "" : ": " + remedy)
        + (last.isEmpty() ? "" : "; stderr: " + last)
        + (last.isEmpty() && !first.isEmpty() ? "; stdout: " + first : "");
  }

  /** The first lines on stdout that were no messages, with secrets masked. */
  private String shownJunk() {
    return stderr.mask(String.join("\n", framer.firstJunk()));
  }

  /**
   * Reports the failure to the owner, first for the requests that were not sent, and ends the
   * child.
   */
  private void end(TransportException reason) {
    over = true;
    TransportException unsent = reason.withReached(Reached.NO);
    try {
      for (long id : queue.drop()) {
        receiver.onRequestFailed(id, unsent);
      }
      receiver.onClosed(reason);
    } finally {
      release();
    }
  }

  @Override
  public Future<Void> close() {
    stderr.endLine();
    if (!over) {
      flush();
      over = true;
      queue.drop();
    }
    return release();
  }

  private Future<Void> release() {
    if (closed == null) {
      Promise<Void> promise = Promise.promise();
      closed = promise.future();
      framer.close();
      child.closeInput();
      child.discardOutput();
      child.shutdown(options.closeGrace());
      child.gone().onComplete(gone -> owner.runOnContext(ignored -> promise.complete()));
    }
    return closed;
  }

  @Override
  public JsonObject diagnostics() {
    JsonObject facts = new JsonObject().put("pid", child.pid()).put("stderr", stderr.text());
    if (framer.junk() > 0) {
      facts.put("stdout", shownJunk());
    }
    return facts
        .put("junk", framer.junk())
        .put("writtenBytes", queue.written())
        .put("readBytes", inbox.totalBytes());
  }
}
