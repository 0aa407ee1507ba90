package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SealedTaskIdsTest {

  private static final Requester ADA = new Requester("ada", false);
  private static final Requester BOB = new Requester("bob", false);
  private static final SealedTaskIds.Named TASK =
      new SealedTaskIds.Named("server", "tool", "id\nof 1");

  private final Vertx vertx = Vertx.vertx();
  private final SealedTaskIds ids = SealedTaskIds.of(vertx);

  @AfterEach
  void close() {
    TestBus.await(vertx.close());
  }

  @Test
  void an_id_reads_back_for_the_principal_that_was_given_it_alone() {
    TestBus.await(ids.open(vertx));
    String id = ids.seal("ada", TASK);
    assertThat(ids.open(ADA, id)).isEqualTo(TASK);
    assertThat(ids.open(BOB, id)).isNull();
    assertThat(ids.open(new Requester("ada\nserver", false), id)).isNull();
    assertThat(ids.open(new Requester("root", true), id)).isEqualTo(TASK);
    assertThat(ids.seal("ada", new SealedTaskIds.Named("other", "tool", "id\nof 1")))
        .isNotEqualTo(id);
  }

  @Test
  void an_id_that_was_changed_or_invented_is_not_opened() {
    TestBus.await(ids.open(vertx));
    byte[] bytes = Base64.getUrlDecoder().decode(ids.seal("ada", TASK));
    for (int i = 0; i < bytes.length; i++) {
      byte[] other = bytes.clone();
      other[i] ^= 1;
      assertThat(ids.open(ADA, Base64.getUrlEncoder().encodeToString(other))).isNull();
    }
    assertThat(ids.open(ADA, "")).isNull();
    assertThat(ids.open(ADA, "%%%")).isNull();
    assertThat(ids.open(ADA, "A".repeat(10_000))).isNull();
  }

  @Test
  void all_hosts_of_one_process_have_one_key() {
    TestBus.await(ids.open(vertx));
    String id = ids.seal("ada", TASK);
    SealedTaskIds there = SealedTaskIds.of(vertx);
    TestBus.await(there.open(vertx));
    assertThat(there.open(ADA, id)).isEqualTo(TASK);
    assertThat(there.seal("ada", TASK)).isEqualTo(id);
  }
}
