package dev.mcpbus.bench.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BudgetTest {

  private static final Path FILE =
      Path.of(System.getProperty("mcpbus.basedir", "."), "src", "bench", "budget.json");

  private static Budget budget() {
    JsonObject rows = new JsonObject();
    for (GateRow row : GateRow.values()) {
      rows.put(row.key(), new JsonObject().put("bytes", 1_000));
    }
    return Budget.read(
        new JsonObject()
            .put("tolerance", new JsonObject().put("bytes", 0.03).put("cpu", 0.1))
            .put("rows", rows.put("rest", new JsonObject().put("bytes", 2_000).put("cpu", 2))));
  }

  private static GateFigures figures(double bytes, double cpu) {
    return new GateFigures(Map.of("bytes", bytes, "cpu", cpu));
  }

  @ParameterizedTest
  @CsvSource({"2000, 2, false", "2060, 2.2, false", "2061, 2, true", "2000, 2.21, true"})
  void a_row_may_cost_its_budget_and_what_is_tolerated(double bytes, double cpu, boolean over) {
    Budget budget = budget();
    assertThat(budget.over(Map.of(GateRow.REST, figures(bytes, cpu))).contains(GateRow.REST))
        .isEqualTo(over);
  }

  @Test
  void what_is_too_much_is_said_with_the_remedy() {
    assertThat(budget().violations(GateRow.REST, figures(2_100, 2)))
        .containsExactly(
            "rest: bytes is 2,100, the budget is 2,000 (+5.0 %). Take it back, or raise"
                + " src/bench/budget.json in the same commit and say why.");
  }

  @Test
  void what_is_saved_lowers_the_budget() {
    assertThat(budget().spare(GateRow.REST, figures(1_900, 1.9))).isEmpty();
    assertThat(budget().spare(GateRow.REST, figures(1_700, 2)))
        .singleElement()
        .asString()
        .startsWith("rest: bytes is 1,700, the budget is 2,000. Lower it");
  }

  @Test
  void the_lowest_of_several_times_counts() {
    assertThat(figures(10, 3).lower(figures(12, 2))).isEqualTo(figures(10, 2));
  }

  @Test
  void a_figure_that_was_not_measured_is_not_passed_over() {
    GateFigures without = new GateFigures(Map.of("bytes", 1.0));
    assertThatThrownBy(() -> budget().violations(GateRow.REST, without))
        .hasMessage("rest has no figure \"cpu\"");
  }

  @Test
  void each_row_has_a_budget_and_each_budget_a_row() {
    JsonObject tolerance = new JsonObject().put("bytes", 0.03);
    JsonObject rows = new JsonObject();
    JsonObject file = new JsonObject().put("tolerance", tolerance).put("rows", rows);
    assertThatThrownBy(() -> Budget.read(file)).hasMessage("there is no row \"bus-stdio\"");
    for (GateRow row : GateRow.values()) {
      rows.put(row.key(), new JsonObject().put("bytes", 1));
    }
    assertThat(Budget.read(file).rows()).hasSize(GateRow.values().length);
    rows.put("mcp-inicialize", new JsonObject().put("bytes", 1));
    assertThatThrownBy(() -> Budget.read(file)).hasMessage("there is a row that is not measured");
    rows.remove("mcp-inicialize");
    rows.put("idle", new JsonObject().put("heap", 1));
    assertThatThrownBy(() -> Budget.read(file)).hasMessage("a figure of \"idle\" has no tolerance");
  }

  @Test
  void the_file_of_the_project_can_be_read() throws IOException {
    Budget budget = Budget.read(new JsonObject(Files.readString(FILE)));
    assertThat(budget.rows()).containsOnlyKeys(GateRow.values());
  }
}
