package dev.mcpbus.transport.stdio;

import dev.mcpbus.transport.TransportException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Kills all children when this JVM dies, even by {@code kill -9}. It is a small shell in its own
 * session that reads the process group of every child from its stdin. When stdin ends, the JVM is
 * dead: the shell kills the groups and every process marked with {@link RunId#SELF}, and stops the
 * containers that children have started ({@link ContainerProcess}). If the shell dies, the spawn
 * thread starts it again. A dot ends it at once, when no child is left. Else it ends when it has
 * found no process for half a second: a process that is about to run another program has no
 * environment for a moment. Locked, because the spawn thread adds groups and the loop thread
 * removes them, a few times per child.
 */
final class OrphanReaper implements ProcessLoop.DescriptorOwner {

  private static final Logger LOG = LoggerFactory.getLogger(OrphanReaper.class);
  private static final int MOST_RESTARTS = 20;

  private static final String SCRIPT =
      """
      trap '' HUP INT TERM
      mark=MCPBUS_RUN=$1
      groups=' '
      while read -r line; do
        case $line in
          .) exit 0 ;;
          +*) groups="$groups${line#+} " ;;
          -*) group=${line#-}
              case $groups in
                *" $group "*) groups="${groups%%" $group "*} ${groups#*" $group "}" ;;
              esac ;;
        esac
      done
      for group in $groups; do kill -s KILL -- "-$group"; done
      if [ -n "$2" ] && [ -O "$2" ] && [ ! -L "$2" ]; then
        for script in "$2/$1".*.sh; do
          if [ -f "$script" ] && [ -O "$script" ] && [ ! -L "$script" ]; then sh "$script" & fi
        done
      fi
      round=0
      none=0
      while [ $round -lt 100 ]; do
        left=$(grep -lF "$mark" /proc/[0-9]*/environ)
        none=$((none + 1))
        [ -n "$left" ] && none=0
        [ $none -ge 10 ] && exit 0
        for file in $left; do
          pid=${file#/proc/}
          kill -9 "${pid%/environ}"
        done
        sleep 0.05 || sleep 1
        round=$((round + 1))
      done
      """;

  private final DescendantSweep descendants = new DescendantSweep();
  private final Set<Integer> groups = new HashSet<>();
  private final ByteBuffer line = Posix.allocate(8 * 1024);
  private int pid = -1;
  private int stdin = -1;
  private int pidfd = -1;
  private @Nullable ProcessLoop joined;
  private long serial;
  private int restarts;
  private boolean swept;
  private boolean ending;

  DescendantSweep descendants() {
    return descendants;
  }

  /** Runs on the spawn thread, before a child is started. */
  synchronized void ensureRunning() {
    if (!swept) {
      swept = true;
      descendants.sweepDeadRuns();
      ContainerProcess.stopOfDeadRuns();
    }
    if (pid < 0 && restarts <= MOST_RESTARTS) {
      start();
    }
  }

  synchronized void add(int group) {
    groups.add(group);
    write("+" + group + "\n");
  }

  /** Called before the group's leader is reaped, while the pid cannot belong to another process. */
  synchronized void remove(int group) {
    groups.remove(group);
    write("-" + group + "\n");
  }

  /** If the write fails, the shell is dead, and its successor gets all groups. */
  private void write(String text) {
    if (stdin >= 0) {
      byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
      line.put(0, bytes);
      Posix.write(stdin, Posix.address(line), bytes.length);
    }
  }

  private void start() {
    String path = System.getenv().getOrDefault("PATH", "/usr/local/bin:/usr/bin:/bin");
    LaunchSpec launch =
        new LaunchSpec(
            Path.of("/bin/sh"),
            List.of(
                "sh",
                "-c",
                SCRIPT,
                "mcpbus-orphan-reaper",
                RunId.SELF,
                ContainerProcess.isSafe(ContainerProcess.FOLDER)
                    ? ContainerProcess.FOLDER.toString()
                    : ""),
            Map.of("PATH", path),
            Path.of("/"));
    int none = Posix.open("/dev/null", Posix.O_RDWR | Posix.O_CLOEXEC);
    try {
      PosixSpawn.Pipe pipe = PosixSpawn.Pipe.open();
      try {
        pid = PosixSpawn.start(launch, pipe.read(), none, none, null);
      } catch (TransportException e) {
        Posix.close(pipe.write());
        throw e;
      } finally {
        Posix.close(pipe.read());
      }
      stdin = pipe.write();
      Posix.fcntl(stdin, Posix.F_SETFL, Posix.O_NONBLOCK);
      int descriptor = Posix.pidfdOpen(pid);
      pidfd = descriptor;
      if (descriptor >= 0) {
        ProcessLoop loop = ChildThreads.loop();
        joined = loop;
        loop.execute(
            () -> {
              serial = loop.join(this, true);
              loop.watch(descriptor, Posix.EPOLLIN, serial, 0);
            });
      }
      groups.forEach(group -> write("+" + group + "\n"));
    } catch (TransportException e) {
      restarts = MOST_RESTARTS + 1;
      LOG.warn(
          "the orphan reaper cannot be started, so child processes survive if this JVM is killed:"
              + " {}",
          e.getMessage());
    } finally {
      Posix.close(none);
    }
  }

  /** The shell died: this thread reaps it, the spawn thread starts another. */
  @Override
  public void ready(int tag) {
    synchronized (this) {
      if (joined != null) {
        joined.leave(serial);
      }
      Posix.close(pidfd);
      if (stdin >= 0) {
        Posix.close(stdin);
      }
      Posix.waitpid(pid, new int[1], Posix.WNOHANG);
      pid = -1;
      stdin = -1;
      restarts++;
      if (ending) {
        return;
      }
    }
    LOG.warn("the orphan reaper of child processes has died; starting it again");
    ChildThreads.spawn(this::ensureRunning);
  }

  /** Ends the shell, which has nothing to do any more. Runs on the loop's thread. */
  synchronized void end() {
    ending = true;
    if (pid >= 0) {
      write(".\n");
      Posix.close(stdin);
      stdin = -1;
      if (pidfd < 0) {
        Posix.waitpid(pid, new int[1], 0);
        pid = -1;
      }
    }
  }

  @Override
  public void sweep() {}
}
