package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds the layers: which package imports which ({@code src/docs/architecture.md} has the same
 * table), what the root may hold, and who may touch the insides of frameworks.
 */
class ArchitectureTest {

  private static final String ROOT = "dev.mcpbus";
  private static final Path SOURCES = Path.of("src/main/java/dev/mcpbus");
  private static final Path PAGE = Path.of("src/docs/architecture.md");

  /** Package -> the packages of ours that it may import besides itself. */
  private static final Map<String, Set<String>> MAY_IMPORT =
      Map.ofEntries(
          row("internals"),
          row("protocol", "internals"),
          row("transport", "internals", "protocol"),
          row("bus", "internals", "protocol"),
          row("client", "internals", "bus", "protocol"),
          row("supervisor", "internals", "bus", "protocol"),
          row("security", "bus", "internals", "protocol", "transport"),
          row("connection", "internals", "bus", "protocol", "transport"),
          row("replicas", "bus", "connection", "internals"),
          row("policy", "bus", "protocol", "security"),
          row("directory", "bus", "internals", "policy", "protocol", "security"),
          row("input", "bus", "protocol"),
          row("ai", "internals", "bus", "client", "protocol"),
          row("spring", "ai", "bus", "client", "protocol"),
          row("observability", "bus", "internals", "protocol"),
          row("server", "internals", "protocol", "transport"),
          row("demo", "observability", "protocol", "server"),
          row("cli", "bus", "config", "doctor", "internals", "protocol", "security", "transport"),
          row("doctor", "bus", "config", "protocol", "transport"),
          row("testing", "bus", "client", "protocol", "server", "transport"),
          row("gateway", "internals", "bus", "directory", "policy", "protocol", "security"),
          row(
              "bridge",
              "internals",
              "bus",
              "directory",
              "observability",
              "policy",
              "protocol",
              "security"),
          row(
              "config",
              "bridge",
              "bus",
              "connection",
              "directory",
              "gateway",
              "internals",
              "protocol",
              "security",
              "supervisor",
              "transport"),
          row(
              "hosting",
              "bus",
              "config",
              "connection",
              "doctor",
              "internals",
              "observability",
              "protocol",
              "replicas",
              "security",
              "supervisor",
              "transport"),
          row(
              "cluster",
              "bus",
              "config",
              "connection",
              "hosting",
              "input",
              "internals",
              "protocol",
              "replicas"));

  /**
   * Within one top-level package: package -> the others of it that it may import. Either a package
   * composes its sub-packages or they build on it, never both. A row with {@code .*} is for those
   * that have none of their own.
   */
  private static final Map<String, Set<String>> WITHIN =
      Map.ofEntries(
          row("ai.langchain4j", "ai"),
          row("ai.spring", "ai"),
          row("bridge", "bridge.options"),
          row("cli.doctor", "cli"),
          row(
              "cluster",
              "cluster.definitions",
              "cluster.engine",
              "cluster.membership",
              "cluster.ownership",
              "cluster.routing"),
          row("cli.imports", "cli"),
          row("client.sdk", "client"),
          row("cluster.definitions", "cluster.engine", "cluster.membership"),
          row("cluster.engine", "cluster.membership", "cluster.signing"),
          row("cluster.ownership", "cluster.membership"),
          row("cluster.routing", "cluster.engine", "cluster.membership", "cluster.ownership"),
          row("cli.stdio", "cli"),
          row("cluster.signing", "cluster.membership"),
          row("config.paste", "config", "config.read"),
          row("config.read", "config"),
          row("directory.aggregate", "directory", "directory.search"),
          row("directory.search", "directory"),
          row(
              "connection",
              "connection.input",
              "connection.options",
              "connection.session",
              "connection.skills",
              "connection.tasks",
              "connection.tools"),
          row("connection.input", "connection.session"),
          row("connection.session", "connection.options"),
          row("connection.tasks", "connection.input", "connection.options", "connection.session"),
          row("connection.tools", "connection.options", "connection.session", "connection.tasks"),
          row("gateway", "gateway.client", "gateway.http", "gateway.options", "gateway.request"),
          row("gateway.client", "gateway.dialect", "gateway.options", "gateway.request"),
          row("gateway.dialect", "gateway.request"),
          row("gateway.http", "gateway.dialect", "gateway.options", "gateway.request"),
          row("hosting", "hosting.credentials"),
          row("protocol.schema", "protocol"),
          row("security", "security.oauth"),
          row("security.signin", "security", "security.oauth"),
          row("testing.junit", "testing"),
          row("transport.*", "transport"),
          row("transport.sdk", "transport", "transport.bus"));

