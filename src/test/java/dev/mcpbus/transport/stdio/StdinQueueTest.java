package dev.mcpbus.transport.stdio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.transport.OutboundMessage;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class StdinQueueTest {

  private final StdinQueue queue = new StdinQueue(20);

  private static OutboundMessage request(long id, String text) {
    return OutboundMessage.request(id, "m", text.getBytes(StandardCharsets.UTF_8));
  }

  private String take(int capacity, int written) {
    ByteBuffer buffer = ByteBuffer.allocate(capacity);
    queue.copyTo(buffer);
    queue.written(written);
    return new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
  }

  @Test
  void every_way_of_partial_writing_gives_the_same_stream() {
    String expected = "one\ntwo\nthree\n";
    for (int capacity = 1; capacity <= expected.length(); capacity++) {
      for (int step = 1; step <= capacity; step++) {
        StdinQueue fresh = new StdinQueue(100);
        fresh.offer(request(1, "one"));
        fresh.offer(request(2, "two"));
        fresh.offer(request(3, "three"));
        StringBuilder stream = new StringBuilder();
        while (!fresh.isEmpty()) {
          ByteBuffer buffer = ByteBuffer.allocate(capacity);
          fresh.copyTo(buffer);
          int count = Math.min(step, buffer.position());
          stream.append(new String(buffer.array(), 0, count, StandardCharsets.UTF_8));
          fresh.written(count);
        }
        assertThat(stream.toString()).isEqualTo(expected);
        assertThat(fresh.written()).isEqualTo(expected.length());
      }
    }
  }

  @Test
  void is_bounded_but_takes_one_message_of_any_length() {
    assertThat(queue.offer(request(1, "x".repeat(50)))).isTrue();
    assertThat(queue.offer(request(2, ""))).isFalse();
    queue.written(51);
    assertThat(queue.offer(request(2, "x".repeat(9)))).isTrue();
    assertThat(queue.offer(request(3, "x".repeat(9)))).isTrue();
    assertThat(queue.offer(request(4, ""))).isFalse();
  }

  @Test
  void a_request_without_its_line_break_is_not_unsent() {
    queue.offer(request(1, "one"));
    queue.offer(request(2, "two"));
    assertThat(take(100, 3)).isEqualTo("one\ntwo\n");
    assertThat(queue.drop()).containsExactly(2L);
    assertThat(queue.isEmpty()).isTrue();
  }

  @Test
  void a_forgotten_request_leaves_only_where_nothing_of_it_is_written() {
    queue.offer(request(1, "one"));
    queue.offer(request(2, "two"));
    queue.written(1);
    queue.removeIf(id -> id == 1);
    queue.removeIf(id -> id == 2);
    assertThat(take(100, 3)).isEqualTo("ne\n");
    assertThat(queue.isEmpty()).isTrue();
    assertThat(queue.offer(request(3, "x".repeat(18)))).isTrue();
  }
}
