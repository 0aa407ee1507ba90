package dev.mcpbus.connection.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.connection.session.ResourceSubscribers.Subscriber;
import org.junit.jupiter.api.Test;

/** Whose subscription is whose, and when it ends. */
class ResourceSubscribersTest {

  private static final Subscriber PROGRAM = new Subscriber(null, "");
  private static final Subscriber GATEWAY = new Subscriber(null, "gateway");
  private static final Subscriber ADA = new Subscriber("ada", "");
  private static final Subscriber SOCKET = new Subscriber("ada", "socket-1");
  private static final Subscriber BOB = new Subscriber("bob", "");

  private final ResourceSubscribers subscribers = new ResourceSubscribers();

  @Test
  void the_last_who_leaves_ends_it_at_the_server() {
    for (Subscriber each : new Subscriber[] {PROGRAM, GATEWAY, ADA, SOCKET, BOB, BOB}) {
      subscribers.add(each, "x:", 0);
    }

    assertThat(subscribers.remove(BOB, "x:")).isFalse();
    assertThat(subscribers.remove(BOB, "x:")).isFalse();
    assertThat(subscribers.remove(ADA, "x:")).isFalse();
    assertThat(subscribers.remove(PROGRAM, "x:")).isFalse();
    assertThat(subscribers.remove(GATEWAY, "x:")).isFalse();
    assertThat(subscribers.uris()).containsExactly("x:");
    assertThat(subscribers.remove(SOCKET, "x:")).isTrue();
    assertThat(subscribers.uris()).isEmpty();
    assertThat(subscribers.remove(BOB, "y:")).isTrue();
  }

  @Test
  void what_a_principal_does_not_ask_for_again_ends_and_what_a_program_wants_does_not() {
    subscribers.add(ADA, "a:", 0);
    subscribers.add(ADA, "b:", 0);
    subscribers.add(BOB, "b:", 1);
    subscribers.add(GATEWAY, "c:", 0);
    subscribers.add(ADA, "d:", 0);
    subscribers.add(ADA, "d:", 5);

    assertThat(subscribers.sweep(ResourceSubscribers.TTL_MILLIS - 1)).isEmpty();
    assertThat(subscribers.sweep(ResourceSubscribers.TTL_MILLIS)).containsExactly("a:");
    assertThat(subscribers.sweep(ResourceSubscribers.TTL_MILLIS + 1)).containsExactly("b:");
    assertThat(subscribers.uris()).containsExactly("c:", "d:");
  }

  @Test
  void one_principal_cannot_hold_all_subscriptions() {
    for (int i = 0; i < ResourceSubscribers.MAX_OF_ONE; i++) {
      subscribers.add(i % 2 == 0 ? ADA : SOCKET, "x:" + i, 0);
    }

    assertThatThrownBy(() -> subscribers.add(ADA, "more:", 0)).hasMessageContaining("in your name");
    subscribers.add(ADA, "x:0", 0); // known
    subscribers.add(BOB, "more:", 0);
    subscribers.add(PROGRAM, "more:", 0);
    subscribers.remove(SOCKET, "x:1");
    subscribers.add(ADA, "more:", 0);
    assertThatThrownBy(() -> subscribers.add(BOB, "x".repeat(8_193), 0))
        .hasMessageContaining("8192 characters");
    for (int p = 0; p < 9; p++) {
      for (int i = 0; i < ResourceSubscribers.MAX_OF_ONE && p * 1_000 + i < 8_999; i++) {
        subscribers.add(new Subscriber("p-" + p, ""), "y:" + i, 0);
      }
    }
    assertThatThrownBy(() -> subscribers.add(new Subscriber("last", ""), "z:", 0))
        .hasMessageContaining("all callers together");
    subscribers.add(PROGRAM, "z:", 0);
    subscribers.sweep(ResourceSubscribers.TTL_MILLIS);
    subscribers.add(new Subscriber("last", ""), "z:", ResourceSubscribers.TTL_MILLIS);
  }
}
