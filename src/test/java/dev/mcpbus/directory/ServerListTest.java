package dev.mcpbus.directory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ListKind;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ServerListTest {

  private static List<String> keys(ListKind kind, String entries) throws Exception {
    Buffer list = Buffer.buffer("{\"" + kind.member + "\":[" + entries + "]}");
    return ServerList.parse(kind, list, 0).items().stream().map(ServerList.Item::key).toList();
  }

  @ParameterizedTest
  @EnumSource(ListKind.class)
  void an_entry_in_which_a_member_stands_twice_is_not_shown(ListKind kind) throws Exception {
    String key = "\"" + kind.key + "\":";
    assertThat(
            keys(
                kind,
                String.join(
                    ",",
                    "{" + key + "\"good\"}",
                    "{" + key + "\"good\"," + key + "\"denied\"}",
                    "{" + key + "\"deep\",\"x\":[{\"y\":1,\"\\u0079\":2}]}",
                    "{" + key + "\"better\"}")))
        .containsExactly("good", "better");
  }

  @Test
  void two_entries_may_have_the_same_members() throws Exception {
    assertThat(keys(ListKind.TOOLS, "{\"name\":\"a\"},{\"name\":\"a\"}")).containsExactly("a", "a");
  }
}
