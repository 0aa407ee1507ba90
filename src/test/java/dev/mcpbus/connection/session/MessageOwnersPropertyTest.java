package dev.mcpbus.connection.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.Transport;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Three principals call one server over one session, in any order: they cancel, calls time out, the
 * server is silent, answers late, and says things about calls, about those that have ended, and
 * about none. The model knows whose each message is. It must reach no other principal; with
 * evidence it reaches its call; without evidence it reaches a principal only where the server can
 * be working for no other. Time passes by hand.
 *
 * <p>{@code -Dmcpbus.owners.runs} and {@code -Dmcpbus.owners.seed} set how many runs there are, and
 * the seed of the first.
 */
@ExtendWith(VertxExtension.class)
class MessageOwnersPropertyTest {

  private static final int RUNS = Integer.getInteger("mcpbus.owners.runs", 400);
  private static final long SEED = Long.getLong("mcpbus.owners.seed", 20_260_728L);
  private static final int STEPS = 120;
  private static final long PATIENCE = 1_000;
  private static final List<String> PRINCIPALS = List.of("ada", "bob", "cleo");

  /** How a message says what it is about. */
  private enum Evidence {
    NONE,
    TOKEN,
    META_TOKEN,
    SUBSCRIPTION,
    REQUEST
  }

  private static final List<Evidence> EVIDENCE = List.of(Evidence.values());

  /** What the server works on. */
  private record Job(long id, OwnedCall call) {
    String owner() {
      return Objects.requireNonNull(call.owner());
    }
  }

  @ParameterizedTest
  @CsvSource({"DISCOVER,false", "DISCOVER,true", "INITIALIZE,false", "INITIALIZE,true"})
  void each_message_reaches_its_owner_and_nobody_else(Era era, boolean streams, Vertx vertx) {
    int delivered = 0;
    for (int run = 0; run < RUNS; run++) {
      long seed = SEED + run;
      World world = new World(vertx, era, streams, new Random(seed));
      try {
        for (int step = 0; step < STEPS; step++) {
          world.step();
        }
      } catch (AssertionError wrong) {
        throw new AssertionError(
            "-Dmcpbus.owners.seed=" + seed + " -Dmcpbus.owners.runs=1: " + world.story, wrong);
      }
      delivered += world.delivered;
    }
    assertThat(delivered).as("messages that reached a call").isGreaterThan(RUNS);
  }

  /** One session, its callers and its server. */
  private static final class World implements Transport, Channel, SessionListener {

    private final Random random;
    private final boolean streams;
    private final Session session;
    private final Map<Long, Runnable> timers = new TreeMap<>();
    private final List<OwnedCall> calls = new ArrayList<>();

    /** What the server works on, whether a caller waits or not. */
    private final List<Job> jobs = new ArrayList<>();

    /** What the server has let go without an answer: nothing tells mcpbus. */
    private final List<Job> dropped = new ArrayList<>();

    final List<String> story = new ArrayList<>();
    private long now;
    private long names;
    private long questions;
    private @Nullable Receiver receiver;
    private @Nullable String toCall;
    private @Nullable MessageOwner toOthers;
    int delivered;

    World(Vertx vertx, Era era, boolean streams, Random random) {
      this.random = random;
      this.streams = streams;
      SessionPreferences preferences = new SessionPreferences(RawJson.EMPTY_OBJECT);
      RawJson client = RawJson.of(new Implementation("test", "1").toJson());
      SessionEra spoken =
          era == Era.DISCOVER
              ? new DiscoverEra(client, preferences)
              : new InitializeEra(
                  RawJson.EMPTY_OBJECT, null, preferences, null, ProtocolVersion.LATEST_INITIALIZE);
      session =
          new Session(
              context(vertx), this, spoken, ConnectionOptions.DEFAULT, () -> now, null, null, this);
      session.connect();
    }

