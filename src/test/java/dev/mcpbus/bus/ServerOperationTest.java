package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ServerOperationTest {

  /**
   * Paths that are not their address with slashes, because any name may stand below {@code tools/}.
   */
  private static final Set<String> OTHER_PATHS =
      Set.of("tools.metadata", "tools.drift", "tools.approve", "tools.call", "prompts.get");

  @Test
  void of_the_rows_that_log_one_method_the_first_takes_it() {
    Map<String, ServerOperation> first = new HashMap<>();
    for (ServerOperation row : ServerOperation.values()) {
      if (row.logged != null && row.logged.contains("/") && row.method == null) {
        ServerOperation own = first.get(row.logged);
        assertThat(own == null ? ServerOperation.ROOTS_CHANGED : row).isEqualTo(row);
      } else if (row.logged != null) {
        first.putIfAbsent(row.logged, row);
        assertThat(first.get(row.logged)).isEqualTo(row);
      }
    }
  }

  @Test
  void each_kind_of_list_has_its_row() {
    for (ListKind kind : ListKind.values()) {
      ServerOperation row = ServerOperation.of(kind.suffix);
      assertThat(row).isNotNull().isEqualTo(ServerOperation.ofMethod(kind.method));
      assertThat(row == null ? null : row.list).isEqualTo(kind);
      assertThat(row == null ? null : row.keeping).isEqualTo(ServerOperation.Keeping.KEPT);
      AggregateOperation all = AggregateOperation.ofMethod(kind.method);
      assertThat(all == null ? null : all.address).isEqualTo(kind.aggregate);
    }
  }

  @Test
  void a_path_is_its_address_with_slashes() {
    for (ServerOperation row : ServerOperation.values()) {
      if (!OTHER_PATHS.contains(row.suffix)) {
        String path = "/api/servers/:id/" + row.suffix.replace('.', '/');
        assertThat(row.paths)
            .allSatisfy(
                one ->
                    assertThat(
                            one.path()
                                .replace("/:task/", "/")
                                .replaceFirst("/:task$", "/get")
                                .replace("/:call/", "/"))
                        .isEqualTo(path.replaceFirst("/list$", "")));
      }
    }
  }

  @Test
  void no_operation_of_http_stands_twice() {
    List<HttpPath> all = new ArrayList<>();
    Arrays.stream(ServerOperation.values()).forEach(row -> all.addAll(row.paths));
    Arrays.stream(AggregateOperation.values()).forEach(row -> all.addAll(row.paths));
    Arrays.stream(ServiceOperation.values()).forEach(row -> all.addAll(row.paths));
    assertThat(all.stream().map(HttpPath::id)).doesNotHaveDuplicates();
    assertThat(all.stream().map(path -> path.verb() + path.path())).doesNotHaveDuplicates();
  }
}
