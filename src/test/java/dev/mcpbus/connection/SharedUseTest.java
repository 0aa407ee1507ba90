package dev.mcpbus.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.ConnectionOptions;
import org.junit.jupiter.api.Test;

/** How long a connection stays that is there for lists alone. */
class SharedUseTest {

  private final SharedUse use =
      new SharedUse(new ConnectionId("s"), ConnectionOptions.DEFAULT, true);

  @SuppressWarnings("NullAway") // a list has no caller to remember
  private void list(boolean serves) {
    use.called(Addresses.TOOLS_LIST, null, serves);
  }

  @Test
  void a_list_that_had_to_start_it_keeps_it_for_more_of_them() {
    assertThat(use.restMillis()).isZero();
    use.rest();
    list(true);
    assertThat(use.restMillis()).isEqualTo(500);
    list(false);
    assertThat(use.restMillis()).isEqualTo(300_000);
    use.rest(); // one more client
    assertThat(use.restMillis()).isEqualTo(300_000);
  }
}
