package dev.mcpbus.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DpopNoncesTest {

  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

  private final DpopNonces one = new DpopNonces(new byte[32]);

  @Test
  void each_node_of_a_cluster_takes_the_nonces_of_the_others_for_their_time() {
    DpopNonces two = new DpopNonces(new byte[32]);
    String nonce = one.fresh(NOW);
    assertThat(nonce).hasSize(32);
    assertThat(two.age(nonce, NOW.plusSeconds(7))).isEqualTo(7);
    assertThat(two.age(nonce, NOW.minusSeconds(20))).as("clocks differ").isZero();
    assertThat(two.age(nonce, NOW.minusSeconds(31))).isEqualTo(-1);
    assertThat(two.age(nonce, NOW.plus(DpopNonces.LIFE))).isEqualTo(300);
    assertThat(two.age(nonce, NOW.plus(DpopNonces.LIFE).plusSeconds(1))).isEqualTo(-1);
  }

  @Test
  void nobody_else_makes_one() {
    String nonce = one.fresh(NOW);
    assertThat(
            new DpopNonces(
                    "another key of 32 bytes, as it is"
                        .getBytes(java.nio.charset.StandardCharsets.US_ASCII))
                .age(nonce, NOW))
        .isEqualTo(-1);
    Set<String> good = new HashSet<>();
    for (int i = 0; i < nonce.length(); i++) {
      char other = nonce.charAt(i) == 'A' ? 'B' : 'A';
      String changed = nonce.substring(0, i) + other + nonce.substring(i + 1);
      if (one.age(changed, NOW) >= 0) {
        good.add(changed);
      }
    }
    assertThat(good).isEmpty();
  }
}
