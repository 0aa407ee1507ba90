package dev.mcpbus.transport.stdio;

import com.sun.jna.Function;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Starts processes with {@code posix_spawn}. Each process leads its own session and group, has
 * default signal handlers, and inherits exactly three descriptors. Called on the spawn thread.
 */
final class PosixSpawn {

  private static final int STRUCT_BYTES = 1024;
  private static final int HEAD_BYTES = 512;

  private PosixSpawn() {}

  /** Both ends have close-on-exec; the caller makes its own end non-blocking. */
  record Pipe(int read, int write) {

    static Pipe open() throws TransportException {
      int[] both = new int[2];
      if (Posix.pipe2(both, Posix.O_CLOEXEC) < 0) {
        throw failed(Posix.errno(), "cannot create a pipe for a child process");
      }
      return new Pipe(both[0], both[1]);
    }

    void close() {
      Posix.close(read);
      Posix.close(write);
    }
  }

  /**
   * Starts a process.
   *
   * @param stderr gets a note if the shell runs the program, because it has no {@code #!}; null: no
   *     note
   * @return the pid, which is also the process group
   * @throws TransportException {@code START_FAILED}, or {@code CONNECT_FAILED} if the system lacks
   *     a resource at present
   */
  static int start(LaunchSpec launch, int in, int out, int err, @Nullable StderrTail stderr)
      throws TransportException {
    int errno = tryStart(launch.program(), launch.argv(), launch, in, out, err);
    if (errno == -Posix.ENOEXEC) {
      if (isBinary(launch.program())) {
        throw new TransportException(
            Reason.START_FAILED,
            Reached.NO,
            launch.program()
                + " is neither a program for this machine nor a script: correct \"command\"");
      }
      // A script without "#!": the shell runs it, as execvp of the C library does.
      if (stderr != null) {
        String note = "mcpbus: " + launch.program() + " has no #! line, so /bin/sh runs it\n";
        stderr.append(ByteBuffer.wrap(note.getBytes(StandardCharsets.UTF_8)));
      }
      List<String> argv = new ArrayList<>();
      argv.add("sh");
      argv.add(launch.program().toString());
      argv.addAll(launch.argv().subList(1, launch.argv().size()));
      errno = tryStart(Path.of("/bin/sh"), argv, launch, in, out, err);
    }
    if (errno == -Posix.ENOENT) {
      throw failed(
          Posix.ENOENT,
          "cannot start "
              + launch.program()
              + ": the program of its first line (#!), or its loader, does not exist");
    }
    if (errno < 0) {
      throw failed(-errno, "cannot start " + launch.program());
    }
    return errno;
  }

  private static boolean isBinary(Path program) {
    try (InputStream in = Files.newInputStream(program)) {
      return new String(in.readNBytes(HEAD_BYTES), StandardCharsets.ISO_8859_1).indexOf('\0') >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  private static int tryStart(
      Path program, List<String> argv, LaunchSpec launch, int in, int out, int err) {
    List<String> env = new ArrayList<>();
    launch.env().forEach((name, value) -> env.add(name + "=" + value));
    ByteBuffer args = vector(argv);
    ByteBuffer environment = vector(env);
    ByteBuffer scratch = Posix.allocate(4 * STRUCT_BYTES);
    long attributes = Posix.address(scratch);
    long actions = attributes + STRUCT_BYTES;
    long signals = actions + STRUCT_BYTES;
    Posix.posix_spawnattr_init(attributes);
    Posix.posix_spawn_file_actions_init(actions);
    try {
      Posix.sigfillset(signals);
      Posix.posix_spawnattr_setsigdefault(attributes, signals);
      Posix.sigemptyset(signals);
      Posix.posix_spawnattr_setsigmask(attributes, signals);
      Posix.posix_spawnattr_setflags(
          attributes,
          (short) (Posix.SPAWN_SETSID | Posix.SPAWN_SETSIGDEF | Posix.SPAWN_SETSIGMASK));
      Posix.posix_spawn_file_actions_adddup2(actions, in, 0);
      Posix.posix_spawn_file_actions_adddup2(actions, out, 1);
      Posix.posix_spawn_file_actions_adddup2(actions, err, 2);
      closeOthers(actions);
      if (launch.cwd() != null) {
        Posix.posix_spawn_file_actions_addchdir_np(actions, nulTerminated(launch.cwd().toString()));
      }
      int[] pid = new int[1];
      int errno =
          Posix.posix_spawn(
              pid,
              nulTerminated(program.toString()),
              actions,
              attributes,
              Posix.address(args),
              Posix.address(environment));
      return errno == 0 ? pid[0] : -errno;
    } finally {
      Posix.posix_spawn_file_actions_destroy(actions);
      Posix.posix_spawnattr_destroy(attributes);
      Reference.reachabilityFence(List.of(args, environment, scratch));
    }
  }

  private static void closeOthers(long actions) {
    Function addCloseFrom = Posix.addCloseFrom();
    if (addCloseFrom != null) {
      addCloseFrom.invokeInt(new Object[] {actions, 3});
      return;
    }
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      open.map(fd -> Integer.parseInt(fd.getFileName().toString()))
          .filter(fd -> fd >= 3)
          .forEach(fd -> Posix.fcntl(fd, Posix.F_SETFD, Posix.FD_CLOEXEC));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A null-terminated array of C strings, in one block. */
  private static ByteBuffer vector(List<String> strings) {
    List<byte[]> all = strings.stream().map(PosixSpawn::nulTerminated).toList();
    int pointers = (all.size() + 1) * Long.BYTES;
    ByteBuffer block = Posix.allocate(pointers + all.stream().mapToInt(s -> s.length).sum());
    long base = Posix.address(block);
    int at = pointers;
    for (int i = 0; i < all.size(); i++) {
      block.putLong(i * Long.BYTES, base + at);
      block.put(at, all.get(i));
      at += all.get(i).length;
    }
    return block;
  }

  private static byte[] nulTerminated(String text) {
    return (text + '\0').getBytes(StandardCharsets.UTF_8);
  }

  private static TransportException failed(int errno, String what) {
    boolean isTransient =
        errno == Posix.EAGAIN
            || errno == Posix.ENOMEM
            || errno == Posix.EMFILE
            || errno == Posix.ENFILE;
    return new TransportException(
        isTransient ? Reason.CONNECT_FAILED : Reason.START_FAILED,
        Reached.NO,
        what + ": " + Posix.strerror(errno) + " (errno " + errno + ")");
  }
}
