package dev.mcpbus.gateway.client;

import static dev.mcpbus.bus.BusTests.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.gateway.client.ClientConnections.Opened;
import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.HostMessage.StatedClient;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Else a caller who sends each request under a new name fills the memory of its host. */
@ExtendWith(VertxExtension.class)
class GatewayClientsTest {

  @SuppressWarnings("NullAway.Init") // by open
  private Context context;

  @SuppressWarnings("NullAway.Init") // by open
  private HostParts parts;

  @SuppressWarnings("NullAway.Init") // by open
  private GatewayClients clients;

  @BeforeEach
  void open(Vertx vertx) {
    Codecs.register(vertx);
    vertx
        .eventBus()
        .consumer(
            Addresses.SERVERS_LEASE, wish -> wish.reply(new JsonObject().put("lease", "own")));
    context = vertx.getOrCreateContext();
    on(
        () -> {
          parts = ParkedCallsTest.parts(vertx);
          clients = ParkedCallsTest.clients(parts);
          return clients;
        });
  }

  private <T> T on(Callable<T> work) {
    Promise<T> done = Promise.promise();
    context.runOnContext(
        now -> {
          try {
            done.complete(work.call());
          } catch (Exception failed) {
            done.fail(failed);
          }
        });
    return await(done.future());
  }

  /** A client with one connection, and nothing else. */
  private void connected() throws Exception {
    Promise<GatewayClient> known = Promise.promise();
    StatedClient ada = new StatedClient("ada", "{}", null);
    context.runOnContext(
        now -> {
          GatewayClient client =
              clients.of(ada, new From(Principal.LOCAL.text(), null, "door", "exchange"));
          Future<Opened> opened = client.connection("old", client.statement(ada));
          opened.onSuccess(own -> known.complete(client));
        });
    await(known.future());
    assertThat(kept()).hasSize(1);
  }

  @SuppressWarnings("unchecked")
  private Map<String, Object> kept() throws Exception {
    Field field = GatewayClients.class.getDeclaredField("clients");
    field.setAccessible(true);
    return on(() -> Map.copyOf((Map<String, Object>) field.get(clients)));
  }

  @Test
  void a_client_whose_connection_makes_room_for_another_client_is_forgotten() throws Exception {
    connected();
    assertThat(on(() -> parts.registry().giveUp("own"))).isTrue();
    assertThat(kept()).isEmpty();
  }

  @Test
  void a_client_whose_connection_has_ended_is_forgotten() throws Exception {
    connected();
    ServerNotice over = new ServerNotice("own", Events.GAVE_UP, "", RawJson.EMPTY_OBJECT, null);
    on(
        () -> {
          parts.registry().heard(over);
          return over;
        });
    assertThat(kept()).isEmpty();
  }
}
