package dev.mcpbus.internals;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumberWindowTest {

  @Test
  void each_number_passes_once_in_whatever_order_they_arrive() {
    NumberWindow window = new NumberWindow(8);
    for (long number : new long[] {3, 1, 2, 0, 7}) {
      assertThat(window.add(number)).isTrue();
      assertThat(window.add(number)).isFalse();
    }
  }

  @Test
  void what_lies_too_far_behind_does_not_pass() {
    NumberWindow window = new NumberWindow(8);
    assertThat(window.add(100)).isTrue();
    assertThat(window.add(92)).isFalse();
    assertThat(window.add(93)).isTrue();
    assertThat(window.add(-1)).isFalse();
    assertThat(window.add(Long.MAX_VALUE)).isTrue();
    assertThat(window.add(Long.MAX_VALUE)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void it_does_what_a_set_of_all_numbers_would_do(long seed) {
    Random random = new Random(seed);
    int size = 1 + random.nextInt(64);
    NumberWindow window = new NumberWindow(size);
    Set<Long> seen = new HashSet<>();
    long newest = -1;
    long base = 0;
    for (int i = 0; i < 5_000; i++) {
      base += random.nextInt(10) == 0 ? random.nextInt(3 * size) : 1;
      long number = Math.max(0, base - random.nextInt(2 * size));
      boolean expected = number > newest - size && seen.add(number);
      newest = Math.max(newest, number);
      assertThat(window.add(number)).as("number %s of step %s", number, i).isEqualTo(expected);
    }
  }
}
