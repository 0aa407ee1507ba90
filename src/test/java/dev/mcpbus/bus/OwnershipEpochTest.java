package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnershipEpochTest {

  private static final ConnectionId SERVER = new ConnectionId("s");

  @Test
  void the_text_of_a_replica_names_it_and_that_of_an_only_connection_does_not() {
    OwnershipEpoch third = new OwnershipEpoch(new ReplicaId(SERVER, 2), 7);
    OwnershipEpoch only = new OwnershipEpoch(new ReplicaId(SERVER, 0), 7);

    assertThat(third.text(true)).isEqualTo("7 2");
    assertThat(only.text(true)).isEqualTo("7 0");
    assertThat(only.text(false)).isEqualTo("7");
    assertThat(OwnershipEpoch.parse(SERVER, "7 2")).isEqualTo(third);
    assertThat(OwnershipEpoch.parse(SERVER, "7 0")).isEqualTo(only);
    assertThat(OwnershipEpoch.parse(SERVER, "7")).isEqualTo(only);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "x", "7 x", "7 ", " 2", "7 2 1", "99999999999999999999"})
  void a_text_that_no_owner_writes_is_none(String text) {
    assertThat(OwnershipEpoch.parse(SERVER, text)).isNull();
  }

  @Test
  void sessions_of_a_later_owner_have_higher_epochs() {
    OwnershipEpoch first = new OwnershipEpoch(new ReplicaId(SERVER, 0), 1);
    OwnershipEpoch second = new OwnershipEpoch(new ReplicaId(SERVER, 0), 2);

    assertThat(second.sessions()).isGreaterThan(first.sessions() + 10_000);
    assertThat(OwnershipEpoch.ofSession(first.sessions() + 10_000)).isEqualTo(1);
    assertThat(OwnershipEpoch.ofSession(12)).as("without a cluster").isZero();
  }
}
