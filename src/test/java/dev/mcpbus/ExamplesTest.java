package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.read.ConfigReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What lies in conf/ says the truth about the program that it is for. */
class ExamplesTest {

  private static final Path BASE = Path.of(System.getProperty("mcpbus.basedir", "."));
  private static final Path CONF = BASE.resolve("conf");
  private static final Path MANIFESTS = CONF.resolve("examples/kubernetes/mcpbus.yaml");
  private static final Path UNIT = CONF.resolve("examples/systemd/mcpbus.service");
  private static final Path CONTAINER = CONF.resolve("examples/container/Containerfile");

  /** As long as an orderly end takes at most, and some to spare for the JVM. */
  private static final int ENDING_SECONDS = 12;

  private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Z][A-Z_]*)}");
  private static final Pattern OPTION = Pattern.compile("--[a-z][a-z-]*");

  /** Values that no file of examples could hold. */
  private static final Map<String, String> VARIABLES =
      Map.of(
          "MCPBUS_INPUT_SEARCH_KEY", "k",
          "MCPBUS_INPUT_MCPBUS_KEY", "k",
          "MCP_GATEWAY_KEY", "k",
          "POD_NAME", "mcpbus-0",
          "POD_NAMESPACE", "tools",
          "POD_IP", "10.1.2.3",
          "MCPBUS_CLUSTER_SECRET", "s".repeat(44),
          "MCPBUS_KEY_HASH", "sha256:" + "0".repeat(64));

  @TempDir private Path directory;

  private static ConfigResult read(Path file) {
    Map<String, String> variables = new HashMap<>(System.getenv());
    variables.putAll(VARIABLES);
    return ConfigReader.read(file, ConfigEnvironment.system().withVariables(variables));
  }

  private McpBusConfig inManifests() throws IOException {
    String text = (String) at(one("ConfigMap", named -> true), "data", "mcpbus.json");
    Path file = Files.writeString(directory.resolve("mcpbus.json"), text);
    ConfigResult result = read(file);
    assertThat(result.problems()).isEmpty();
    return result.usable().orElseThrow();
  }

  private static List<Map<?, ?>> manifests() throws IOException {
    Iterable<Object> all =
        new Load(LoadSettings.builder().build()).loadAllFromString(Files.readString(MANIFESTS));
    return StreamSupport.stream(all.spliterator(), false)
        .<Map<?, ?>>map(each -> (Map<?, ?>) each)
        .collect(Collectors.toList());
  }

  private static Map<?, ?> one(String kind, Predicate<String> name) throws IOException {
    return manifests().stream()
        .filter(each -> kind.equals(at(each, "kind")))
        .filter(each -> name.test((String) at(each, "metadata", "name")))
        .findFirst()
        .orElseThrow();
  }

  /** The value at a path of keys, and of indexes as numbers. */
  private static Object at(Object of, Object... path) {
    Object value = of;
    for (Object step : path) {
      value =
          Objects.requireNonNull(
              step instanceof Integer index
                  ? ((List<?>) value).get(index)
                  : ((Map<?, ?>) value).get(step),
              () -> "there is no " + List.of(path));
    }
    return value;
  }

  private static Object container() throws IOException {
    return at(
        one("StatefulSet", named -> true), "spec", "template", "spec", "containers", (Integer) 0);
  }

  private static Set<String> options() {
    return Main.commandLine().getCommandSpec().optionsMap().keySet();
  }

  @Test
  void every_configuration_passes_the_check() throws IOException {
    try (Stream<Path> all = Files.walk(CONF)) {
      List<Path> files =
          all.filter(file -> file.toString().matches(".*\\.(json|ya?ml)"))
              .filter(file -> !file.equals(MANIFESTS))
              .filter(file -> !file.startsWith(CONF.resolve("examples/prometheus")))
              .filter(file -> !file.startsWith(CONF.resolve("examples/grafana")))
              .toList();
      assertThat(files)
          .contains(CONF.resolve("examples/cluster/mcpbus.json"))
          .hasSizeGreaterThan(5);
      assertThat(files)
          .filteredOn(file -> !file.endsWith("registry/server.json"))
          .allSatisfy(file -> assertThat(read(file).problems()).isEmpty());
    }
  }

  @Test
  void three_nodes_find_each_other_and_want_two() {
    McpBusConfig config = read(CONF.resolve("examples/cluster/mcpbus.json")).usable().orElseThrow();
    assertThat(config.cluster().members()).hasSize(3).contains("127.0.0.1:5701");
    assertThat(config.cluster().host()).isEqualTo("127.0.0.1");
    assertThat(config.cluster().quorum()).isEqualTo(2);
  }

  @Test
  void what_the_manifests_configure_is_what_they_open_and_look_at() throws IOException {
    McpBusConfig config = inManifests();
    Map<?, ?> nodes = one("Service", "mcpbus-nodes"::equals);
    assertThat(config.cluster().kubernetes()).isEqualTo("mcpbus-nodes.tools.svc.cluster.local");
    assertThat(config.cluster().secret()).isNotNull();
    assertThat(config.cluster().quorum())
        .isGreaterThan((int) at(one("StatefulSet", named -> true), "spec", "replicas") / 2);
    assertThat(at(nodes, "spec", "clusterIP")).isEqualTo("None");
    assertThat(at(nodes, "spec", "publishNotReadyAddresses")).isEqualTo(true);
    assertThat(at(nodes, "spec", "ports", 0, "port")).isEqualTo(config.cluster().port());
    assertThat(at(nodes, "spec", "ports", 1, "port")).isEqualTo(config.cluster().busPort());
    assertThat(at(container(), "ports", 0, "containerPort")).isEqualTo(config.port());
    assertThat(at(container(), "livenessProbe", "httpGet", "path")).isEqualTo("/health/live");
    assertThat(at(container(), "readinessProbe", "httpGet", "path")).isEqualTo("/health/ready");
  }

  @Test
  void the_manifests_give_every_variable_that_their_configuration_names() throws IOException {
    String text = (String) at(one("ConfigMap", named -> true), "data", "mcpbus.json");
    List<String> wanted =
        VARIABLE.matcher(text).results().map(found -> found.group(1)).distinct().toList();
    List<?> given =
        ((List<?>) at(container(), "env")).stream().map(one -> at(one, "name")).toList();
    assertThat(wanted).contains("MCPBUS_KEY_HASH").isSubsetOf(given.toArray(String[]::new));
  }

  @Test
  void the_manifests_leave_time_for_handing_over_and_give_no_rights() throws IOException {
    Object pod = at(one("StatefulSet", named -> true), "spec", "template", "spec");
    List<?> args = (List<?>) at(container(), "args");
    String drain = (String) args.get(args.indexOf("--drain") + 1);
    assertThat(drain).matches("\\d+s");
    assertThat((int) at(pod, "terminationGracePeriodSeconds"))
        .isGreaterThan(Integer.parseInt(drain.substring(0, drain.length() - 1)) + ENDING_SECONDS);
    assertThat(at(pod, "securityContext", "runAsNonRoot")).isEqualTo(true);
    assertThat(at(container(), "securityContext", "allowPrivilegeEscalation")).isEqualTo(false);
    assertThat(at(one("PodDisruptionBudget", named -> true), "spec", "maxUnavailable"))
        .isEqualTo(1);
  }

  @Test
  void flags_of_manifests_unit_and_container_are_flags_of_the_program() throws IOException {
    List<String> used =
        Stream.of(
                ((List<?>) at(container(), "args"))
                    .stream().map(String::valueOf).collect(Collectors.joining(" ")),
                after("/usr/bin/mcpbus", key("ExecStart")),
                after("/usr/bin/mcpbus", line(CONTAINER, "ENTRYPOINT")))
            .flatMap(text -> OPTION.matcher(text).results())
            .map(MatchResult::group)
            .distinct()
            .toList();
    assertThat(used).contains("--cluster", "--config").isSubsetOf(options());
  }

  @Test
  void the_unit_lets_the_program_end_its_children_and_waits_for_it() throws IOException {
    assertThat(key("KillMode")).isEqualTo("mixed");
    assertThat(Integer.parseInt(key("TimeoutStopSec"))).isGreaterThan(5 + ENDING_SECONDS);
    assertThat(key("SuccessExitStatus")).isEqualTo("143");
    assertThat(key("NoNewPrivileges")).isEqualTo("yes");
  }

  @Test
  void the_container_runs_the_jar_that_the_build_makes_and_not_as_root() throws IOException {
    List<String> lines = Files.readAllLines(CONTAINER);
    assertThat(lines).filteredOn(line -> line.startsWith("FROM ")).hasSize(2);
    assertThat(line(CONTAINER, "USER")).isEqualTo("10001:10001");
    assertThat(line(CONTAINER, "COPY --from=build")).startsWith("/build/target/mcpbus.jar ");
    assertThat(Files.readString(BASE.resolve("pom.xml"))).contains("/mcpbus.jar</");
    assertThat(line(CONTAINER, "COPY src/scripts/")).isEqualTo("mcpbus /usr/bin/mcpbus");
    assertThat(BASE.resolve("src/scripts/mcpbus")).isExecutable();
  }

  private static String key(String name) throws IOException {
    return line(UNIT, name + "=");
  }

  /** What follows {@code start} on the only line that begins with it. */
  private static String line(Path file, String start) throws IOException {
    List<String> found =
        Files.readAllLines(file).stream().filter(line -> line.startsWith(start)).toList();
    assertThat(found).as("%s in %s", start, file).hasSize(1);
    return found.get(0).substring(start.length()).strip();
  }

  private static String after(String word, String text) {
    assertThat(text).contains(word);
    return text.substring(text.indexOf(word) + word.length());
  }
}
