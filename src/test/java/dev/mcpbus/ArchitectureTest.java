package dev.mcpbus;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.AccessPolicy;
import dev.mcpbus.security.Principal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the package table of {@code src/docs/architecture.md}. */
class ArchitectureTest {

  private static final String ROOT = "dev.mcpbus";

  /** Package -> the packages of ours that it may import, besides itself. */
  private static final Map<String, Set<String>> MAY_IMPORT =
      Map.ofEntries(
          Map.entry("protocol", Set.of()),
          Map.entry("transport", Set.of("protocol")),
          Map.entry("bus", Set.of("protocol")),
          Map.entry("connection", Set.of("transport", "bus", "protocol")),
          Map.entry("supervisor", Set.of("bus")),
          Map.entry("catalog", Set.of("bus", "protocol")),
          Map.entry("placement", Set.of("bus")),
          Map.entry("cluster", Set.of("bus")),
          Map.entry("ai", Set.of("bus", "protocol")),
          Map.entry("input", Set.of("bus", "protocol")),
          Map.entry("security", Set.of("protocol")),
          Map.entry("bridge", Set.of("bus", "security", "protocol")),
          Map.entry("gateway", Set.of("bus", "security", "protocol")),
          Map.entry("observability", Set.of("bus", "protocol")),
          Map.entry("config", Set.of("bus", "protocol")),
          Map.entry("server", Set.of("transport", "protocol")),
          Map.entry("demo", Set.of("transport", "protocol")));

  /**
   * Where configuration may reach into an actor's package: the records that it fills, and the
   * interfaces of plug-ins that it looks up by name.
   */
  private static final Set<String> OPTION_RECORD_SUFFIXES =
      Set.of(
          "Options",
          "Policy",
          "Backoff",
          "RestartIntensity",
          "RestartType",
          "RestartStrategy",
          "ConnectionStrategy",
          "Provider");

  /** Who may see a text that may hold a secret, and what for. Each is used, or the test fails. */
  private static final Map<String, Set<String>> MAY_REVEAL =
      Map.of(
          "takes it out of other texts",
          Set.of("protocol.Redactor"),
          "hands it to a process",
          Set.of(
              "security.HeadersHelper",
              "transport.stdio.LaunchSpec",
              "transport.stdio.StdioChannel",
              "transport.stdio.StdioTransport"),
          "sends it, or connects to where it leads",
          Set.of(
              "transport.bus.BusTransport",
              "transport.http.ConfiguredHeaders",
              "transport.http.HttpEndpoint",
              "transport.socket.SocketTarget"),
          "gets tokens with it, and keeps them encrypted",
          Set.of(
              "OAuthAuthenticators",
              "OAuthTokenAuthenticator",
              "security.oauth.RegisteredClient",
              "security.oauth.TokenGrants",
              "security.oauth.OAuthClient",
              "security.oauth.OAuthSettings",
              "security.oauth.TokenEndpoint",
              "security.oauth.OAuthTokens"),
          "reads what a configuration means by it, and what of it may be shown",
          Set.of(
              "config.ClusterReader",
              "config.ConfigEntry",
              "config.EntryMasking",
              "config.PluginEntryReader",
              "config.ServerTypeResolver",
              "config.ServerUrlReader",
              "config.SettingsReader",
              "config.Substitution"));

  /** The classes of the build, wherever it put them; those of the tests lie elsewhere. */
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .importUrl(McpBus.class.getProtectionDomain().getCodeSource().getLocation());

  @Test
  void every_package_imports_only_what_the_table_allows() {
    MAY_IMPORT.forEach(
        (name, allowed) -> {
          DescribedPredicate<JavaClass> ours = resideInAPackage(ROOT + "..");
          DescribedPredicate<JavaClass> permitted = inPackages(name, allowed);
          if (name.equals("config")) {
            permitted = permitted.or(optionRecords());
          }
          ArchRule rule =
              noClasses()
                  .that()
                  .resideInAPackage(ROOT + "." + name + "..")
                  .should()
                  .dependOnClassesThat(ours.and(DescribedPredicate.not(permitted)))
                  .because("the table of src/docs/architecture.md says so");
          rule.check(CLASSES);
        });
  }

  @Test
  void no_package_stands_outside_the_table() {
    Set<String> known = MAY_IMPORT.keySet();
    classes()
        .that()
        .resideInAPackage(ROOT + "..")
        .and()
        .resideOutsideOfPackage(ROOT)
        .should()
        .resideInAnyPackage(known.stream().map(n -> ROOT + "." + n + "..").toArray(String[]::new))
        .check(CLASSES);
  }

