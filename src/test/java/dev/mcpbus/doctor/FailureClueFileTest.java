package dev.mcpbus.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.ClueFile;
import io.vertx.core.json.JsonObject;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailureClueFileTest {

  private static final Pattern PLACE = Pattern.compile("\\{(\\d)\\}");

  @ParameterizedTest
  @ValueSource(strings = {"ends", "listens"})
  void each_clue_has_a_cause_and_a_group_for_each_place_in_its_texts(String section) {
    assertThat(ClueFile.rows(section))
        .isNotEmpty()
        .allSatisfy(
            row -> {
              OutputClue clue = OutputClue.of(row);
              assertThat(clue.text()).isNotBlank();
              assertThat(clue.remedy()).isNotBlank();
              int groups = clue.line().matcher("").groupCount();
              Matcher place = PLACE.matcher(clue.text() + clue.remedy());
              while (place.find()) {
                assertThat(Integer.parseInt(place.group(1))).isBetween(1, groups);
              }
              assertThat(row).hasSize(4);
            });
  }

  @Test
  void a_line_to_show_has_its_expression_and_a_clause() {
    assertThat(ClueFile.rows("lines"))
        .isNotEmpty()
        .allSatisfy(
            row -> {
              assertThat(Pattern.compile(row.getString("line")).matcher("").find()).isFalse();
              assertThat(row.getString("remedy")).doesNotEndWith(".").doesNotContain("{");
              assertThat(row).hasSize(2);
            });
    assertThat(ClueFile.rows("lines").stream().map(JsonObject::encode)).doesNotHaveDuplicates();
  }
}
