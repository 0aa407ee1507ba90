package dev.mcpbus.hosting.credentials;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ConnectionId;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PendingLoginsTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration FIVE = Duration.ofMinutes(5);

  private final PendingLogins logins = new PendingLogins();

  private static URI page(int number) {
    return URI.create("https://login.example/" + number);
  }

  private List<String> shown(Instant when, String... known) {
    List<ConnectionId> ids = Stream.of(known).map(ConnectionId::new).toList();
    return logins.toJson(when, ids).getJsonArray("logins").stream()
        .map(JsonObject.class::cast)
        .map(login -> login.getString("server") + " " + login.getString("page"))
        .toList();
  }

  @Test
  void a_login_is_listed_for_each_server_that_uses_it_until_it_ends_or_its_time_is_over() {
    Set<String> servers = new TreeSet<>(Set.of("a", "b"));
    logins.add(() -> servers, page(1), FIVE, NOW);
    logins.add(() -> Set.of("c"), page(2), FIVE, NOW.plusSeconds(10));
    assertThat(shown(NOW, "a", "b", "c", "d"))
        .containsExactly(
            "a https://login.example/1", "b https://login.example/1", "c https://login.example/2");
    assertThat(shown(NOW, "c")).as("a and b were removed").containsExactly("c " + page(2));
    servers.remove("a");
    assertThat(shown(NOW, "a", "b")).as("a has other settings now").containsExactly("b " + page(1));
    logins.remove(page(1));
    assertThat(shown(NOW, "a", "b", "c")).containsExactly("c " + page(2));
    assertThat(shown(NOW.plusSeconds(310), "c")).isEmpty();
  }

  @Test
  void the_number_of_pages_is_bounded() {
    String[] known = new String[PendingLogins.MAX + 5];
    for (int i = 0; i < known.length; i++) {
      String server = "server" + i;
      known[i] = server;
      logins.add(() -> Set.of(server), page(i), FIVE, NOW);
    }
    assertThat(shown(NOW, known))
        .hasSize(PendingLogins.MAX)
        .startsWith("server5 " + page(5))
        .endsWith("server104 " + page(104));
  }

  @Test
  void each_login_is_asked_for_its_servers_once_however_many_servers_there_are() {
    AtomicInteger asked = new AtomicInteger();
    Set<String> servers = Set.of("server1", "server2");
    for (int i = 0; i < 10; i++) {
      logins.add(
          () -> {
            asked.incrementAndGet();
            return servers;
          },
          page(i),
          FIVE,
          NOW);
    }
    String[] known = new String[1_000];
    for (int i = 0; i < known.length; i++) {
      known[i] = "server" + i;
    }
    assertThat(shown(NOW, known)).hasSize(20);
    assertThat(asked).hasValue(10);
  }
}
