package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.config.ConfigReport;
import dev.mcpbus.config.ConfigResult;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterReaderTest {

  private static final String TEXT = "canary-0123456789-0123456789-0123456789";

  @TempDir Path directory;

  private ConfigResult read(Map<String, String> variables, String cluster) {
    return Sample.in(directory)
        .with(variables)
        .json("{\"mcpServers\": {},\n\"cluster\": " + cluster + "}");
  }

  private ConfigResult read(String cluster) {
    return read(Map.of(), cluster);
  }

  private static ClusterOptions good(ConfigResult result) {
    assertThat(ConfigReport.render(result.problems())).doesNotContain("canary");
    assertThat(result.problems()).isEmpty();
    return result.usable().orElseThrow().cluster();
  }

  private static String bad(ConfigResult result) {
    String report = ConfigReport.render(result.problems());
    assertThat(result.problems()).isNotEmpty();
    assertThat(report).doesNotContain("canary");
    return report;
  }

  @Test
  void without_configuration_a_node_listens_on_the_loopback_interface() {
    ClusterOptions options = good(read("{}"));
    assertThat(options.host()).isEqualTo("127.0.0.1");
    assertThat(options.secret()).isNull();
    assertThat(options.tls()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "2, 2, 0",
    "'\"majority of 3\"', 2, 3",
    "'\"majority of 4\"', 3, 4",
    "'\"majority of 3\", \"members\": [\"127.0.0.1:1\", \"127.0.0.1:2\", \"127.0.0.1:3\","
        + " \"127.0.0.1:4\", \"127.0.0.1:5\"]', 3, 5",
    "'\"majority\", \"members\": [\"127.0.0.1:1\", \"127.0.0.1:2\"]', 2, 2"
  })
  void a_quorum_is_a_number_or_follows_the_cluster(String quorum, int needed, int majorityOf) {
    ClusterOptions options =
        good(read("{\"quorum\": " + quorum + "}, \"state\": {\"dir\": \"state\"}"));
    assertThat(options.quorum()).isEqualTo(needed);
    assertThat(options.majorityOf()).isEqualTo(majorityOf);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "majority",
        "most",
        "majority of",
        "majority of 1",
        "majority of 1001",
        "majority of 99999999999999999999",
        "majority of -3"
      })
  void a_quorum_that_is_not_understood_says_what_is(String quorum) {
    assertThat(bad(read("{\"quorum\": \"" + quorum + "\"}, \"state\": {\"dir\": \"state\"}")))
        .contains("majority of 3", "members");
  }

  @Test
  void a_quorum_that_follows_the_cluster_needs_a_folder_to_remember_it() {
    assertThat(bad(read("{\"quorum\": \"majority of 3\"}"))).contains("\"state\": {\"dir\": ...}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "10.0.0.3", "::", "node-1.example", "127.0.0.1.example"})
  void another_interface_needs_a_secret(String host) {
    assertThat(bad(read("{\"host\": \"" + host + "\"}")))
        .contains("no \"cluster.secret\"", "secretFile", "MCPBUS_CLUSTER_SECRET", "127.0.0.1");
    assertThat(
            good(read(
                    Map.of("MCPBUS_CLUSTER_SECRET", TEXT),
                    "{\"host\": \"" + host + "\", \"secret\": \"${MCPBUS_CLUSTER_SECRET}\"}"))
                .secret())
        .isEqualTo(ClusterSecret.of(TEXT));
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.0.0.9", "localhost", "::1"})
  void the_loopback_interface_needs_none(String host) {
    assertThat(good(read("{\"host\": \"" + host + "\"}")).isLoopback()).isTrue();
  }

  @Test
  void the_variable_is_read_if_no_other_secret_is_given_also_without_a_cluster() {
    Map<String, String> variables = Map.of("MCPBUS_CLUSTER_SECRET", TEXT);
    assertThat(good(read(variables, "{\"host\": \"10.0.0.3\"}")).secret()).isNotNull();
    ConfigResult none = Sample.in(directory).with(variables).json("{\"mcpServers\": {}}");
    assertThat(good(none).secret()).isEqualTo(ClusterSecret.of(TEXT));
  }

  @Test
  void a_file_gives_it_too() {
    Sample.in(directory).write("cluster.secret", TEXT + "\n");
    assertThat(good(read("{\"host\": \"10.0.0.3\", \"secretFile\": \"cluster.secret\"}")).secret())
        .isEqualTo(ClusterSecret.of(TEXT));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'secret': 'canary-0123456789-0123456789-0123456789'} | is written in the file itself",
        "{'secret': '${SHORT}'} | 32 to 4096 characters, and this one has 12",
        "{'secret': '${UNSET}'} | UNSET is not set",
        "{'secret': '${LONG}', 'secretFile': 'f'} | \"cluster.secretFile\" are both given",
        "{'secretFile': 'none'} | cannot be read (NoSuchFileException)",
        "{'secretFile': '.'} | cannot be read (IOException)",
        "{'tls': {'certFile': 'a'}} | needs \"certFile\", \"keyFile\" and \"caFile\"",
        "{'members': ['10.0.0.3:5701']} | where they cannot reach it",
        "{'kubernetes': 'nodes'} | where they cannot reach it",
      })
  void what_is_wrong_is_named_with_the_remedy_and_the_secret_is_not(String cluster, String what) {
    Map<String, String> variables = Map.of("SHORT", "canary-short", "LONG", TEXT);
    assertThat(bad(read(variables, cluster.replace('\'', '"')))).contains(what);
  }

  @Test
  void a_short_secret_in_the_variable_is_named_as_that() {
    assertThat(bad(read(Map.of("MCPBUS_CLUSTER_SECRET", "canary-short"), "{}")))
        .contains("the variable MCPBUS_CLUSTER_SECRET", "12");
  }

  @Test
  void members_on_this_machine_are_reached_over_the_loopback_interface() {
    assertThat(good(read("{\"members\": [\"127.0.0.1:5701\", \"[::1]:5702\", \"localhost\"]}")))
        .isNotNull();
  }

  @Test
  void certificates_are_read_as_paths() {
    assertThat(
            good(read("{\"tls\": {\"certFile\": \"a\", \"keyFile\": \"/b\", \"caFile\": \"c\"}}"))
                .tls())
        .isEqualTo(
            new ClusterOptions.Tls(directory.resolve("a"), Path.of("/b"), directory.resolve("c")));
  }
}
