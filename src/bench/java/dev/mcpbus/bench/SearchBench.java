package dev.mcpbus.bench;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.directory.DirectoryVerticle;
import dev.mcpbus.directory.aggregate.AggregateService;
import dev.mcpbus.testing.OpenAccess;
import dev.mcpbus.testing.ToolCorpus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Tool search over the bus at 5,000 tools: the time to the first answer, searches per second, p99
 * and heap. {@code --quick} gives every row, too short to mean anything.
 */
public final class SearchBench {

  private static final int TOOLS = 5_000;

  private final Vertx vertx = Vertx.vertx();
  private final List<Buffer> queries;
  private final Duration time;

  private SearchBench(List<Buffer> queries, Duration time) {
    this.queries = queries;
    this.time = time;
  }

  public static void main(String[] args) throws Exception {
    boolean quick = List.of(args).contains("--quick");
    List<Buffer> queries =
        Files.readAllLines(Path.of("src", "test", "resources", "search-queries.txt")).stream()
            .filter(line -> !line.startsWith("#"))
            .map(line -> line.split(" \\| ", 2)[0])
            .map(query -> new JsonObject().put("query", query).toBuffer())
            .toList();
    new SearchBench(queries, Duration.ofMillis(quick ? 200 : 10_000)).run();
  }

  private void run() throws Exception {
    Codecs.register(vertx);
    JsonArray servers = new JsonArray();
    for (Map.Entry<String, JsonObject> one : ToolCorpus.servers(TOOLS).entrySet()) {
      Buffer list = one.getValue().toBuffer();
      servers.add(new JsonObject().put("id", one.getKey()).put("state", "READY"));
      vertx
          .eventBus()
          .consumer(
              Addresses.of(new ConnectionId(one.getKey()), Addresses.TOOLS_LIST),
              message -> message.reply(list));
    }
    vertx
        .eventBus()
        .consumer(
            Addresses.SERVERS_LIST,
            message -> message.reply(new JsonObject().put("servers", servers)));
    String cold = deploy();
    first("cold");
    await(vertx.undeploy(cold));
    String listing = deploy();
    long without = heap();
    await(vertx.undeploy(listing));
    deploy();
    first("warm");
    System.out.printf("heap of the index: %.1f MB%n", (heap() - without) / 1e6);
    for (int callers : new int[] {1, 1, 16}) {
      measure(callers);
    }
    await(vertx.close());
  }

  /** A catalog that knows all tools. */
  private String deploy() throws Exception {
    String id =
        await(
            vertx.deployVerticle(
                new DirectoryVerticle(
                    OpenAccess.directory(vertx),
                    List.of(new AggregateService(NamePolicy.DOTTED, false)))));
    await(vertx.eventBus().request(Addresses.ALL_TOOLS_LIST, Buffer.buffer("{}")));
    return id;
  }

  private void first(String how) throws Exception {
    long start = System.nanoTime();
    await(vertx.eventBus().request(Addresses.ALL_TOOLS_SEARCH, queries.get(0)));
    System.out.printf(
        "first search, %s: index of %,d tools in %,d ms%n",
        how, TOOLS, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
  }

  private void measure(int callers) throws Exception {
    Histogram times = new Histogram();
    AtomicLong failed = new AtomicLong();
    CountDownLatch ended = new CountDownLatch(callers);
    AtomicLong next = new AtomicLong();
    long start = System.nanoTime();
    long end = start + time.toNanos();
    for (int i = 0; i < callers; i++) {
      search(next, end, times, failed, ended);
    }
    ended.await();
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.printf(
        "%3d callers: %,.0f searches/s, p50 %.2f ms, p99 %.2f ms, %d failed%n",
        callers,
        times.count() / seconds,
        times.micros(0.5) / 1_000,
        times.micros(0.99) / 1_000,
        failed.get());
  }

  private void search(
      AtomicLong next, long end, Histogram times, AtomicLong failed, CountDownLatch ended) {
    long start = System.nanoTime();
    if (start > end) {
      ended.countDown();
      return;
    }
    Buffer query = queries.get((int) (next.getAndIncrement() % queries.size()));
    vertx
        .eventBus()
        .request(Addresses.ALL_TOOLS_SEARCH, query)
        .onComplete(
            reply -> {
              if (reply.failed()) {
                failed.incrementAndGet();
              }
              times.record(System.nanoTime() - start);
              search(next, end, times, failed, ended);
            });
  }

  /** After collections until one frees nothing more to speak of. */
  private static long heap() throws InterruptedException {
    for (int i = 0; i < 8; i++) {
      System.gc();
      Thread.sleep(50);
    }
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }
}
