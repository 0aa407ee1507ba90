package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ConnectionIdTest {

  private static final String GATEWAY = "mcp.gateway.";

  private static List<String> constants(boolean ours) throws IllegalAccessException {
    List<String> found = new ArrayList<>();
    for (Field field : Addresses.class.getFields()) {
      if (field.get(null) instanceof String text
          && text.startsWith(Addresses.OURS) == ours
          && !text.equals(Addresses.OURS)) {
        found.add(text);
      }
    }
    return found;
  }

  @Test
  void no_server_can_have_the_first_word_of_one_of_our_addresses() throws Exception {
    Set<String> words =
        constants(true).stream()
            .filter(address -> !address.startsWith(GATEWAY))
            .map(address -> address.split("\\.", -1)[1])
            .collect(Collectors.toSet());

    assertThat(words).contains("tools", "servers", "placement", "progress");
    assertThat(words)
        .allSatisfy(word -> assertThat(ConnectionId.parse(word)).as("id %s", word).isEmpty());
  }

  @Test
  void a_server_may_be_called_gateway_because_no_address_of_both_is_the_same() throws Exception {
    Set<String> ofServers =
        constants(false).stream().map(suffix -> GATEWAY + suffix).collect(Collectors.toSet());
    List<String> ofGateway =
        constants(true).stream().filter(address -> address.startsWith(GATEWAY)).toList();

    assertThat(ConnectionId.parse("gateway")).isPresent();
    assertThat(ofServers).contains("mcp.gateway.tools.call", "mcp.gateway.input");
    assertThat(ofGateway).hasSizeGreaterThan(9).doesNotContainAnyElementsOf(ofServers);
  }
}