  /** What configuration may see of other packages: the records that it fills, and plug-ins. */
  private static final Set<String> CONFIGURATION_SEES =
      names(
          """
          bridge.options.BridgeLimitOptions bridge.options.BridgeOptions
          bridge.options.BridgeTlsOptions connection.options.ConnectionOptions
          connection.options.BreakerOptions connection.options.PinOptions connection.options.ToolPolicy directory.MetaTools directory.ViewOptions gateway.options.GatewayOptions
          security.AuthOptions security.ClaimMapping security.SignInOptions
          security.oauth.TokenStoreProvider
          supervisor.Backoff supervisor.ConnectionStrategy
          supervisor.RestartPolicy supervisor.RestartStrategy
          transport.BuiltInTransport transport.BusOptions transport.ChildEnvironment
          transport.CommandSearch transport.EmbeddedTransportOptions transport.HttpOptions
          transport.OAuthOptions transport.PluginTransportOptions transport.SocketOptions
          transport.SseOptions transport.StdioOptions transport.TlsOptions
          transport.TransportOptions transport.TransportProvider
          """);

  /** Composition, command line and what a person sees at the start. */
  private static final Set<String> ROOT_CLASSES =
      names(
          """
          BusClaim BusSettings ClusterParts Deployments HttpDoors InProcessService Main McpBus
          McpBusVerticle Servers Service StartReport TelemetryParts VerticleTree
          """);

  /** Packages whose insides an upgrade of Vert.x, Netty or Hazelcast may move. */
  static boolean isInternal(JavaClass type) {
    String name = type.getPackageName();
    return name.startsWith("io.netty.")
        || name.startsWith("com.hazelcast.")
        || name.matches("io\\.vertx\\..*\\b(impl|internal)\\b.*")
        || name.startsWith("io.vertx.core.spi.");
  }

  private static final JavaClasses CLASSES = BuiltClasses.ALL;

  private static final List<Use> IMPORT_LINES = importLines();

  @Test
  void every_package_imports_only_what_the_table_allows() {
    assertThat(
            sorted(
                imports()
                    .filter(use -> !use.from().isEmpty() && !use.to().isEmpty())
                    .filter(use -> !top(use.from()).equals(top(use.to())))
                    .filter(use -> !allows(MAY_IMPORT, top(use.from()), top(use.to())))
                    .map(Use::text)))
        .as("imports that the table of src/docs/architecture.md does not allow")
        .isEmpty();
  }

  @Test
  void sub_packages_build_on_each_other_in_one_direction() {
    assertThat(
            sorted(
                imports()
                    .filter(use -> top(use.from()).equals(top(use.to())))
                    .filter(use -> !use.from().equals(use.to()))
                    .filter(use -> !allows(WITHIN, use.from(), use.to()))
                    .map(Use::text)))
        .as("imports between the sub-packages of one package")
        .isEmpty();
  }

  @Test
  void of_a_connection_and_of_the_gateway_others_see_the_actor_and_its_options() {
    for (String closed : List.of("connection", "gateway")) {
      assertThat(
              sorted(
                  imports()
                      .filter(use -> !top(use.from()).equals(closed))
                      .filter(use -> use.to().startsWith(closed + "."))
                      .filter(use -> !use.to().equals(closed + ".options"))
                      .map(Use::text)))
          .isEmpty();
    }
  }

