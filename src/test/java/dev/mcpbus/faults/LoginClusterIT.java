package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ALICE;
import static dev.mcpbus.faults.DoorBed.BOB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.testing.FormBrowser.Page;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.InnerCluster.Node;
import dev.mcpbus.testing.LoginPerson;
import dev.mcpbus.testing.OAuthWorld;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A login in a cluster: the link is opened on one node, the browser comes back to another, and
 * neither needs to be the one where the login waits.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class LoginClusterIT {

  private final InnerCluster cluster = new InnerCluster(2);
  private final List<Node> nodes = new ArrayList<>();
  private Vertx vertx;
  private OAuthWorld world;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    world = OAuthWorld.connectable(vertx);
    JsonObject servers = new JsonObject().put("crm", world.callersEntry());
    for (String name : List.of("one", "two")) {
      nodes.add(
          cluster.start(
              cluster.join(name, WireForm.NEWEST),
              "cluster.json",
              servers,
              Map.of(),
              BridgeOptions.DEFAULT.withPort(0),
              DoorBed.keys()));
    }
    await().until(() -> nodes.stream().allMatch(node -> node.statuses().containsKey("crm")));
  }

  @AfterEach
  void end() {
    cluster.close();
    world.close();
    vertx.close().await();
  }

  private static Http.Answer ping(Node door, ApiKeys.Fresh who) {
    return Http.post(
        door.port(), "/api/servers/crm/ping", "{}", "Authorization", "Bearer " + who.key());
  }

  private static String at(Node node, String url) {
    return url.replaceFirst("://127\\.0\\.0\\.1:\\d+/", "://127.0.0.1:" + node.port() + "/");
  }

  @Test
  void the_link_and_the_way_back_work_on_each_node() {
    for (ApiKeys.Fresh who : List.of(ALICE, BOB)) {
      Node door = nodes.get(who.equals(ALICE) ? 0 : 1);
      Node other = nodes.get(who.equals(ALICE) ? 1 : 0);
      String link = ping(door, who).json().getString("login");
      assertThat(link).isNotNull();
      LoginPerson person = new LoginPerson();
      URI page = LoginPerson.leadsTo(person.proves(at(other, link), who.key()));
      URI back = person.comesBack(page, "");
      Page end = person.browser().open(URI.create(at(door, back.toString())));
      assertThat(end.html()).contains("You are logged in");
      assertThat(ping(door, who).status()).isEqualTo(200);
      assertThat(ping(other, who).status()).isEqualTo(200);
      JsonObject logins =
          Http.get(other.port(), "/api/logins", "Authorization", "Bearer " + who.key()).json();
      assertThat(logins.getJsonArray("logins")).isEmpty();
    }
    assertThat(world.grants("authorization_code")).hasSize(2);
  }

  @Test
  void a_login_is_listed_to_its_principal_by_each_node() {
    String link = ping(nodes.get(0), ALICE).json().getString("login");
    for (Node node : nodes) {
      JsonObject all =
          Http.get(node.port(), "/api/logins", "Authorization", "Bearer " + ALICE.key()).json();
      assertThat(all.getJsonArray("logins")).hasSize(1);
      assertThat(all.getJsonArray("logins").getJsonObject(0).getString("page")).isEqualTo(link);
    }
  }
}