    /** A context whose timers are turned by hand. */
    private Context context(Vertx vertx) {
      Vertx manual =
          proxied(
              Vertx.class,
              vertx,
              (name, arguments) -> {
                if (name.equals("setTimer") && arguments[1] instanceof Handler<?> handler) {
                  @SuppressWarnings("unchecked")
                  Handler<Long> due = (Handler<Long>) handler;
                  long key = ++names;
                  long at = now + (long) arguments[0];
                  timers.put(key, () -> fire(key, at, due));
                  return key;
                }
                if (name.equals("cancelTimer")) {
                  return timers.remove((long) arguments[0]) != null;
                }
                return null;
              });
      return proxied(
          Context.class,
          vertx.getOrCreateContext(),
          (name, arguments) -> name.equals("owner") ? manual : null);
    }

    private void fire(long key, long at, Handler<Long> due) {
      if (at <= now && timers.remove(key) != null) {
        due.handle(key);
      }
    }

    @FunctionalInterface
    private interface Instead {
      @Nullable Object of(String name, Object[] arguments);
    }

    private static <T> T proxied(Class<T> type, T real, Instead instead) {
      return type.cast(
          Proxy.newProxyInstance(
              type.getClassLoader(),
              new Class<?>[] {type},
              (self, method, arguments) -> {
                Object own =
                    instead.of(method.getName(), arguments == null ? new Object[0] : arguments);
                if (own != null) {
                  return own;
                }
                try {
                  return method.invoke(real, arguments);
                } catch (InvocationTargetException e) {
                  throw Objects.requireNonNull(e.getCause());
                }
              }));
    }

    // ---- what happens

    void step() {
      switch (random.nextInt(10)) {
        case 0, 1 -> call();
        case 2 -> cancel();
        case 3 -> pass();
        case 4 -> answer();
        case 5 -> drop();
        default -> say();
      }
    }

    private void call() {
      String owner = PRINCIPALS.get(random.nextInt(random.nextInt(4) == 0 ? 3 : 2));
      OwnedCall call = new OwnedCall("call-" + calls.size(), owner, now + PATIENCE);
      calls.add(call);
      long id = session.send(call, RawJson.EMPTY_OBJECT);
      jobs.add(new Job(id, call));
      story.add(owner + " calls " + id);
    }

    private void cancel() {
      OwnedCall call = calls.isEmpty() ? null : calls.get(random.nextInt(calls.size()));
      if (call != null && !call.ended) {
        session.cancel(CallReference.ofCaller(call.callId()));
        story.add(call.callId() + " is cancelled");
      }
    }

    private void pass() {
      now += random.nextInt((int) PATIENCE);
      List.copyOf(timers.values()).forEach(Runnable::run);
      story.add("it is " + now);
    }

    private @Nullable Job any(List<Job> of) {
      return of.isEmpty() ? null : of.get(random.nextInt(of.size()));
    }

    private void answer() {
      Job job = any(jobs);
      if (job != null) {
        jobs.remove(job);
        story.add("answers " + job.id());
        hear(
            "{\"jsonrpc\":\"2.0\",\"id\":"
                + job.id()
                + ",\"result\":{\"resultType\":\"complete\"}}",
            job.id());
      }
    }

    /**
     * The server lets a call go that it was told to cancel, or that timed out, and says nothing.
     */
    private void drop() {
      Job job = any(jobs.stream().filter(one -> one.call().ended).toList());
      if (job != null) {
        jobs.remove(job);
        dropped.add(job);
        story.add("drops " + job.id());
      }
    }

    // ---- what the server says

    private void say() {
      Job job = random.nextInt(8) == 0 ? null : any(jobs);
      if (job != null && streams && job.call().ended) {
        return; // its stream is closed
      }
      Evidence evidence =
          job == null ? Evidence.NONE : EVIDENCE.get(random.nextInt(EVIDENCE.size()));
      boolean question = random.nextInt(4) == 0;
      boolean log = !question && random.nextBoolean();
      if (question || log) {
        evidence = Evidence.NONE;
      }
      JsonObject params = new JsonObject();
      long id = job == null ? -1 : job.id();
      switch (evidence) {
        case TOKEN -> params.put("progressToken", "mcpbus-" + id);
        case META_TOKEN ->
            params.put("_meta", new JsonObject().put("progressToken", "mcpbus-" + id));
        case SUBSCRIPTION ->
            params.put("_meta", new JsonObject().put("io.modelcontextprotocol/subscriptionId", id));
        case REQUEST -> params.put("requestId", id);
        default -> {}
      }
      String method =
          question
              ? "elicitation/create"
              : log ? "notifications/message" : "notifications/com.example/news";
      JsonObject message =
          new JsonObject().put("jsonrpc", "2.0").put("method", method).put("params", params);
      if (question) {
        message.put("id", "q" + ++questions);
      }
      toCall = null;
      toOthers = null;
      Set<String> atWork = atWork();
      long stream =
          !streams ? Receiver.ANY_STREAM : job == null ? Receiver.STANDING_STREAM : job.id();
      story.add("says " + message.encode() + " for " + id + " on " + stream);
      hear(message.encode(), stream);
      check(job, evidence != Evidence.NONE || (streams && job != null), question, atWork);
    }

