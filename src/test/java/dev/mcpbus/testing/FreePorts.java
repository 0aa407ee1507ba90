package dev.mcpbus.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Ports of the loopback interface for servers that have to know theirs before they listen. They are
 * below those that Linux gives to connections and to servers that take any: what else runs on the
 * machine, such as a second JVM of the build, does not take one in the meantime.
 */
public final class FreePorts {

  private static final int FIRST = 20_000;
  private static final int COUNT = 12_000;

  /** JVMs that were started one after the other begin far from each other. */
  private static int next = (int) (ProcessHandle.current().pid() * 1_009 % COUNT);

  private FreePorts() {}

  public static int one() {
    return row(1);
  }

  public static List<Integer> list(int count) {
    int first = row(count);
    return IntStream.range(first, first + count).boxed().toList();
  }

  /** The first of so many in a row; never given again by this JVM, but after {@value #COUNT}. */
  public static synchronized int row(int count) {
    for (int tries = 0; tries < COUNT; tries += count) {
      if (next + count > COUNT) {
        next = 0;
      }
      int first = FIRST + next;
      next += count;
      if (IntStream.range(first, first + count).allMatch(FreePorts::isFree)) {
        return first;
      }
    }
    throw new AssertionError("no " + count + " free ports in a row");
  }

  private static boolean isFree(int port) {
    try (ServerSocket one = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return one.isBound();
    } catch (IOException taken) {
      return false;
    }
  }
}
