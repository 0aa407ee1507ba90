package dev.mcpbus.gateway.client;

import static dev.mcpbus.bus.BusTests.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.HostMessage.GoneMessage;
import dev.mcpbus.gateway.request.HostMessage.StatedClient;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.security.Principal;
import dev.mcpbus.testing.InnerCluster;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.shareddata.AsyncMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Claims of clients in the map of a cluster. */
class HostMapIT {

  private static InnerCluster cluster;
  private static Vertx vertx;
  private static Context context;
  private static AsyncMap<String, String> map;

  @BeforeAll
  static void start() {
    cluster = new InnerCluster(1);
    vertx = cluster.join("n1").vertx();
    context = vertx.getOrCreateContext();
    map = await(vertx.sharedData().<String, String>getClusterWideMap("mcpbus.clients"));
  }

  @AfterAll
  static void close() {
    cluster.close();
  }

  private static <T> T on(Supplier<Future<T>> work) {
    Promise<T> done = Promise.promise();
    context.runOnContext(now -> work.get().onComplete(done));
    return await(done.future());
  }

  /** Else the next host that is asked begins a second session for the client. */
  @Test
  void a_claim_that_follows_the_end_of_another_stays() {
    HostMap claims =
        HostMap.clients(vertx, "host", new SessionHostNames(vertx, 1), Duration.ofMinutes(1));
    for (int round = 0; round < 100; round++) {
      String key = "again " + round;
      on(() -> claims.claim(key));
      String claimant =
          on(
              () -> {
                claims.end(key);
                return claims.claim(key);
              });
      assertThat(claimant).isEqualTo("host");
      assertThat(on(() -> map.get(key))).as("round %s", round).isEqualTo("host");
    }
  }

  /** Else its servers have a session that ends with the node in a moment. */
  @Test
  void a_host_that_is_leaving_claims_no_client_and_answers_when_its_own_claim_is_given_up() {
    SessionHostNames names = new SessionHostNames(vertx, 1);
    HostMap claims = HostMap.clients(vertx, "leaving", names, Duration.ofMinutes(1));
    on(() -> claims.claim("its own"));
    String claimant =
        on(
            () -> {
              claims.leave();
              claims.end("its own");
              return claims.claim("its own");
            });
    assertThat(claimant).isEmpty();
    assertThat(on(() -> map.get("its own"))).isNull();
    assertThat(on(() -> claims.claim("new"))).isEmpty();
    assertThat(on(() -> map.get("new"))).isNull();
  }

  /** Else a caller who sends requests under new names and cancels them fills the map. */
  @Test
  void a_client_that_has_gone_before_its_claim_was_written_leaves_none() {
    List<Future<Void>> claimed = new ArrayList<>();
    on(
        () -> {
          HostParts parts = ParkedCallsTest.parts(vertx);
          GatewayClients clients = ParkedCallsTest.clients(parts);
          Promise<Void> all = Promise.promise();
          vertx
              .eventBus()
              .<String>localConsumer(
                  "host",
                  message -> {
                    claimed.add(clients.of(stated(message), from()).claimed());
                    clients.gone(new GoneMessage(null, key(message), "any"));
                    if (claimed.size() == 20) {
                      Future.all(claimed).<Void>mapEmpty().onComplete(all);
                    }
                  });
          for (int i = 0; i < 20; i++) {
            vertx
                .eventBus()
                .send("host", "", new DeliveryOptions().addHeader("client", "gone " + i));
          }
          return all.future();
        });
    Awaitility.await("the claims to go")
        .until(() -> on(() -> map.keys()).stream().noneMatch(one -> one.startsWith("gone")));
  }

  private static String key(Message<?> message) {
    return message.headers().get("client");
  }

  private static StatedClient stated(Message<?> message) {
    return new StatedClient(key(message), "{}", null);
  }

  private static From from() {
    return new From(Principal.LOCAL.text(), null, "door", "exchange");
  }
}
