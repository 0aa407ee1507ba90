package dev.mcpbus.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.ClusterSecret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Collections;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserClusterSecretTest {

  @TempDir Path home;

  private Path folder() {
    return Objects.requireNonNull(file().getParent());
  }

  private Path file() {
    return home.resolve(".mcpbus").resolve("cluster.secret");
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void it_is_made_once_for_its_user_alone() throws IOException {
    ClusterSecret first = UserClusterSecret.in(file());
    assertThat(permissions(file())).isEqualTo("rw-------");
    assertThat(permissions(folder())).isEqualTo("rwx------");
    assertThat(UserClusterSecret.in(file())).isEqualTo(first);
    assertThat(Files.readString(file()).strip()).hasSize(44);
    assertThat(UserClusterSecret.in(home.resolve("other").resolve("cluster.secret")))
        .as("of another user")
        .isNotEqualTo(first);
    try (var files = Files.list(folder())) {
      assertThat(files).containsExactly(file());
    }
  }

  @Test
  void one_that_others_can_read_is_refused_with_the_remedy_and_not_shown() throws IOException {
    UserClusterSecret.in(file());
    String text = Files.readString(file()).strip();
    Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r-----"));
    assertThatThrownBy(() -> UserClusterSecret.in(file()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("chmod 600 " + file())
        .hasMessageNotContaining(text);
  }

  @Test
  void one_that_is_too_short_is_refused_with_the_remedy() throws IOException {
    UserClusterSecret.in(file());
    Files.writeString(file(), "canary");
    assertThatThrownBy(() -> UserClusterSecret.in(file()))
        .hasMessageContaining(file().toString())
        .hasMessageContaining("or delete the file")
        .hasMessageNotContaining("canary");
  }

  @Test
  void where_it_cannot_be_kept_the_other_ways_are_named() throws IOException {
    Files.writeString(home.resolve("file"), "");
    Path below = home.resolve("file").resolve("folder").resolve("cluster.secret");
    assertThatThrownBy(() -> UserClusterSecret.in(below))
        .isInstanceOf(IOException.class)
        .hasMessageContainingAll(below.toString(), "secretFile", "MCPBUS_CLUSTER_SECRET");
  }

  @Test
  void nodes_that_start_at_once_agree() throws Exception {
    int nodes = 8;
    ExecutorService threads = Executors.newFixedThreadPool(nodes);
    try {
      for (int round = 0; round < 20; round++) {
        Path file = home.resolve("round-" + round).resolve("cluster.secret");
        CyclicBarrier together = new CyclicBarrier(nodes);
        Callable<ClusterSecret> start =
            () -> {
              together.await();
              return UserClusterSecret.in(file);
            };
        Set<ClusterSecret> seen = new HashSet<>();
        for (Future<ClusterSecret> each : threads.invokeAll(Collections.nCopies(nodes, start))) {
          seen.add(each.get());
        }
        assertThat(seen).hasSize(1).containsOnly(UserClusterSecret.in(file));
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