  @Test
  void no_row_of_the_tables_is_without_use() {
    Set<String> used =
        imports()
            .flatMap(
                use ->
                    Stream.of(
                        top(use.from()) + " > " + top(use.to()),
                        top(use.from()) + ".* > " + use.to(),
                        use.from() + " > " + use.to()))
            .collect(Collectors.toSet());
    assertThat(
            Stream.of(MAY_IMPORT, WITHIN)
                .flatMap(table -> table.entrySet().stream())
                .flatMap(row -> row.getValue().stream().map(to -> row.getKey() + " > " + to))
                .filter(arrow -> !used.contains(arrow)))
        .as("arrows that no class needs")
        .isEmpty();
  }

  @Test
  void no_package_stands_outside_the_table() {
    assertThat(
            CLASSES.stream()
                .map(type -> top(place(type)))
                .filter(name -> !name.isEmpty() && !MAY_IMPORT.containsKey(name)))
        .isEmpty();
  }

  @Test
  void configuration_fills_records_and_knows_no_actor() {
    assertThat(
            sorted(
                imports()
                    .filter(use -> top(use.from()).equals("config"))
                    .filter(
                        use ->
                            !Set.of("config", "bus", "internals", "protocol")
                                .contains(top(use.to())))
                    .map(use -> use.to() + "." + use.target())))
        .as("what configuration sees of others")
        .isEqualTo(new TreeSet<>(CONFIGURATION_SEES));
  }

  @Test
  void the_root_composes_and_nothing_else_stands_there() {
    Set<String> there =
        sorted(
            CLASSES.stream()
                .filter(type -> place(type).isEmpty())
                .map(type -> outermost(type).getSimpleName())
                .filter(name -> !name.equals("package-info")));
    assertThat(ROOT_CLASSES).hasSizeLessThanOrEqualTo(14);
    assertThat(there).isEqualTo(new TreeSet<>(ROOT_CLASSES));
    assertThat(
            imports()
                .filter(use -> use.to().isEmpty() && !use.from().isEmpty())
                .filter(use -> !Set.of("spring", "testing.junit").contains(use.from()))
                .map(Use::text))
        .as("nobody imports the root but what composes for a container or a test")
        .isEmpty();
  }

  @Test
  void insides_of_frameworks_are_touched_in_two_packages_alone() {
    assertThat(
            sorted(
                CLASSES.stream()
                    .filter(type -> !Set.of("internals", "cluster.engine").contains(place(type)))
                    .filter(
                        type ->
                            type.getDirectDependenciesFromSelf().stream()
                                .anyMatch(
                                    use -> isInternal(use.getTargetClass().getBaseComponentType())))
                    .map(type -> outermost(type).getName().substring(ROOT.length() + 1))))
        .as("classes that use what an upgrade of Vert.x, Netty or Hazelcast may move")
        .isEmpty();
  }

  @Test
  void a_framework_is_imported_by_its_adapter_alone() {
    Map<String, Set<String>> frameworks =
        Map.of(
            "dev.langchain4j.",
            Set.of("ai.langchain4j"),
            "org.springframework.",
            Set.of("ai.spring", "spring"),
            "org.junit.",
            Set.of("testing.junit"),
            "com.hazelcast.",
            Set.of("cluster.engine"),
            "io.modelcontextprotocol.",
            Set.of("client.sdk", "transport.sdk"));
    assertThat(
            CLASSES.stream()
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                .flatMap(
                    use ->
                        frameworks.entrySet().stream()
                            .filter(f -> use.getTargetClass().getName().startsWith(f.getKey()))
                            .filter(f -> !f.getValue().contains(place(use.getOriginClass())))
                            .map(f -> use.getDescription())))
        .isEmpty();
  }

  @Test
  void no_class_name_stands_twice() {
    Map<String, List<String>> types =
        CLASSES.stream()
            .filter(type -> !type.getSimpleName().isEmpty())
            .filter(type -> !type.getSimpleName().equals("package-info"))
            .collect(
                Collectors.groupingBy(
                    JavaClass::getSimpleName,
                    TreeMap::new,
                    Collectors.mapping(JavaClass::getName, Collectors.toList())));
    assertThat(types).hasSizeGreaterThan(900);
    assertThat(types.values().stream().filter(names -> names.size() > 1)).isEmpty();
  }

