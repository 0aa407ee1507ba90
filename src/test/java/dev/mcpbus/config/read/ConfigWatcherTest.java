package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ConfigChange;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.ServerDefinition;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class ConfigWatcherTest {

  private static final String TWO =
      "{\"mcpServers\": {\"a\": {\"command\": \"x\"}, \"b\": {\"command\": \"x\"}}}";

  @TempDir Path directory;

  private final List<ConfigChange> changes = new CopyOnWriteArrayList<>();
  private final AtomicInteger reads = new AtomicInteger();
  private Path file;
  private long clock = 1_000_000;

  @BeforeEach
  void first_file() {
    file = directory.resolve("mcp.json");
    write(file, TWO);
  }

  /** Each writing has a later time than the one before, whatever the clock's grain. */
  private void write(Path path, String text) {
    try {
      Files.writeString(path, text);
      clock += 10_000;
      Files.setLastModifiedTime(path, FileTime.fromMillis(clock));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private ConfigResult read() {
    reads.incrementAndGet();
    return ConfigReader.read(file, Sample.in(directory).environment());
  }

  private ConfigWatcher watcher(Vertx vertx) {
    ConfigResult current = read();
    return new ConfigWatcher(
        vertx, this::read, current, current.usable().orElseThrow(), changes::add);
  }

  private static void look(ConfigWatcher watcher, int times) throws Exception {
    for (int i = 0; i < times; i++) {
      watcher.look().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
  }

  private ConfigDiff lastDiff() {
    return changes.get(changes.size() - 1).applicable().orElseThrow();
  }

  private static List<String> ids(List<ServerDefinition> servers) {
    return servers.stream().map(server -> server.id().value()).toList();
  }

  @Test
  void an_unchanged_file_is_read_once_more_and_then_left_alone(Vertx vertx) throws Exception {
    ConfigWatcher watcher = watcher(vertx);
    look(watcher, 10);
    assertThat(reads).hasValue(2);
    assertThat(changes).isEmpty();
  }

  @Test
  void case_117_a_change_touches_only_the_servers_that_differ(Vertx vertx) throws Exception {
    ConfigWatcher watcher = watcher(vertx);
    look(watcher, 3);
    write(
        file,
        "{\"mcpServers\": {\"c\": {\"command\": \"x\"},\n\n \"a\": {\"command\": \"x\"}, \"b\":"
            + " {\"command\": \"y\"}}}");
    look(watcher, 4);
    assertThat(changes).hasSize(1);
    assertThat(ids(lastDiff().added())).containsExactly("c");
    assertThat(ids(lastDiff().changed())).containsExactly("b");
    assertThat(lastDiff().removed()).isEmpty();
    assertThat(lastDiff().unchanged()).containsExactly(new ConnectionId("a"));
    write(
        file,
        "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}, \"bridge\": {\"port\": 1},"
            + " \"catalog\": {\"search\": true}}");
    look(watcher, 4);
    assertThat(changes).hasSize(2);
    assertThat(ids(lastDiff().removed())).containsExactly("c", "b");
    assertThat(lastDiff().needsRestart()).containsExactly("bridge.port", "catalog.search");
  }

  @Test
  void case_118_a_file_is_read_only_when_two_checks_agree(Vertx vertx) throws Exception {
    ConfigWatcher watcher = watcher(vertx);
    look(watcher, 3);
    int before = reads.get();
    for (int i = 1; i < 6; i++) {
      write(file, TWO.substring(0, i * 10));
      look(watcher, 1);
    }
    assertThat(reads).hasValue(before);
    write(file, TWO);
    look(watcher, 3);
    assertThat(reads).hasValue(before + 1);
    assertThat(changes).isEmpty();
  }

  @Test
  void case_118_a_change_during_the_reading_discards_it(Vertx vertx) throws Exception {
    ConfigResult current = read();
    AtomicInteger races = new AtomicInteger(2);
    ConfigWatcher watcher =
        new ConfigWatcher(
            vertx,
            () -> {
              ConfigResult result = read();
              if (races.getAndDecrement() > 0) {
                write(file, TWO.replace("\"b\"", "\"c\""));
              }
              return result;
            },
            current,
            current.usable().orElseThrow(),
            changes::add);
    write(file, "{\"mcpServers\": {}}");
    look(watcher, 12);
    assertThat(changes).hasSize(1);
    assertThat(ids(lastDiff().added())).containsExactly("c");
  }

  @Test
  void case_113_a_file_with_errors_changes_nothing_and_is_reported_once(Vertx vertx)
      throws Exception {
    ConfigWatcher watcher = watcher(vertx);
    look(watcher, 3);
    write(file, "{\"mcpServers\": {\n");
    look(watcher, 5);
    assertThat(changes).hasSize(1);
    assertThat(changes.get(0).applicable()).isEmpty();
    assertThat(changes.get(0).problems().get(0).line()).isEqualTo(1);
    write(file, "{\"mcpServers\": {\"new\": {\"command\": \"x\"}, \"b\": {\"comand\": \"x\"}}}");
    look(watcher, 5);
    assertThat(changes).hasSize(2);
    assertThat(changes.get(1).applicable()).isEmpty();
    write(file, TWO);
    look(watcher, 5);
    assertThat(changes).hasSize(3);
    assertThat(lastDiff().isEmpty()).isTrue();
    assertThat(lastDiff().unchanged()).hasSize(2);
  }

  @Test
  void a_file_that_vanishes_and_returns_changes_nothing(Vertx vertx) throws Exception {
    ConfigWatcher watcher = watcher(vertx);
    look(watcher, 3);
    Files.delete(file);
    look(watcher, 1);
    write(file, TWO);
    look(watcher, 3);
    assertThat(changes).isEmpty();
    Files.delete(file);
    look(watcher, 4);
    assertThat(changes).hasSize(1);
    assertThat(changes.get(0).problems().get(0).message()).isEqualTo("the file does not exist");
  }

  @Test
  void an_env_file_counts_as_part_of_the_configuration(Vertx vertx) throws Exception {
    Path env = directory.resolve("a.env");
    write(env, "K=1\n");
    ConfigWatcher watcher = watcher(vertx);
    write(
        file,
        "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"envFile\": \"a.env\"}, \"b\": {\"command\":"
            + " \"x\"}}}");
    look(watcher, 6);
    assertThat(changes).hasSize(1);
    write(env, "K=2\n");
    look(watcher, 4);
    assertThat(changes).hasSize(2);
    assertThat(ids(lastDiff().changed())).containsExactly("a");
    Files.delete(env);
    look(watcher, 4);
    assertThat(changes.get(2).problems().get(0).message()).contains("does not exist");
  }

  @Test
  void a_change_before_the_first_check_is_not_missed(Vertx vertx) throws Exception {
    ConfigWatcher watcher = watcher(vertx);
    write(file, "{\"mcpServers\": {}}");
    look(watcher, 3);
    assertThat(ids(lastDiff().removed())).containsExactly("a", "b");
  }

  @Test
  void checks_do_not_overlap(Vertx vertx) throws Exception {
    ConfigWatcher watcher = watcher(vertx);
    look(watcher, 3);
    write(file, "{\"mcpServers\": {}}");
    look(watcher, 1);
    var first = watcher.look();
    var second = watcher.look();
    first.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    second.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    assertThat(changes).hasSize(1);
  }

  @Test
  void the_timer_checks_until_the_watcher_is_closed(Vertx vertx) throws Exception {
    ConfigWatcher watcher = watcher(vertx);
    watcher
        .start(Duration.ofMillis(5))
        .toCompletionStage()
        .toCompletableFuture()
        .get(60, TimeUnit.SECONDS);
    write(file, "{\"mcpServers\": {}}");
    await().until(() -> changes.size() == 1);
    watcher.close();
    look(watcher, 1);
    int before = reads.get();
    write(file, TWO);
    look(watcher, 5);
    assertThat(reads).hasValue(before);
  }
}
