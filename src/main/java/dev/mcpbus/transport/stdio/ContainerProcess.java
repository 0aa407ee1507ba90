package dev.mcpbus.transport.stdio;

import dev.mcpbus.internals.PrivateFile;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.OutputListener;
import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A child process that has started a container. When it has ended, a script stops the container; it
 * is gone when that is done, or has taken too long. The script is a file in {@link #FOLDER}, so
 * {@link OrphanReaper} runs it when this JVM is killed, and a later JVM when both were.
 */
final class ContainerProcess implements ChildProcess {

  /** {@code RUN.KEY.sh} stops a container of that {@link RunId}; {@code RUN.KEY.cid} has its id. */
  static final Path FOLDER = Path.of(System.getProperty("user.home", "."), ".mcpbus", "containers");

  private static final Logger LOG = LoggerFactory.getLogger(ContainerProcess.class);

  private static final AtomicBoolean WARNED = new AtomicBoolean();

  /** The script gets SIGTERM after this time, and SIGKILL after twice as long. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** Starts a process; on the spawn thread. */
  @FunctionalInterface
  interface ChildLauncher {
    ChildProcess launch(StdioOptions options, ChildEvents inbox, StderrTail tail)
        throws TransportException;
  }

  private final ChildProcess inner;
  private final Promise<Void> gone = Promise.promise();

  private ContainerProcess(
      ChildProcess inner, Path script, ChildEvents inbox, ChildLauncher launcher) {
    this.inner = inner;
    ChildThreads.retain();
    gone.future().onComplete(over -> ChildThreads.release());
    inner.gone().onComplete(over -> ChildThreads.spawn(() -> stop(script, inbox, launcher)));
  }

  /** Makes the folder; why another user may put scripts there, with the remedy, or null. */
  private static @Nullable String whyNotSafe(Path folder) {
    if (!folder.isAbsolute()) {
      return "is no absolute path; give the user of mcpbus a home";
    }
    try {
      return PrivateFile.of(folder.resolve("any")).whyFolderNotOurs();
    } catch (IOException e) {
      return "cannot be made or read (" + e + "); give the user of mcpbus a home it can write";
    }
  }

  /** Makes the folder; whether nobody but this user can put scripts there. */
  static boolean isSafe(Path folder) {
    return whyNotSafe(folder) == null;
  }

  /** Starts a command, by {@code launcher}; runs on the spawn thread. */
  static ChildProcess launch(
      StdioOptions options, ChildEvents inbox, StderrTail tail, ChildLauncher launcher)
      throws TransportException {
    String key = UUID.randomUUID().toString().replace("-", "").substring(0, 16);
    Path script = FOLDER.resolve(RunId.SELF + "." + key + ".sh");
    ContainerRun run =
        ContainerRun.of(options, key, FOLDER.resolve(RunId.SELF + "." + key + ".cid"));
    if (run == null) {
      return launcher.launch(options, inbox, tail);
    }
    String unsafe = whyNotSafe(FOLDER);
    if (unsafe != null) {
      if (!WARNED.getAndSet(true)) {
        LOG.warn("containers will not be stopped when mcpbus is killed: {} {}", FOLDER, unsafe);
      }
      return launcher.launch(options, inbox, tail);
    }
    LaunchSpec spec = LaunchSpec.of(options, System.getenv(), Map.of());
    long seconds = Math.max(1, options.closeGrace().toSeconds());
    try {
      PrivateFile.inOwnFolder(script, "give it to this user")
          .replace(
              run.script(spec.program(), spec.env(), seconds).getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      LOG.warn("a container will not be stopped, because {} cannot be written: {}", script, e);
      return launcher.launch(options, inbox, tail);
    }
    try {
      ChildProcess child =
          launcher.launch(RecordCopy.with(options, "args", Sensitive.all(run.args())), inbox, tail);
      return new ContainerProcess(child, script, inbox, launcher);
    } catch (TransportException e) {
      delete(script);
      throw e;
    }
  }

  private void stop(Path script, ChildEvents inbox, ChildLauncher launcher) {
    try {
      ChildProcess shell = shell(script, new ChildEvents(inbox.owner()), launcher);
      shell.gone().onComplete(gone);
    } catch (TransportException e) {
      LOG.warn("a container is not stopped: {}", e.getMessage());
      gone.tryComplete();
    }
  }

  private static ChildProcess shell(Path script, ChildEvents inbox, ChildLauncher launcher)
      throws TransportException {
    ChildProcess shell =
        launcher.launch(
            StdioOptions.of("/bin/sh", List.of(script.toString())),
            inbox,
            new StderrTail(0, Redactor.NONE, OutputListener.NONE));
    shell.start();
    shell.closeInput();
    shell.discardOutput();
    shell.shutdown(PATIENCE);
    return shell;
  }

  /** Stops the containers of JVMs that died together with their orphan reaper. */
  static void stopOfDeadRuns() {
    stopOfDeadRuns(FOLDER);
  }

  static void stopOfDeadRuns(Path folder) {
    try {
      for (Path script : scriptsOfDeadRuns(folder)) {
        LOG.info("stops a container that an earlier mcpbus has left: {}", script);
        new ProcessBuilder("/bin/sh", script.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
      }
    } catch (IOException e) {
      LOG.debug("no containers of an earlier mcpbus: {}", e.getMessage());
    }
  }

  /** Only those that nobody else can have written. */
  static List<Path> scriptsOfDeadRuns(Path folder) throws IOException {
    List<Path> safe = new ArrayList<>();
    if (!isSafe(folder)) {
      return safe;
    }
    try (DirectoryStream<Path> scripts = Files.newDirectoryStream(folder, "*.sh")) {
      for (Path script : scripts) {
        String run = script.getFileName().toString();
        if (RunId.isDead(run.substring(0, run.indexOf('.'))) && isOurs(script)) {
          safe.add(script);
        }
      }
    }
    return safe;
  }

  private static boolean isOurs(Path script) throws IOException {
    try {
      String why = PrivateFile.of(script).whyNotOurs(false);
      if (why != null) {
        LOG.warn("a container may be left, because {} is not run: it {}", script, why);
      }
      return why == null;
    } catch (NoSuchFileException e) {
      return false; // another mcpbus has run it
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.debug("cannot delete {}", file, e);
    }
  }

  @Override
  public long pid() {
    return inner.pid();
  }

  @Override
  public void start() {
    inner.start();
  }

  @Override
  public Flush flush(StdinQueue queue) {
    return inner.flush(queue);
  }

  @Override
  public void closeInput() {
    inner.closeInput();
  }

  @Override
  public void discardOutput() {
    inner.discardOutput();
  }

  @Override
  public void shutdown(Duration grace) {
    inner.shutdown(grace);
  }

  @Override
  public Future<Void> gone() {
    return gone.future();
  }
}
