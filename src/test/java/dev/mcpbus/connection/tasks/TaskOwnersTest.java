package dev.mcpbus.connection.tasks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Whose task is whose, within bounds. */
class TaskOwnersTest {

  private final TaskOwners owners = new TaskOwners();

  @Test
  void a_task_stays_whose_it_was_first() {
    owners.note("1", "ada");
    owners.note("1", "bob");
    owners.note("2", null);

    assertThat(owners.of("1")).isEqualTo("ada");
    assertThat(owners.of("2")).isNull();
    assertThat(owners.of("3")).isNull();
  }

  @Test
  void many_tasks_of_one_principal_do_not_displace_those_of_others() {
    owners.note("hers", "ada");
    for (int i = 0; i <= TaskOwners.MAX_TASKS; i++) {
      owners.note("his-" + i, "bob");
    }

    assertThat(owners.of("hers")).isEqualTo("ada");
    assertThat(owners.of("his-0")).isNull();
    assertThat(owners.of("his-1")).isEqualTo("bob");
  }

  @Test
  void of_too_many_principals_the_idlest_is_forgotten() {
    owners.note("first", "p-0");
    for (int i = 1; i < TaskOwners.MAX_OWNERS; i++) {
      owners.note("t-" + i, "p-" + i);
    }
    owners.note("second", "p-0");
    owners.note("last", "one-more");

    assertThat(owners.of("first")).isEqualTo("p-0");
    assertThat(owners.of("t-1")).isNull();
    assertThat(owners.of("t-2")).isEqualTo("p-2");
  }
}
