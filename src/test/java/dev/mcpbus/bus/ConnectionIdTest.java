package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionIdTest {

  @Test
  void no_server_can_have_the_first_word_of_one_of_our_addresses() throws Exception {
    List<String> words = new ArrayList<>();
    for (Field field : Addresses.class.getFields()) {
      if (field.get(null) instanceof String address
          && address.startsWith(Addresses.OURS)
          && !address.equals(Addresses.OURS)) {
        words.add(address.split("\\.", -1)[1]);
      }
    }

    assertThat(words).contains("tools", "servers", "gateway", "placement");
    assertThat(words)
        .allSatisfy(word -> assertThat(ConnectionId.parse(word)).as("id %s", word).isEmpty());
  }
}
