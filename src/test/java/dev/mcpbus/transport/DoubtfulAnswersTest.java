package dev.mcpbus.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ParseLimits;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DoubtfulAnswersTest {

  private final List<Runnable> later = new ArrayList<>();
  private final List<String> failed = new ArrayList<>();
  private final DoubtfulAnswers answers =
      new DoubtfulAnswers(later::add, (id, why) -> failed.add(id + " " + why));

  private static Envelope message(String rest) throws Exception {
    byte[] text = ("{\"jsonrpc\":\"2.0\"," + rest + "}").getBytes(StandardCharsets.UTF_8);
    return Envelope.received(text, 0, text.length, ParseLimits.DEFAULT);
  }

  private void secondPasses() {
    List<Runnable> due = List.copyOf(later);
    later.clear();
    due.forEach(Runnable::run);
  }

  @Test
  void a_request_fails_when_no_proper_answer_has_come() {
    answers.add(7, "a");
    answers.add(7, "b");
    assertThat(failed).isEmpty();
    secondPasses();
    assertThat(failed).containsExactly("7 a");
  }

  @Test
  void a_proper_answer_counts_and_nothing_else() throws Exception {
    answers.add(7, "a");
    answers.add(8, "b");
    answers.came(message("\"id\":7,\"result\":{}"));
    answers.came(message("\"id\":8,\"method\":\"ping\""));
    answers.came(message("\"method\":\"x\""));
    secondPasses();
    assertThat(failed).containsExactly("8 b");
  }

  @Test
  void of_many_the_further_ones_fail_at_once() throws Exception {
    for (int id = 1; id <= 17; id++) {
      answers.add(id, "a");
    }
    assertThat(failed).containsExactly("17 a");
    answers.came(message("\"id\":1,\"result\":{}"));
    answers.add(18, "a");
    assertThat(failed).hasSize(1);
  }
}
