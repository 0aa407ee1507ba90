package dev.mcpbus.transport.stdio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds and kills the processes with a mark in their environment. While a process begins to run
 * another program (exec), Linux shows no environment of it, so one look may miss it: {@link
 * Scan#unsure} says so. Locked, because a scan may be asked for by any thread.
 */
final class MarkedProcesses {

  private static final Logger LOG = LoggerFactory.getLogger(MarkedProcesses.class);

  /** A process that so many scans in a row found without an environment was started without one. */
  private static final int SCANS_IN_DOUBT = 125;

  /**
   * What one look at all processes has found.
   *
   * @param values of the mark; the processes with them were killed
   * @param unsure whether a process may have the mark, and cannot tell yet
   */
  record Scan(Set<String> values, boolean unsure) {}

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(128 * 1024);

  /** How many scans in a row found no environment, by pid and time of the start. */
  private Map<String, Integer> withoutEnvironment = new HashMap<>();

  /**
   * Kills each process whose {@code variable} has a value that {@code wanted} accepts.
   *
   * @param others the pids that earlier scans for the same found with another environment: what
   *     they run next inherits that, so there is no doubt about them; this scan adds to them
   */
  synchronized Scan kill(String variable, Predicate<String> wanted, Set<String> others) {
    Set<String> found = new HashSet<>();
    Map<String, Integer> without = new HashMap<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : all) {
        String pid = process.getFileName().toString();
        String environment = read(process, "environ");
        String value = valueOf(variable, environment);
        if (value != null && wanted.test(value)) {
          found.add(value);
          kill(process, variable, value);
        } else if (!environment.isEmpty()) {
          others.add(pid);
        } else if (!others.contains(pid) && Files.exists(process.resolve("exe"))) {
          // Unlike a zombie and a thread of the kernel it has a program.
          String which = pid + " " + RunId.startTime(pid);
          without.put(which, withoutEnvironment.getOrDefault(which, 0) + 1);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      LOG.warn(
          "cannot scan /proc for processes that ended servers left behind: {}", e.getMessage());
    }
    withoutEnvironment = without;
    return new Scan(found, without.values().stream().anyMatch(scans -> scans < SCANS_IN_DOUBT));
  }

  /**
   * Opens a pidfd, then reads the mark again: it is then the mark of the process that the
   * descriptor refers to, so no other process is ever signalled.
   */
  private void kill(Path process, String variable, String value) {
    int pid = Integer.parseInt(process.getFileName().toString());
    int pidfd = Posix.pidfdOpen(pid);
    if (value.equals(valueOf(variable, read(process, "environ")))) {
      if (pidfd >= 0) {
        Posix.pidfdSendSignal(pidfd, Posix.SIGKILL);
      } else {
        Posix.kill(pid, Posix.SIGKILL);
      }
    }
    if (pidfd >= 0) {
      Posix.close(pidfd);
    }
  }

  private static @Nullable String valueOf(String name, String environment) {
    String prefix = name + "=";
    int from = environment.startsWith(prefix) ? 0 : environment.indexOf("\0" + prefix) + 1;
    if (from == 0 && !environment.startsWith(prefix)) {
      return null;
    }
    int to = environment.indexOf('\0', from);
    return environment.substring(from + prefix.length(), to < 0 ? environment.length() : to);
  }

  /**
   * Empty where the process is gone, or belongs to another user. In one call of the system, unless
   * it is very long: the program may be replaced before a second one.
   */
  private String read(Path process, String file) {
    buffer.clear();
    try (SeekableByteChannel channel = Files.newByteChannel(process.resolve(file))) {
      channel.read(buffer);
      if (!buffer.hasRemaining()) {
        return Files.readString(process.resolve(file), StandardCharsets.ISO_8859_1);
      }
    } catch (IOException e) {
      return "";
    }
    return StandardCharsets.ISO_8859_1.decode(buffer.flip()).toString();
  }
}
