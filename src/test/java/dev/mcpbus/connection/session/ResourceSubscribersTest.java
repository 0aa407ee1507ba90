package dev.mcpbus.connection.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.connection.session.ResourceSubscribers.Holder;
import org.junit.jupiter.api.Test;

/** Whose subscription is whose, and when it ends. */
class ResourceSubscribersTest {

  private static final Holder PROGRAM = new Holder(null, "");
  private static final Holder GATEWAY = new Holder(null, "gateway");
  private static final Holder ADA = new Holder("ada", "");
  private static final Holder SOCKET = new Holder("ada", "socket-1");
  private static final Holder BOB = new Holder("bob", "");

  private final ResourceSubscribers watchers = new ResourceSubscribers();

  @Test
  void the_last_who_leaves_ends_it_at_the_server() {
    for (Holder each : new Holder[] {PROGRAM, GATEWAY, ADA, SOCKET, BOB, BOB}) {
      watchers.add(each, "x:", 0);
    }

    assertThat(watchers.remove(BOB, "x:")).isFalse();
    assertThat(watchers.remove(BOB, "x:")).isFalse();
    assertThat(watchers.remove(ADA, "x:")).isFalse();
    assertThat(watchers.remove(PROGRAM, "x:")).isFalse();
    assertThat(watchers.remove(GATEWAY, "x:")).isFalse();
    assertThat(watchers.uris()).containsExactly("x:");
    assertThat(watchers.remove(SOCKET, "x:")).isTrue();
    assertThat(watchers.uris()).isEmpty();
    assertThat(watchers.remove(BOB, "y:")).isTrue();
  }

  @Test
  void what_a_principal_does_not_ask_for_again_ends_and_what_a_program_wants_does_not() {
    watchers.add(ADA, "a:", 0);
    watchers.add(ADA, "b:", 0);
    watchers.add(BOB, "b:", 1);
    watchers.add(GATEWAY, "c:", 0);
    watchers.add(ADA, "d:", 0);
    watchers.add(ADA, "d:", 5);

    assertThat(watchers.sweep(ResourceSubscribers.TTL_MILLIS - 1)).isEmpty();
    assertThat(watchers.sweep(ResourceSubscribers.TTL_MILLIS)).containsExactly("a:");
    assertThat(watchers.sweep(ResourceSubscribers.TTL_MILLIS + 1)).containsExactly("b:");
    assertThat(watchers.uris()).containsExactly("c:", "d:");
  }

  @Test
  void nobody_takes_all_the_room() {
    for (int i = 0; i < ResourceSubscribers.MAX_OF_ONE; i++) {
      watchers.add(i % 2 == 0 ? ADA : SOCKET, "x:" + i, 0);
    }

    assertThatThrownBy(() -> watchers.add(ADA, "more:", 0)).hasMessageContaining("in your name");
    watchers.add(ADA, "x:0", 0); // known
    watchers.add(BOB, "more:", 0);
    watchers.add(PROGRAM, "more:", 0);
    watchers.remove(SOCKET, "x:1");
    watchers.add(ADA, "more:", 0);
    assertThatThrownBy(() -> watchers.add(BOB, "x".repeat(8_193), 0))
        .hasMessageContaining("8192 characters");
    for (int p = 0; p < 9; p++) {
      for (int i = 0; i < ResourceSubscribers.MAX_OF_ONE && p * 1_000 + i < 8_999; i++) {
        watchers.add(new Holder("p-" + p, ""), "y:" + i, 0);
      }
    }
    assertThatThrownBy(() -> watchers.add(new Holder("last", ""), "z:", 0))
        .hasMessageContaining("all callers together");
    watchers.add(PROGRAM, "z:", 0);
    watchers.sweep(ResourceSubscribers.TTL_MILLIS);
    watchers.add(new Holder("last", ""), "z:", ResourceSubscribers.TTL_MILLIS);
  }
}