  @Test
  void a_framework_is_imported_by_its_adapter_alone() {
    Map.of(
            "ai.langchain4j",
            "dev.langchain4j..",
            "ai.spring",
            "org.springframework..",
            "cluster",
            "com.hazelcast..")
        .forEach(
            (adapter, framework) ->
                noClasses()
                    .that()
                    .resideOutsideOfPackage(ROOT + "." + adapter)
                    .should()
                    .dependOnClassesThat(resideInAPackage(framework))
                    .because("only " + adapter + " knows " + framework)
                    .check(CLASSES));
  }

  /**
   * What a caller may do comes from a credential and the policies alone: the admin right where keys
   * and tokens are read, rights where policies are, and a caller where both come together.
   */
  @Test
  void who_may_do_what_is_made_in_one_place() {
    Map.of(
            "dev.mcpbus.security.Admission", "AdmissionControl",
            "dev.mcpbus.security.Rights", "AccessPolicy",
            "dev.mcpbus.security.AuthState", "AccessControl")
        .forEach(
            (made, maker) ->
                noClasses()
                    .that()
                    .doNotHaveSimpleName(maker)
                    .should()
                    .callConstructorWhere(ofClass(made))
                    .because("only " + maker + " makes one")
                    .check(CLASSES));
    noClasses()
        .that()
        .doNotHaveSimpleName("ApiKeys")
        .and()
        .doNotHaveSimpleName("TokenRules")
        .and()
        .doNotHaveSimpleName("Principal")
        .should()
        .callConstructor(Principal.class, String.class, NavigableSet.class, boolean.class)
        .because("the admin right comes with a key or a token")
        .check(CLASSES);
    assertThat(Principal.LOCAL.admin()).as("whoever is on this machine").isFalse();
    assertThat(AccessPolicy.WHOLE.isAdmin()).isFalse();
  }

  /** Calls and references alike; a class that reveals no more has to leave the list. */
  @Test
  void a_text_that_may_hold_a_secret_is_revealed_by_those_who_need_it_alone() {
    Set<String> revealing =
        CLASSES.get(Sensitive.class).getMethod("reveal").getAccessesToSelf().stream()
            .map(access -> outermost(access.getOriginOwner()).getName())
            .map(name -> name.substring(ROOT.length() + 1))
            .collect(Collectors.toSet());
    assertThat(revealing)
        .as("classes that call Sensitive.reveal(): let them show *** instead, or say here what for")
        .containsExactlyInAnyOrderElementsOf(
            MAY_REVEAL.values().stream().flatMap(Set::stream).toList());
  }

  private static DescribedPredicate<JavaConstructorCall> ofClass(String name) {
    return DescribedPredicate.describe(
        "of " + name, call -> call.getTargetOwner().getName().equals(name));
  }

  @Test
  void the_table_in_the_documentation_is_the_one_that_is_held() throws IOException {
    String document = Files.readString(Path.of("src/docs/architecture.md"));
    MAY_IMPORT.keySet().forEach(name -> assertThat(document).contains("| `" + name + "` |"));
  }

  @Test
  void the_rule_finds_a_forbidden_import() {
    DescribedPredicate<JavaClass> bus = resideInAPackage(ROOT + ".bus..");
    ArchRule wrong =
        noClasses()
            .that()
            .resideInAPackage(ROOT + ".connection..")
            .should()
            .dependOnClassesThat(bus);
    assertThat(wrong.evaluate(CLASSES).hasViolation()).isTrue();
  }

  @Test
  void every_package_says_what_it_is_for_and_is_null_marked() throws IOException {
    Path sources = Path.of("src/main/java");
    try (Stream<Path> files = Files.walk(sources)) {
      List<Path> folders =
          files
              .filter(file -> file.toString().endsWith(".java"))
              .map(Path::getParent)
              .distinct()
              .collect(Collectors.toList());
      for (Path folder : folders) {
        assertThat(folder.resolve("package-info.java")).exists();
        assertThat(Files.readString(folder.resolve("package-info.java")))
            .contains("@NullMarked", "/**");
      }
    }
  }

  private static DescribedPredicate<JavaClass> inPackages(String own, Set<String> others) {
    DescribedPredicate<JavaClass> predicate = resideInAPackage(ROOT + "." + own + "..");
    for (String other : others) {
      predicate = predicate.or(resideInAPackage(ROOT + "." + other + ".."));
    }
    return predicate;
  }

  private static DescribedPredicate<JavaClass> optionRecords() {
    return DescribedPredicate.describe(
        "option records",
        type ->
            OPTION_RECORD_SUFFIXES.stream()
                .anyMatch(suffix -> outermost(type).getSimpleName().endsWith(suffix)));
  }

  private static JavaClass outermost(JavaClass type) {
    return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type);
  }
}
