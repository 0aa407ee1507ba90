package dev.mcpbus.soak;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

class GrowthTest {

  /**
   * The soak reads names from histograms of the heap; no compiler sees that a class was renamed.
   */
  @Test
  void each_class_that_fills_to_a_bound_is_there() {
    ClassLoader loader = Growth.class.getClassLoader();
    Growth.BOUNDED
        .keySet()
        .forEach(
            name ->
                assertThatCode(() -> Class.forName(name, false, loader))
                    .as(name)
                    .doesNotThrowAnyException());
  }
}
