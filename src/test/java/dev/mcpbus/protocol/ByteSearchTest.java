package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ByteSearchTest {

  private static final String TEXT = "\"uri\"";

  @Test
  void finds_the_text_at_every_place_and_nothing_else() {
    ByteSearch search = new ByteSearch(TEXT);
    Random random = new Random(15);
    for (int i = 0; i < 100_000; i++) {
      StringBuilder near = new StringBuilder();
      for (int length = random.nextInt(30); length > 0; length--) {
        near.append("\"uri\u00e9x".charAt(random.nextInt(6)));
      }
      if (random.nextBoolean()) {
        near.insert(random.nextInt(near.length() + 1), TEXT);
      }
      String text = near.toString();
      byte[] bytes = ("\"u" + text + "ri\"").getBytes(StandardCharsets.UTF_8);
      assertThat(search.isIn(bytes, 2, bytes.length - 5))
          .as("the bytes around do not count: %s", text)
          .isEqualTo(text.contains(TEXT));
    }
  }
}
