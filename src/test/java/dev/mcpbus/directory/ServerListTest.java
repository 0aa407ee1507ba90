package dev.mcpbus.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.ListKind;
import dev.mcpbus.protocol.ProtocolException;
import io.vertx.core.buffer.Buffer;
import java.util.Collections;
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

  @Test
  void a_list_has_an_end() {
    String entry = "{\"uri\":\"a:b\",\"name\":\"c\"}";
    String most = String.join(",", Collections.nCopies(ServerList.MAX_ENTRIES, entry));
    assertThatCode(() -> keys(ListKind.RESOURCES, most)).doesNotThrowAnyException();
    assertThatThrownBy(() -> keys(ListKind.RESOURCES, most + "," + entry))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("has more than 50000 entries");
  }

  private static String frame(String result) throws Exception {
    return ServerList.parse(ListKind.TOOLS, Buffer.buffer(result), 0).frame().toString();
  }

  @Test
  void what_a_server_says_of_the_list_stays_in_its_order_without_members_of_mcpbus()
      throws Exception {
    assertThat(
            frame(
                "{\"a\":1,\"tools\":[{\"name\":\"x\"}],\"nextCursor\":\"n\",\"_meta\":"
                    + "{\"dev.mcpbus/leftOut\":{\"secret\":\"why\"},\"k\":2},\"b\":{}}"))
        .isEqualTo("{\"a\":1,\"tools\":[],\"_meta\":{\"k\":2},\"b\":{}}");
    assertThat(frame("{\"tools\":[],\"_meta\":{\"dev.mcpbus/via\":[]}}"))
        .isEqualTo("{\"tools\":[]}");
  }

  @Test
  void of_a_result_with_two_lists_nothing_but_the_read_entries_is_shown() throws Exception {
    assertThat(frame("{\"tools\":[{\"name\":\"hidden\"}],\"tools\":[],\"a\":1}"))
        .isEqualTo("{\"tools\":[]}");
  }
}
