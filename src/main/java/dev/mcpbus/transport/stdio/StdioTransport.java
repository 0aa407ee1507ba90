package dev.mcpbus.transport.stdio;

import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.BuiltInTransport;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutputListener;
import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import dev.mcpbus.transport.TransportOptions;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * MCP with a child process: one JSON-RPC message per line on its stdin and stdout. Immutable.
 * {@link #open} starts the child on the thread {@code mcpbus-spawn} and fails with {@code
 * START_FAILED}, {@code CONNECT_FAILED} if the system lacks a resource at present, or {@code
 * INTERNAL}.
 */
public final class StdioTransport implements Transport {

  /** Set to {@code portable} to work without calls of libc, with three threads per child. */
  public static final String IMPLEMENTATION_PROPERTY = "mcpbus.stdio";

  private final StdioOptions options;
  private final Redactor redactor;
  private final @Nullable String installer;

  public StdioTransport(StdioOptions options) {
    this.options = options;
    this.redactor = Redactor.of(options.secrets());
    this.installer = Installer.of(options);
  }

  @Override
  public String type() {
    return StdioOptions.TYPE;
  }

  @Override
  public String target() {
    return "stdio[" + options.command().reveal() + " (" + options.args().size() + " arguments)]";
  }

  @Override
  public Redactor redactor() {
    return redactor;
  }

  @Override
  public @Nullable String installer() {
    return installer;
  }

  @Override
  public boolean hasOutput() {
    return true;
  }

  @Override
  public Future<Channel> open(Context owner, Channel.Receiver receiver) {
    Promise<Channel> promise = Promise.promise();
    ChildEvents inbox = new ChildEvents(owner);
    Installer installs = installer == null ? null : new Installer(receiver.output());
    OutputListener output = installs == null ? receiver.output() : installs;
    StderrTail stderr = new StderrTail(options.stderrBytes(), redactor, output);
    ChildThreads.spawn(
        () -> {
          try {
            ChildProcess child = launch(inbox, stderr);
            onOwner(
                owner,
                () -> {
                  StdioChannel channel =
                      new StdioChannel(options, child, inbox, stderr, installs, receiver);
                  // Started before the promise completes, because the receiver of the channel may
                  // close it at once.
                  channel.start();
                  promise.complete(channel);
                },
                () -> abandon(child));
          } catch (TransportException e) {
            String masked = stderr.mask(String.valueOf(e.getMessage()));
            TransportException shown = new TransportException(e.reason(), e.reached(), masked);
            onOwner(owner, () -> promise.fail(shown), () -> {});
          } catch (RuntimeException | Error e) {
            TransportException defect =
                new TransportException(
                    Reason.INTERNAL, Reached.NO, "cannot start a process: " + e, -1, e);
            onOwner(owner, () -> promise.fail(defect), () -> {});
          }
        });
    return promise.future();
  }

  private static void onOwner(Context owner, Runnable action, Runnable otherwise) {
    try {
      owner.runOnContext(ignored -> action.run());
    } catch (RejectedExecutionException e) {
      otherwise.run();
    }
  }

  /** Ends a child that started while Vert.x was closing. */
  private static void abandon(ChildProcess child) {
    child.start();
    child.closeInput();
    child.shutdown(Duration.ZERO);
  }

  private ChildProcess launch(ChildEvents inbox, StderrTail stderr) throws TransportException {
    boolean portable =
        !Posix.isAvailable() || "portable".equals(System.getProperty(IMPLEMENTATION_PROPERTY));
    return ContainerProcess.launch(
        options,
        inbox,
        stderr,
        portable ? PortableChildProcess::launch : LinuxChildProcess::launch);
  }

  /** Makes transports of the type {@code stdio}. Stateless. */
  public static final class StdioProvider extends BuiltInTransport {

    public StdioProvider() {
      super(StdioOptions.TYPE, "command", Set.of("local"), Set.of());
    }

    @Override
    public Transport create(
        Vertx vertx, TransportOptions options, AuthenticatorFactory authenticators) {
      return new StdioTransport((StdioOptions) options);
    }
  }
}
