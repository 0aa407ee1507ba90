package dev.mcpbus.hosting.credentials;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class PendingLoginsTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final Duration FIVE = Duration.ofMinutes(5);

  private final PendingLogins logins = new PendingLogins();

  private static URI page(int number) {
    return URI.create("https://login.example/" + number);
  }

  @Test
  void the_newest_page_of_a_server_counts_until_its_time_is_over() {
    logins.add("https://a", page(1), FIVE, NOW);
    logins.add("https://a", page(2), FIVE, NOW.plusSeconds(10));
    assertThat(logins.toJson(NOW.plusSeconds(11)).encode())
        .contains("/2", "2026-01-01T00:05:10Z")
        .doesNotContain("/1");
    assertThat(logins.toJson(NOW.plusSeconds(310)).getJsonArray("logins")).isEmpty();
  }

  @Test
  void the_number_of_pages_is_bounded() {
    for (int i = 0; i < PendingLogins.MAX + 5; i++) {
      logins.add("https://server" + i, page(i), FIVE, NOW);
    }
    assertThat(logins.toJson(NOW).getJsonArray("logins")).hasSize(PendingLogins.MAX);
    assertThat(logins.toJson(NOW).encode()).doesNotContain("server0\"", "server4\"");
  }
}