  @Test
  void the_table_in_the_documentation_is_the_one_that_is_held() throws IOException {
    Pattern line = Pattern.compile("\\| `([a-z.]+)` \\| .* \\| ([a-z, .-]*) \\|");
    Map<String, Set<String>> written = new TreeMap<>();
    for (String text : Files.readAllLines(PAGE)) {
      Matcher row = line.matcher(text);
      if (row.matches()) {
        written.put(
            row.group(1),
            Arrays.stream(row.group(2).split(",\\s*"))
                .filter(name -> !name.equals("-"))
                .collect(Collectors.toSet()));
      }
    }
    assertThat(written).isEqualTo(new TreeMap<>(MAY_IMPORT));
    Pattern arrow = Pattern.compile("- `([a-z.0-9*]+)` -> (`[a-z.0-9`, ]+)");
    Map<String, Set<String>> arrows = new TreeMap<>();
    for (String text : Files.readAllLines(PAGE)) {
      Matcher row = arrow.matcher(text);
      if (row.matches()) {
        arrows.put(row.group(1), Set.of(row.group(2).replace("`", "").split(", ")));
      }
    }
    assertThat(arrows).isEqualTo(new TreeMap<>(WITHIN));
  }

  @Test
  void every_package_says_what_it_is_for_and_is_null_marked() throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
      List<Path> folders =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .map(Path::getParent)
              .distinct()
              .toList();
      for (Path folder : folders) {
        assertThat(folder.resolve("package-info.java")).exists();
        assertThat(Files.readString(folder.resolve("package-info.java")))
            .contains("@NullMarked", "/**");
      }
    }
  }

  private static boolean allows(Map<String, Set<String>> table, String from, String to) {
    return table.getOrDefault(from, table.getOrDefault(top(from) + ".*", Set.of())).contains(to);
  }

  private static Set<String> names(String list) {
    return Set.of(list.strip().split("\\s+"));
  }

  private static Set<String> sorted(Stream<String> texts) {
    return texts.collect(Collectors.toCollection(TreeSet::new));
  }

  /** One class of ours uses another; packages without the root's name. */
  private record Use(String from, String origin, String to, String target) {
    String text() {
      return from + "." + origin + " -> " + to + "." + target;
    }
  }

  /** From the class files, and from the import lines: constants leave no trace in a class file. */
  private static Stream<Use> imports() {
    return Stream.concat(
        CLASSES.stream()
            .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
            .filter(
                use ->
                    use.getTargetClass().getBaseComponentType().getPackageName().startsWith(ROOT))
            .map(ArchitectureTest::use),
        IMPORT_LINES.stream());
  }

  private static List<Use> importLines() {
    Pattern line =
        Pattern.compile("import (?:static )?dev\\.mcpbus\\.([a-z0-9.]*?)\\.?([A-Z]\\w*).*");
    try (Stream<Path> files = Files.walk(SOURCES)) {
      List<Use> uses = new ArrayList<>();
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        String from = SOURCES.relativize(file.getParent()).toString().replace('/', '.');
        String origin = file.getFileName().toString().replace(".java", "");
        for (String text : Files.readAllLines(file)) {
          Matcher found = line.matcher(text);
          if (found.matches()) {
            uses.add(new Use(from, origin, found.group(1), found.group(2)));
          }
        }
      }
      return uses;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Use use(Dependency dependency) {
    JavaClass target = dependency.getTargetClass().getBaseComponentType();
    JavaClass origin = dependency.getOriginClass();
    return new Use(
        place(origin),
        outermost(origin).getSimpleName(),
        place(target),
        outermost(target).getSimpleName());
  }

  /** The package without the root's name; empty for the root. */
  private static String place(JavaClass type) {
    String name = type.getPackageName();
    return name.equals(ROOT) ? "" : name.substring(ROOT.length() + 1);
  }

  private static String top(String place) {
    int dot = place.indexOf('.');
    return dot < 0 ? place : place.substring(0, dot);
  }

  private static JavaClass outermost(JavaClass type) {
    return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type);
  }

  private static Map.Entry<String, Set<String>> row(String name, String... imports) {
    return Map.entry(name, Set.of(imports));
  }
}
