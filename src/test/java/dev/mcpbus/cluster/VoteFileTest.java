package dev.mcpbus.cluster;

import static dev.mcpbus.bus.BusTests.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.cluster.membership.Ballot;
import dev.mcpbus.cluster.membership.Electorate;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** The vote of a node on a disk that is whole, damaged or full. */
@ExtendWith(VertxExtension.class)
class VoteFileTest {

  private static final Ballot BALLOT =
      new Ballot("b", true, Set.of("a", "b", "c"), Set.of("d"), Set.of("d", "e"));

  @TempDir private Path folder;
  private Vertx vertx;
  private Path file;
  private VoteFile votes;

  @BeforeEach
  void open(Vertx given) {
    vertx = given;
    file = folder.resolve("state").resolve("vote.json");
    votes = VoteFile.in(vertx, file.getParent());
  }

  private void content(String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  @Test
  void a_vote_outlives_its_process_and_belongs_to_its_user_alone() throws Exception {
    assertThat(await(votes.read())).as("a first start").isNull();
    await(votes.write(BALLOT));
    assertThat(await(VoteFile.in(vertx, file.getParent()).read())).isEqualTo(BALLOT);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    try (var all = Files.list(file.getParent())) {
      assertThat(all).as("nothing is left of the writing").containsExactly(file);
    }
  }

  /** What is half on the disk, or empty after a crash of the machine, is no new beginning. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "{\"token\":\"b\",\"votes\":true,\"voters\":[\"a\",\"b\"",
        "\0\0\0\0\0\0\0\0",
        "null",
        "[]",
        "{}",
        "{\"token\":\"b\",\"votes\":true,\"voters\":[1],\"lost\":[],\"gone\":[]}",
        "{\"token\":null,\"votes\":true,\"voters\":[],\"lost\":[],\"gone\":[]}",
        "{\"token\":\"b\",\"votes\":\"yes\",\"voters\":[],\"lost\":[],\"gone\":[]}",
      })
  void a_file_that_is_torn_or_empty_ends_the_start_and_says_what_to_do(String torn)
      throws Exception {
    content(torn);
    assertThatThrownBy(() -> await(votes.read()))
        .hasStackTraceContaining(
            file + " cannot be read (it is empty, torn or no vote): it has this node's vote")
        .hasStackTraceContaining("remove it, and they give this node a new vote");
    assertThat(Files.readString(file)).as("it is left as it is").isEqualTo(torn);
  }

  @Test
  void a_file_that_cannot_be_read_or_is_too_long_ends_the_start() throws Exception {
    Files.createDirectories(file);
    assertThatThrownBy(() -> await(votes.read())).hasStackTraceContaining("cannot be read (");
    Files.delete(file);
    content(" ".repeat((1 << 20) + 1));
    assertThatThrownBy(() -> await(votes.read())).hasStackTraceContaining("longer than 1048576");
  }

  @Test
  void with_a_number_as_quorum_the_file_goes_and_nothing_is_needed() throws Exception {
    content(BALLOT.toJson().encode());
    await(votes.remove());
    assertThat(file).doesNotExist();
    await(votes.remove());
    VoteFile none = VoteFile.in(vertx, null);
    await(none.remove());
    await(none.write(BALLOT));
    assertThat(await(none.read())).isNull();
  }

  @Test
  void a_full_disk_says_so_once_and_the_node_says_nothing_that_is_not_written() throws Exception {
    Path blocker = Files.createDirectories(file).resolve("blocks the rename");
    Files.createFile(blocker);
    AtomicLong now = new AtomicLong(1_000_000);
    Electorate lone = new Electorate("n", now::get, 1, 7_000, () -> "b", votes::write);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    Logger log = (Logger) LoggerFactory.getLogger(VoteFile.class);
    Level level = log.getLevel();
    lines.start();
    log.setLevel(Level.ERROR);
    log.addAppender(lines);
    try {
      for (int i = 0; i < 3; i++) {
        now.addAndGet(3_000);
        lone.step(Set.of("n"), 1);
        await(votes.write(BALLOT).otherwiseEmpty()); // after the one before, if they are in order
        assertThat(lone.ballot().voters()).isEmpty();
      }
    } finally {
      log.detachAppender(lines);
      log.setLevel(level);
    }
    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .singleElement()
        .asString()
        .contains(file.toString(), "the quorum does not follow the cluster", "is the disk full?");

    Files.delete(blocker);
    Files.delete(file);
    Awaitility.await()
        .until(
            () -> {
              now.addAndGet(3_000);
              lone.step(Set.of("n"), 1);
              return lone.ballot().votes();
            });
    Ballot kept = await(votes.read());
    assertThat(kept).isEqualTo(new Ballot("b", true, Set.of("b"), Set.of(), Set.of()));
  }
}
