package dev.mcpbus.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import org.junit.jupiter.api.Test;

class SendWindowTest {

  @Test
  void the_number_of_messages_is_bounded() throws TransportException {
    SendWindow window = new SendWindow(2, 100);
    window.take(1);
    window.take(1);
    assertFull(window, 1);
    window.give(1);
    window.take(1);
    assertThat(window.messages()).isEqualTo(2);
  }

  @Test
  void the_bytes_are_bounded() throws TransportException {
    SendWindow window = new SendWindow(10, 100);
    window.take(60);
    assertFull(window, 41);
    window.take(40);
    window.give(60);
    window.take(60);
  }

  @Test
  void a_message_longer_than_the_window_goes_alone() throws TransportException {
    SendWindow window = new SendWindow(10, 100);
    assertThatCode(() -> window.take(1_000)).doesNotThrowAnyException();
    assertFull(window, 1);
    window.give(1_000);
    window.take(1);
  }

  @Test
  void a_window_without_room_cannot_be_made() {
    assertThatThrownBy(() -> new SendWindow(0, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new SendWindow(1, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  private static void assertFull(SendWindow window, int size) {
    assertThatThrownBy(() -> window.take(size))
        .isInstanceOfSatisfying(
            TransportException.class,
            failure -> {
              assertThat(failure.reason()).isEqualTo(Reason.OVERLOADED);
              assertThat(failure.reached()).isEqualTo(Reached.NO);
            });
  }
}
