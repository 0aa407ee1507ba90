package dev.mcpbus.bench.cluster;

import dev.mcpbus.bench.Contender;
import dev.mcpbus.bench.Payload;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.McpServerClient;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** How a verticle calls: raw bytes there and back, about 200 of them each way. */
enum Hop {
  /** Between two processes that have nothing of ours but the class path. */
  BARE("bare request, echo on the other node", false),
  FAR_BUS("bus, connection on the other node", true),
  FAR_FACADE("facade, connection on the other node", true),
  OWNER_BUS("bus, on the owner", true),
  OWNER_FACADE("facade, on the owner", true);

  static final String ECHO = "bench.echo";
  static final String NEAR = "near";
  static final String FAR = "far";

  final String label;

  /** Whether nodes of mcpbus make the call. */
  final boolean ours;

  Hop(String label, boolean ours) {
    this.label = label;
    this.ours = ours;
  }

  boolean isFar() {
    return this != OWNER_BUS && this != OWNER_FACADE;
  }

  /** Blocks until its caller is deployed, on an event loop of its own. */
  Contender contender(Vertx vertx) throws Exception {
    Caller caller = new Caller();
    vertx.deployVerticle(caller).await(10, TimeUnit.SECONDS);
    return new Calling(caller.context(), call(vertx));
  }

  private Supplier<Future<Buffer>> call(Vertx vertx) {
    return switch (this) {
      case BARE -> bus(vertx, ECHO);
      case FAR_BUS -> bus(vertx, address(FAR));
      case OWNER_BUS -> bus(vertx, address(NEAR));
      case FAR_FACADE -> facade(vertx, FAR);
      case OWNER_FACADE -> facade(vertx, NEAR);
    };
  }

  static String address(String id) {
    return Addresses.of(new ConnectionId(id), Addresses.TOOLS_CALL);
  }

  private static Supplier<Future<Buffer>> bus(Vertx vertx, String address) {
    EventBus bus = vertx.eventBus();
    return () -> bus.<Buffer>request(address, Payload.RAW_PARAMS).map(Message::body);
  }

  private static Supplier<Future<Buffer>> facade(Vertx vertx, String id) {
    McpServerClient server = McpClient.create(vertx).server(id);
    return () -> server.send(Addresses.TOOLS_CALL, Payload.RAW_PARAMS, CallOptions.DEFAULT);
  }

  private static final class Caller extends AbstractVerticle {
    Context context() {
      return context;
    }
  }

  private record Calling(Context context, Supplier<Future<Buffer>> call) implements Contender {

    @Override
    public void open() {}

    @Override
    public void execute(Runnable task) {
      context.runOnContext(now -> task.run());
    }

    @Override
    public void call(Reply reply) {
      call.get()
          .onComplete(
              (answer, failure) ->
                  reply.ended(
                      failure != null || answer.length() == Payload.RESULT.length()
                          ? failure
                          : new IllegalStateException("not the answer that was expected")));
    }
  }
}
