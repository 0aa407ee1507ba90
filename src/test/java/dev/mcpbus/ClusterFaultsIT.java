package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The cluster's faults once each, and three schedules, by one run of {@code
 * src/scripts/cluster-faults}; the long sets are run by hand. Case 91 is in {@code
 * ClusterRequestsTest}, 92 in {@link ClusterIT}. All the time the clocks of two nodes are 10
 * minutes apart.
 */
@Tag("release")
class ClusterFaultsIT {

  private static String said = "";
  private static int exit = -1;

  @BeforeAll
  static void run(@TempDir Path directory) throws Exception {
    assumeTrue(isOnPath("gcc"), "gcc is missing: it compiles the servers that write down calls");
    String base = System.getProperty("mcpbus.basedir", ".");
    Path log = directory.resolve("out.txt");
    ProcessBuilder builder =
        new ProcessBuilder(
                ("sh src/scripts/cluster-faults --lenient --skew 300 --runs 1"
                        + " --only kill,stop,partition,link,leave,pair,all,random"
                        + " --schedules 3 --seed 105")
                    .split(" "))
            .directory(new File(base))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().put("BENCH_CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().put("MCPBUS_JAR", System.getProperty("mcpbus.jar", "target/mcpbus.jar"));
    Process process = builder.start();
    boolean ended;
    try {
      ended = process.waitFor(8, TimeUnit.MINUTES);
    } finally {
      // The nodes too: without namespaces nothing else would end them.
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    said = Files.readString(log);
    assertThat(ended).as("ends within 8 minutes:%n%s", said).isTrue();
    exit = process.exitValue();
  }

  private static void held(String scenario) {
    assertThat(said)
        .containsPattern("(?m)^" + scenario + "[: ].*, 0 violations$")
        .doesNotContain("FAILED");
  }

  @Test
  void every_promise_held_in_every_run() {
    assertThat(exit).as(said).isZero();
    assertThat(said).contains("; all held").doesNotContain("VIOLATION", "FAILED");
  }

  @Test
  void case_87_a_killed_owner_is_replaced() {
    held("kill -9 1 of");
  }

  @Test
  void case_88_an_owner_that_is_stopped_is_replaced_and_runs_nothing_old_when_it_goes_on() {
    held("stop 1 of");
  }

  @Test
  void case_89_an_owner_that_is_cut_off_is_replaced_and_ends_its_servers() {
    assumeTrue(said.contains("in a network namespace"), "no link can be cut here");
    held("partition 1 of");
  }

  @Test
  void one_end_of_a_cut_link_is_given_up_and_runs_nothing_that_others_own() {
    assumeTrue(said.contains("in a network namespace"), "no link can be cut here");
    held("link 1, 2-3");
  }

  @Test
  void case_90_a_node_that_leaves_in_order_loses_no_accepted_call() {
    assertThat(said).contains("  20 accepted calls, lost []");
    held("leave 1 of");
  }

  @Test
  void case_94_clocks_that_are_minutes_apart_change_nothing() {
    assertThat(said).contains("clocks of n1 and n3 are 600 s apart");
    assertThat(exit).as(said).isZero();
  }

  @Test
  void case_95_when_all_have_died_the_files_say_what_there_is() {
    held("all 1");
  }

  @Test
  void two_of_three_killed_at_once_make_the_third_forget_no_server() {
    held("pair 1, left");
  }

  @Test
  void three_schedules_of_faults_break_no_promise() {
    held("seed 105");
    held("seed 106");
    held("seed 107");
  }

  private static boolean isOnPath(String program) {
    String path = System.getenv().getOrDefault("PATH", "");
    return Arrays.stream(path.split(File.pathSeparator))
        .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
  }
}
