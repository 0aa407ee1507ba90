package dev.mcpbus.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

@ExtendWith(VertxExtension.class)
class LossReportTest {

  private static String text(List<String> lost, Set<String> alive, int quorum) {
    LossReport.LossLine line = LossReport.line(lost, alive, quorum);
    assertThat(line.level()).isEqualTo(Level.WARN);
    return line.text();
  }

  @Test
  void the_larger_part_says_that_the_others_are_lost() {
    assertThat(text(List.of("c"), Set.of("a", "b"), 0))
        .isEqualTo("node c is lost, other nodes take over its connections; members now: 2");
    assertThat(text(List.of("c"), Set.of("a", "b"), 2)).startsWith("node c is lost");
    assertThat(text(List.of("d", "e"), Set.of("a", "b", "c"), 3))
        .startsWith("nodes d, e are lost, other nodes take over their connections");
  }

  @Test
  void a_node_without_its_quorum_says_that_it_may_be_cut_off_itself() {
    assertThat(text(List.of("b", "c"), Set.of("a"), 2))
        .startsWith("nodes b, c are out of reach, and this node sees 1 of the 2 members")
        .contains("it is cut off, or they have ended")
        .doesNotContain("take over");
  }

  @Test
  void a_half_or_less_without_a_quorum_says_that_it_cannot_tell() {
    for (String text :
        List.of(
            text(List.of("b", "c"), Set.of("a"), 0),
            text(List.of("b"), Set.of("a"), 0),
            text(List.of("c", "d"), Set.of("a", "b"), 1))) {
      assertThat(text).contains("out of reach", "or this node is cut off", "cannot tell");
    }
  }

  @Test
  void a_node_that_was_suspended_does_not_say_that_the_others_were_lost() {
    LossReport.LossLine line = LossReport.line(List.of("a", "c"), Set.of("a", "b", "c"), 2);
    assertThat(line.level()).isEqualTo(Level.INFO);
    assertThat(line.text()).startsWith("nodes a, c were out of reach for this node");
    assertThat(text(List.of("a", "c"), Set.of("a", "b"), 2)).startsWith("node c is lost");
  }

  @Test
  void losses_of_one_moment_are_one_line(Vertx vertx) {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger(ClusterServerHosting.class);
    logger.addAppender(log);
    try {
      LossReport report = new LossReport(vertx, () -> 2, () -> Set.of("a"));
      report.lost("b");
      report.lost("c");
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !log.list.isEmpty());
      assertThat(log.list).singleElement().asString().contains("nodes b, c");
    } finally {
      logger.detachAppender(log);
    }
  }
}
