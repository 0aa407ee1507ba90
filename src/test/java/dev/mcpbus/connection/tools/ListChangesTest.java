package dev.mcpbus.connection.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Events;
import dev.mcpbus.connection.ManualTimers;
import dev.mcpbus.protocol.Methods;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ListChangesTest {

  private static final int STORM = 10_000;

  private final ManualTimers time = new ManualTimers();
  private final List<Promise<Void>> readings = new ArrayList<>();
  private final List<String> events = new ArrayList<>();
  private final ListChanges changes =
      new ListChanges(time, time, this::read, (type, more) -> events.add(type));

  private Future<?> read() {
    Promise<Void> reading = Promise.promise();
    readings.add(reading);
    return reading.future();
  }

  private void storm(String method) {
    for (int i = 0; i < STORM; i++) {
      changes.changed(method);
    }
  }

  @Test
  void a_storm_while_a_list_is_read_makes_one_more_reading() {
    storm(Methods.TOOLS_CHANGED);
    assertThat(readings).hasSize(1);
    storm(Methods.TOOLS_CHANGED);
    time.pass(10 * Coalescer.GAP_MILLIS);
    assertThat(readings).as("one at a time, however long it takes").hasSize(1);

    readings.get(0).complete();
    assertThat(readings).as("the gap is over: at once").hasSize(2);
    readings.get(1).complete();
    time.pass(10 * Coalescer.GAP_MILLIS);
    assertThat(readings).as("all were heard").hasSize(2);
    assertThat(time.armed()).isZero();
  }

  @Test
  void a_server_that_answers_fast_and_announces_for_ever_is_read_once_per_gap() {
    for (int i = 0; i < STORM; i++) {
      changes.changed(Methods.TOOLS_CHANGED);
      readings.get(readings.size() - 1).tryComplete();
      time.pass(1);
    }
    assertThat(readings).hasSize((int) (STORM / Coalescer.GAP_MILLIS) + 1);
  }

  @Test
  void a_change_after_the_last_reading_began_is_never_lost() {
    changes.changed(Methods.TOOLS_CHANGED);
    changes.changed(Methods.TOOLS_CHANGED);
    readings.get(0).fail("no list");
    assertThat(readings).hasSize(1);
    time.pass(Coalescer.GAP_MILLIS);
    assertThat(readings).as("a failed reading counts too").hasSize(2);
  }

  @ParameterizedTest
  @CsvSource({
    Methods.RESOURCES_CHANGED + "," + Events.RESOURCES_CHANGED,
    Methods.PROMPTS_CHANGED + "," + Events.PROMPTS_CHANGED
  })
  void a_storm_about_what_is_not_kept_is_two_events(String method, String event) {
    storm(method);
    assertThat(events).containsExactly(event);
    time.pass(Coalescer.GAP_MILLIS);
    assertThat(events).containsExactly(event, event);
    time.pass(Coalescer.GAP_MILLIS);
    assertThat(events).hasSize(2);
    assertThat(readings).isEmpty();
  }

  @Test
  void nothing_of_an_ended_session_happens_later() {
    storm(Methods.TOOLS_CHANGED);
    storm(Methods.PROMPTS_CHANGED);
    changes.stop();
    readings.get(0).complete();
    time.pass(Coalescer.GAP_MILLIS);
    assertThat(readings).hasSize(1);
    assertThat(events).hasSize(1);
    changes.changed(Methods.TOOLS_CHANGED);
    assertThat(readings).as("the next session begins afresh").hasSize(2);
  }
}
