package dev.mcpbus.bench.cluster;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import dev.mcpbus.McpBus;
import dev.mcpbus.TestOptions;
import dev.mcpbus.bench.Contender;
import dev.mcpbus.bench.Load;
import dev.mcpbus.bench.Payload;
import dev.mcpbus.cluster.engine.HazelcastCluster;
import dev.mcpbus.cluster.ownership.OwnershipOptions;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.supervisor.SupervisorOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One node, without doors; with no servers in its file a {@link PlainCluster}. Joins at once, as
 * its file says, and then does what the lines on stdin say, JSON objects with {@code do}, one JSON
 * line on stdout for each. Ends with its stdin; on SIGTERM it hands over first, within the time
 * that the service takes for it.
 */
final class NodeMain {

  private static final long SHUTDOWN_SECONDS = 10;

  private final Path file;
  private final McpBusConfig config;
  private final ConfigResult read;
  private final Vertx vertx;
  private final Map<Hop, Contender> hops = new EnumMap<>(Hop.class);
  private final Strain strain;
  private final Registrations registrations;
  private @Nullable Settlement settlement;
  private volatile @Nullable McpBus bus;

  private NodeMain(Path file) throws Exception {
    this.file = file;
    this.read = ConfigReader.read(file, ConfigEnvironment.system());
    this.config =
        read.usable().orElseThrow(() -> new IllegalArgumentException("" + read.problems()));
    this.vertx =
        (config.servers().isEmpty()
                ? PlainCluster.start(McpBus.vertxOptions(), config.cluster())
                : HazelcastCluster.start(McpBus.vertxOptions(), config.cluster(), null))
            .await(60, TimeUnit.SECONDS);
    this.strain = new Strain(vertx);
    this.registrations = new Registrations(vertx);
    Runtime.getRuntime().addShutdownHook(new Thread(this::end, "end"));
  }

  /** Argument: the configuration. */
  public static void main(String[] args) throws Exception {
    PrintStream out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    NodeMain node = new NodeMain(Path.of(args[0]));
    String id = ((VertxInternal) node.vertx).clusterManager().getNodeId();
    out.println(new JsonObject().put("node", id).encode());
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      out.println(node.answer(new JsonObject(line)).encode());
    }
    Runtime.getRuntime().halt(0);
  }

  private JsonObject answer(JsonObject command) throws Exception {
    return switch (command.getString("do")) {
      case "echo" -> echo();
      case "serve" -> serve();
      case "closed" -> closed(command);
      case "watch" -> watch();
      case "settled" -> settlement().look();
      case "claims" -> settlement().claims();
      case "routine" -> settlement().routine();
      case "strain" -> strain.since();
      case "memory" -> Strain.memory();
      case "register" -> registrations.register(command.getInteger("count"));
      case "unregister" -> registrations.unregister();
      case "registered" -> new JsonObject().put("all", subscriptions());
      default -> throw new IllegalArgumentException("unknown command: " + command.encode());
    };
  }

  /** The other end of a bare request. */
  private JsonObject echo() throws Exception {
    Buffer result = Buffer.buffer(Payload.RESULT);
    vertx
        .eventBus()
        .<Buffer>consumer(Hop.ECHO, message -> message.reply(result))
        .completion()
        .await(10, TimeUnit.SECONDS);
    return new JsonObject();
  }

  /** Answers when the tree is started; connections come up by themselves. */
  private JsonObject serve() throws Exception {
    Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
    TestOptions options =
        TestOptions.of(
                config.servers(),
                SupervisorOptions.of(config.strategy(), config.startConcurrency()),
                null,
                ServerEntryReader.in(folder, ConfigEnvironment.system(), read.defaults()))
            .withPlacement(OwnershipOptions.DEFAULT.withQuorum(config.cluster().quorum()));
    bus = options.start(vertx).await(120, TimeUnit.SECONDS);
    return new JsonObject();
  }

  private JsonObject closed(JsonObject command) throws Exception {
    Hop hop = Hop.valueOf(command.getString("hop"));
    Contender contender = hops.get(hop);
    if (contender == null) {
      contender = hop.contender(vertx);
      hops.put(hop, contender);
    }
    Load.Result result =
        Load.closed(contender, command.getInteger("callers"), command.getLong("millis"));
    return new JsonObject()
        .put("calls", result.calls())
        .put("failures", result.failures())
        .put("perSecond", result.perSecond())
        .put("cpuMicros", result.cpuMicros())
        .put("p50Micros", result.p50Micros())
        .put("p99Micros", result.p99Micros());
  }

  private JsonObject watch() throws Exception {
    settlement = new Settlement(vertx, config.servers().size());
    return new JsonObject();
  }

  private Settlement settlement() {
    Settlement begun = settlement;
    if (begun == null) {
      throw new IllegalStateException("\"watch\" comes first");
    }
    return begun;
  }

  /** Of all nodes, as Vert.x keeps them. */
  private static int subscriptions() {
    HazelcastInstance engine = Hazelcast.getAllHazelcastInstances().iterator().next();
    return engine.getMultiMap("__vertx.subs").size();
  }

  private void end() {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(SHUTDOWN_SECONDS);
    try {
      McpBus serving = bus;
      if (serving != null) {
        await(serving.close(), until);
      }
      await(vertx.close(), until);
    } catch (Exception e) {
      System.err.println(
          "bench: a node could not end in order within " + SHUTDOWN_SECONDS + " s: " + e);
    }
  }

  private static void await(Future<?> future, long until) throws Exception {
    future.await(Math.max(1, until - System.nanoTime()), TimeUnit.NANOSECONDS);
  }
}