    /** The principals for whom the server may be at work, as far as mcpbus can know. */
    private Set<String> atWork() {
      Set<String> all = jobs.stream().map(Job::owner).collect(Collectors.toSet());
      dropped.forEach(job -> all.add(job.owner()));
      return all;
    }

    private void check(@Nullable Job job, boolean named, boolean question, Set<String> atWork) {
      MessageOwner owner = toOthers;
      String reached =
          toCall == null
              ? null
              : calls.stream()
                  .filter(call -> call.callId().equals(toCall))
                  .findFirst()
                  .orElseThrow()
                  .owner();
      if (reached != null) {
        delivered++;
      }
      String truth = job == null ? null : job.owner();
      for (String principal :
          new @Nullable String[] {reached, owner == null ? null : owner.owner()}) {
        if (principal != null && truth != null) {
          assertThat(principal).as("the principal that gets it").isEqualTo(truth);
        }
        if (principal != null && !named) {
          assertThat(atWork).as("for whom the server works").containsExactly(principal);
        }
      }
      if (owner != null && truth != null) {
        assertThat(owner.restricted()).as("hidden from other principals").isTrue();
      }
      if (job != null && named && !job.call().ended) {
        String call = question ? (owner == null ? null : owner.callId()) : toCall;
        assertThat(call).as("the call that gets it").isEqualTo(job.call().callId());
      }
      if (!named && atWork.size() == 1 && owner != null) {
        assertThat(owner.owner()).as("the only principal").isEqualTo(atWork.iterator().next());
      }
    }

    private void hear(String text, long stream) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      Receiver to = receiver;
      try {
        if (to != null) {
          to.onMessage(Envelope.parse(bytes, 0, bytes.length, ParseLimits.DEFAULT), stream);
        }
      } catch (ProtocolException e) {
        throw new IllegalArgumentException(e);
      }
    }

    // ---- what the session tells

    @Override
    public void onRequest(
        Session of, RawJson id, String method, RawJson params, MessageOwner owner) {
      toOthers = owner;
    }

    @Override
    public void onNotification(Session of, String method, RawJson params, MessageOwner owner) {
      toOthers = owner;
    }

    @Override
    public void onCallNotification(
        String address, @Nullable String callId, String method, RawJson params) {
      toCall = callId;
    }

    @Override
    public boolean onUnfinished(Session of, PendingRequest call, String type, RawJson result) {
      return false;
    }

    @Override
    public boolean onRefused(Session of, PendingRequest call, JsonRpcError error) {
      return false;
    }

    @Override
    public void onListChanged(Session of, String method, RawJson params, boolean passes) {}

    @Override
    public void onReached(String address, String callId) {}

    @Override
    public void onEnded(Session of, McpFailure reason) {}

    // ---- the channel

    @Override
    public Future<Channel> open(Context owner, Receiver hears) {
      receiver = hears;
      return Future.succeededFuture(this);
    }

    @Override
    public boolean hasRequestStreams() {
      return streams;
    }

    @Override
    public String type() {
      return "model";
    }

    @Override
    public String target() {
      return "model";
    }

    @Override
    public void send(OutboundMessage message) {}

    @Override
    public void forget(long id) {}

    @Override
    public void negotiated(String protocolVersion) {}

    @Override
    public Future<Void> close() {
      return Future.succeededFuture();
    }

    @Override
    public JsonObject diagnostics() {
      return new JsonObject();
    }
  }
}
