package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClusterMapTest {

  private static final Path SOURCES = Path.of("src/main/java/dev/mcpbus");

  /** What gives a structure that all nodes share, by Vert.x or by Hazelcast. */
  private static final Pattern OPENS =
      Pattern.compile(
          "\\.(<[^>]+>)?(getClusterWideMap|getAsyncMap|getMap|getMultiMap|getReplicatedMap|getSet"
              + "|getList|getQueue|getRingbuffer|getTopic|getReliableTopic|getCounter|getLock"
              + "|getLockWithTimeout|getFlakeIdGenerator|getCPSubsystem)\\([^)]");

  /** Nodes of both versions share these maps while a cluster is renewed node by node. */
  @Test
  void the_names_stay_the_same() {
    assertThat(Arrays.stream(ClusterMap.values()).map(map -> map.key))
        .containsExactly(
            "mcpbus.owners",
            "mcpbus.servers",
            "mcpbus.servers.removals",
            "mcpbus.servers.changes",
            "mcpbus.refusals",
            "mcpbus.sessions",
            "mcpbus.clients",
            "mcpbus.tokens",
            "mcpbus.token-flights",
            "mcpbus.used",
            "mcpbus.devices",
            "mcpbus.instance");
  }

  @Test
  void no_other_class_opens_a_map_of_the_cluster() throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      assertThat(
              files
                  .filter(file -> file.toString().endsWith(".java"))
                  .filter(file -> OPENS.matcher(read(file)).find())
                  .map(file -> SOURCES.relativize(file).toString()))
          .containsExactlyInAnyOrderElementsOf(
              List.of("bus/ClusterMap.java", "cluster/engine/RefreshingClusterManager.java"));
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).replaceAll("\\s+", "");
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
