package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.ai.RoutingTable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RoutingNameTest {

  private static final String LONG_SERVER = "a".repeat(63);

  private static String of(String server, String tool) {
    return RoutingName.of(new ToolName(server, tool));
  }

  @Test
  void a_usual_tool_is_server_two_underscores_tool() {
    assertThat(of("git", "status")).isEqualTo("git__status");
    assertThat(of("my-server", "__init__")).isEqualTo("my-server____init__");
    assertThat(of("git", "list_subscriptions")).isEqualTo("git__list_subscriptions");
  }

  @Test
  void a_plain_name_is_read_back() {
    for (ToolName tool :
        List.of(
            new ToolName("git", "status"),
            new ToolName("git", "__init__"),
            new ToolName("git", "_"),
            new ToolName("2d", "a__b"),
            new ToolName("a-b", "-"))) {
      assertThat(RoutingName.parse(RoutingName.of(tool))).contains(tool);
    }
  }

  @Test
  void a_name_of_no_tool_is_not_parsed() {
    for (String name :
        List.of("", "git", "git_status", "__x", "git__", "_git__x", "git__a.b", "2d__x", "___x")) {
      assertThat(RoutingName.parse(name)).as(name).isEmpty();
    }
  }

  @Test
  void a_name_never_begins_with_a_digit_because_gemini_refuses_that() {
    assertThat(of("2captcha", "solve")).isEqualTo("_2captcha__solve");
  }

  @Test
  void other_characters_and_too_many_lead_to_a_head_and_a_hash() {
    assertThat(of("files", "read/all files"))
        .matches("files__read_all_files_[0-9a-f]{16}")
        .isNotEqualTo(of("files", "read_all/files"));
    assertThat(of("files", "x".repeat(57))).hasSize(64).doesNotMatch(".*_[0-9a-f]{16}");
    assertThat(of("files", "x".repeat(58))).hasSize(64).matches("files__x{40}_[0-9a-f]{16}");
    assertThat(of(LONG_SERVER, "a")).hasSize(64).isNotEqualTo(of(LONG_SERVER, "b"));
    assertThat(of("files", "\u65e5\u672c")).matches("files_____[0-9a-f]{16}");
  }

  @Test
  void a_tool_that_looks_hashed_is_hashed_so_that_it_can_meet_no_other() {
    String hashed = of("files", "read all");
    String impostor = hashed.substring("files__".length());
    assertThat(of("files", impostor)).isNotEqualTo(hashed);
    assertThat(RoutingName.parse(hashed)).isEmpty();
    assertThat(RoutingName.isHashed(hashed)).isTrue();
  }

  @Test
  void no_two_tools_share_a_name_and_every_name_suits_every_vendor() {
    Random random = new Random(7);
    Map<String, ToolName> seen = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      ToolName tool =
          new ToolName(
              text(random, "ab1-", 1 + random.nextInt(20)).replaceAll("^-|-$", "a"),
              text(random, "a_-0f. ", 1 + random.nextInt(60)));
      String name = RoutingName.of(tool);
      assertThat(name).matches("[A-Za-z_][A-Za-z0-9_-]{0,63}");
      ToolName before = seen.putIfAbsent(name, tool);
      assertThat(before == null || before.equals(tool)).as("%s and %s", before, tool).isTrue();
      assertThat(RoutingName.isHashed(name) || RoutingName.parse(name).isPresent()).isTrue();
      RoutingName.parse(name).ifPresent(read -> assertThat(read).isEqualTo(tool));
    }
  }

  private static String text(Random random, String letters, int length) {
    return IntStream.range(0, length)
        .mapToObj(i -> String.valueOf(letters.charAt(random.nextInt(letters.length()))))
        .reduce("", String::concat);
  }

  @Test
  void a_table_keeps_the_order_and_routes_a_collision_nowhere() {
    ToolName one = new ToolName("a", "x");
    ToolName two = new ToolName("b", "x");
    ToolName three = new ToolName("c", "y");
    RoutingTable table = RoutingTable.of(List.of(three, one, two, one), tool -> tool.tool());
    assertThat(table.tools().keySet()).containsExactly("y");
    assertThat(table.tool("y")).contains(three);
    assertThat(table.tool("x")).isEmpty();
    assertThat(table.collisions()).containsEntry("x", List.of(one, two));

    RoutingTable real = RoutingTable.of(List.of(three, one, two, one));
    assertThat(real.tools().keySet()).containsExactly("c__y", "a__x", "b__x");
    assertThat(real.collisions()).isEmpty();
  }
}
