package dev.mcpbus.directory;

import static dev.mcpbus.bus.BusTests.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FakeConnection;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.directory.aggregate.AggregateService;
import dev.mcpbus.security.Principal;
import dev.mcpbus.testing.OpenAccess;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What waits for the list of servers, which a single status that hangs delays. */
@ExtendWith(VertxExtension.class)
class DirectoryTest {

  private static final JsonObject SERVERS =
      new JsonObject()
          .put(
              "servers",
              new JsonArray()
                  .add(new JsonObject().put("id", "far").put("state", "READY"))
                  .add(new JsonObject().put("id", "near").put("state", "IDLE")));

  private final BlockingQueue<Message<JsonObject>> readings = new LinkedBlockingQueue<>();

  @SuppressWarnings("NullAway.Init") // set before each test
  private Vertx vertx;

  @SuppressWarnings("NullAway.Init")
  private Directory directory;

  /** The first reading, of the verticle's start, has ended; the next one hangs. */
  @BeforeEach
  void refresh(Vertx vertx) throws InterruptedException {
    this.vertx = vertx;
    directory = OpenAccess.directory(vertx);
    vertx.eventBus().<JsonObject>consumer(Addresses.SERVERS_LIST, readings::add);
    await(
        vertx.deployVerticle(
            new DirectoryVerticle(
                directory, List.of(new AggregateService(NamePolicy.DOTTED, false)))));
    readings.take().reply(new JsonObject().put("servers", new JsonArray()));
    await(directory.ready(vertx));
    await(directory.refresh(vertx));
  }

  @Test
  void a_request_for_lists_waits_until_the_servers_are_read() throws InterruptedException {
    new FakeConnection(vertx, "near").event(Events.SERVER_ADDED, new JsonObject());
    Awaitility.await().until(() -> directory.snapshot().server("near") != null);

    Future<DirectorySnapshot> servers = directory.ready(vertx);
    Future<DirectorySnapshot> view =
        directory.ready(
            vertx,
            DirectoryView.all(OpenAccess.control().rights(Principal.LOCAL), false),
            List.of(ListKind.TOOLS));
    assertThat(servers.isComplete()).isFalse();
    assertThat(view.isComplete()).isFalse();
    readings.take().reply(SERVERS);

    assertThat(await(servers).ids()).containsExactly("far", "near");
    assertThat(await(view).ids()).containsExactly("far", "near");
  }

  /** A tool may be called once it is listed, and the status says whether it makes tasks. */
  @Test
  void the_status_of_a_server_that_connects_is_read_before_its_lists() throws InterruptedException {
    BlockingQueue<String> asked = new LinkedBlockingQueue<>();
    Promise<Void> listens = Promise.promise();
    vertx.runOnContext(
        now -> {
          for (String suffix : List.of(Addresses.STATUS, Addresses.TOOLS_LIST)) {
            vertx.eventBus().consumer("mcp.near." + suffix, request -> asked.add(suffix));
          }
          listens.complete();
        });
    await(listens.future());
    new FakeConnection(vertx, "near")
        .event(Events.CONNECTED, new JsonObject().put("era", "INITIALIZE"));
    assertThat(asked.take()).isEqualTo(Addresses.STATUS);
    assertThat(asked.take()).isEqualTo(Addresses.TOOLS_LIST);
  }

  @Test
  void a_call_by_a_name_that_only_the_list_explains_waits_for_it() throws InterruptedException {
    new FakeConnection(vertx, "far").answering(Addresses.TOOLS_CALL, "{\"content\":[]}");
    Future<Message<JsonObject>> call =
        vertx
            .eventBus()
            .request(Addresses.ALL_TOOLS_CALL, new JsonObject().put("name", "far__work"));
    readings.take().reply(SERVERS);

    assertThat(await(call).body()).isEqualTo(new JsonObject().put("content", new JsonArray()));
  }
}
