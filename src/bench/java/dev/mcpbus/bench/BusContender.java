package dev.mcpbus.bench;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.TelemetryOptions;
import dev.mcpbus.config.RpcLogMode;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.supervisor.RestartPolicy;
import dev.mcpbus.supervisor.SupervisorOptions;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What an application does: a verticle that sends to {@code mcp.<id>.tools.call}. */
final class BusContender implements Contender {

  /** A flag of the JVM: whether the application measures. */
  static final String METRICS = "mcpbus.bench.metrics";

  /** A flag of the JVM: the URL to which the application sends traces. */
  static final String TRACES = "mcpbus.bench.traces";

  /** The part of calls that have a trace. */
  static final double SAMPLING = 0.1;

  private final List<String> addresses = new ArrayList<>();
  private final BusSetting setting;
  private final Vertx vertx;
  private final EventBus bus;
  private Context context;
  private int next;

  BusContender(BusSetting setting) {
    this.setting = setting;
    this.vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(setting.eventLoops()));
    this.bus = vertx.eventBus();
    this.context = vertx.getOrCreateContext();
    for (int i = 0; i < setting.connections(); i++) {
      addresses.add("mcp.echo-" + i + ".tools.call");
    }
  }

  @Override
  public void open() throws Exception {
    List<ServerDefinition> servers = new ArrayList<>();
    for (int i = 0; i < addresses.size(); i++) {
      servers.add(definition("echo-" + i));
    }
    TestOptions options =
        TestOptions.of(
            servers,
            SupervisorOptions.DEFAULT,
            null,
            (name, entry) -> {
              throw McpFailure.notSent(FailureCode.BAD_REQUEST, "the benchmark takes no servers");
            });
    options.withTelemetry(telemetry()).start(vertx).await(60, TimeUnit.SECONDS);
    for (int i = 0; i < addresses.size(); i++) {
      awaitReady("mcp.echo-" + i + ".status");
    }
    Caller caller = new Caller();
    vertx.deployVerticle(caller).await(10, TimeUnit.SECONDS);
    context = caller.context();
  }

  private static TelemetryOptions telemetry() {
    String url = System.getProperty(TRACES);
    return new TelemetryOptions(Boolean.getBoolean(METRICS), url != null, url, SAMPLING, null);
  }

  /** The caller's own event loop. */
  private static final class Caller extends AbstractVerticle {
    Context context() {
      return context;
    }
  }

  private ServerDefinition definition(String id) {
    return new ServerDefinition(
        new ConnectionId(id),
        id,
        setting.server(),
        RecordCopy.with(ConnectionOptions.DEFAULT, "protocolVersion", setting.version()),
        RestartPolicy.DEFAULT,
        RpcLogMode.OFF,
        Duration.ofSeconds(1),
        "bench",
        new JsonObject(),
        Redactor.NONE);
  }

  private void awaitReady(String address) throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      JsonObject status = bus.<JsonObject>request(address, null).await(5, TimeUnit.SECONDS).body();
      if ("READY".equals(status.getString("state"))) {
        return;
      }
      if (System.nanoTime() > until) {
        throw new IllegalStateException("no connection: " + status.encode());
      }
      Thread.sleep(5);
    }
  }

  @Override
  public void execute(Runnable task) {
    context.runOnContext(ignored -> task.run());
  }

  @Override
  public void call(Reply reply) {
    String address = addresses.get(next);
    next = next + 1 == setting.called() ? 0 : next + 1;
    if (setting.raw()) {
      bus.<Buffer>request(address, Payload.RAW_PARAMS)
          .onComplete(
              (answer, failure) ->
                  reply.ended(
                      failure != null
                          ? failure
                          : check(answer.body().length() == Payload.RESULT.length())));
    } else {
      bus.<JsonObject>request(address, Payload.PARAMS)
          .onComplete(
              (answer, failure) ->
                  reply.ended(
                      failure != null ? failure : check(!answer.body().getBoolean("isError"))));
    }
  }

  private static @Nullable Throwable check(boolean right) {
    return right ? null : new IllegalStateException("not the answer that was expected");
  }
}
