package dev.mcpbus.cluster.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class PacedStartsTest {

  private final List<String> begun = new ArrayList<>();
  private final Deque<Promise<Void>> open = new ArrayDeque<>();
  private PacedStarts starts;

  @BeforeEach
  void on(Vertx vertx) {
    starts =
        new PacedStarts(
            vertx,
            (key, before) -> {
              begun.add(key);
              Promise<Void> start = Promise.promise();
              open.add(start);
              return start.future();
            });
  }

  private void want(int count) {
    for (int i = 0; i < count; i++) {
      starts.add("s" + i, null);
    }
  }

  @Test
  void thirty_two_are_under_way_and_each_that_ends_makes_room_for_the_next() {
    want(1_000);
    starts.next();
    assertThat(begun).hasSize(32);
    open.remove().complete();
    assertThat(begun).hasSize(33).endsWith("s32");
    open.remove().fail("it cannot start");
    assertThat(begun).hasSize(34);
    while (!open.isEmpty()) {
      open.remove().complete();
    }
    assertThat(begun).hasSize(1_000).doesNotHaveDuplicates();
  }

  @Test
  void a_pass_replaces_what_has_not_begun() {
    want(40);
    starts.next();
    assertThat(starts.isUnderWay("s31")).isTrue();
    assertThat(starts.isUnderWay("s32")).isFalse();
    starts.clear();
    starts.add("s32", null);
    starts.next();
    open.remove().complete();
    open.remove().complete();
    assertThat(begun).as("s33 and later are not wanted any more").hasSize(33).endsWith("s32");
    assertThat(starts.isUnderWay("s0")).isFalse();
  }

  @Test
  void starts_that_end_at_once_need_no_deep_stack(Vertx vertx) {
    List<String> all = new ArrayList<>();
    PacedStarts quick =
        new PacedStarts(
            vertx,
            (key, before) -> {
              all.add(key);
              return Future.succeededFuture();
            });
    for (int i = 0; i < 100_000; i++) {
      quick.add("s" + i, null);
    }
    quick.next();
    assertThat(all).hasSize(100_000);
  }

  @Test
  void it_is_quiet_when_nothing_is_under_way() {
    want(2);
    starts.next();
    Future<Void> quiet = starts.quiet();
    open.remove().complete();
    assertThat(quiet.isComplete()).isFalse();
    open.remove().complete();
    assertThat(quiet.succeeded()).isTrue();
  }
}
