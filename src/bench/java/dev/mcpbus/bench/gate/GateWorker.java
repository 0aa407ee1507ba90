package dev.mcpbus.bench.gate;

import com.sun.management.ThreadMXBean;
import dev.mcpbus.bench.Contender;
import dev.mcpbus.bench.Kind;
import dev.mcpbus.bench.Load;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The JVM whose cost is measured: {@code call KIND TARGET CONNECTIONS} makes calls itself, {@code
 * run CLASS ARGUMENT...} is called from outside. Answers each line of stdin with one JSON line, and
 * ends with its stdin: {@code count CALLERS CALLS}; {@code mark} says what has been allocated and
 * used since the mark before; {@code weigh} the live objects.
 */
final class GateWorker {

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final @Nullable Contender contender;
  private Map<Long, Used> threads = Map.of();

  /** By one thread so far: bytes, and nanoseconds of CPU. */
  private record Used(long bytes, long cpu) {
    static final Used NOTHING = new Used(0, 0);
  }

  private GateWorker(@Nullable Contender contender) {
    this.contender = contender;
  }

  public static void main(String[] args) throws Exception {
    PrintStream out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    Contender contender = null;
    if (args[0].equals("call")) {
      contender = Kind.valueOf(args[1]).create(args[2], Integer.parseInt(args[3]));
      contender.open();
    } else {
      run(args[1], Arrays.copyOfRange(args, 2, args.length));
    }
    GateWorker worker = new GateWorker(contender);
    out.println(new JsonObject().put("open", true).encode());
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      out.println(worker.answer(line.split(" ")).encode());
    }
    System.exit(0);
  }

  /** Whether it listens is asked from outside. */
  private static void run(String name, String[] args) throws ReflectiveOperationException {
    Method main = Class.forName(name).getDeclaredMethod("main", String[].class);
    main.setAccessible(true);
    Thread thread =
        new Thread(
            () -> {
              try {
                main.invoke(null, (Object) args);
              } catch (ReflectiveOperationException e) {
                e.printStackTrace();
                System.exit(1);
              }
            },
            "main of " + name);
    thread.start();
  }

  private JsonObject answer(String[] words) throws Exception {
    return switch (words[0]) {
      case "count" -> count(Integer.parseInt(words[1]), Long.parseLong(words[2]));
      case "mark" -> mark();
      case "weigh" -> weigh();
      default -> throw new IllegalArgumentException("unknown command: " + words[0]);
    };
  }

  private JsonObject count(int callers, long calls) throws InterruptedException {
    if (contender == null) {
      throw new IllegalStateException("it is called from outside");
    }
    Load.Result result = Load.counted(contender, callers, calls);
    if (result.failures() > 0) {
      throw new IllegalStateException(result.failures() + " calls failed");
    }
    return new JsonObject().put("calls", result.calls());
  }

  /**
   * Threads that have ended since the mark before are left out, and so is what the JVM itself uses:
   * a process's CPU time has steps of 10 ms, a thread's has not.
   */
  private JsonObject mark() {
    long[] ids = THREADS.getAllThreadIds();
    long[] bytes = THREADS.getThreadAllocatedBytes(ids);
    long[] cpu = THREADS.getThreadCpuTime(ids);
    Map<Long, Used> now = new LinkedHashMap<>();
    long allBytes = 0;
    long allCpu = 0;
    for (int i = 0; i < ids.length; i++) {
      Used before = threads.getOrDefault(ids[i], Used.NOTHING);
      now.put(ids[i], new Used(bytes[i], cpu[i]));
      allBytes += bytes[i] - before.bytes();
      allCpu += cpu[i] - before.cpu();
    }
    threads = now;
    return new JsonObject().put("bytes", allBytes).put("cpu", allCpu);
  }

  private static JsonObject weigh() throws InterruptedException {
    for (int i = 0; i < 4; i++) {
      System.gc();
      Thread.sleep(100);
    }
    return new JsonObject()
        .put("heap", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
  }
}
