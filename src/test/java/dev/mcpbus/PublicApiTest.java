package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.domain.ThrowsDeclaration;
import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.testing.Compared;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What {@link PublicApi} promises: closed signatures, and a page that lists the types. */
class PublicApiTest {

  private static final Path PAGE = Path.of("src/docs/embedding.md");

  /** Libraries whose types everyone has, and those that a package is for. */
  private static final Map<String, Set<String>> LIBRARIES =
      Map.of(
          "", Set.of("java.", "javax.", "io.vertx.core."),
          "dev.mcpbus.server", Set.of("org.slf4j."),
          "dev.mcpbus.transport.sdk", Set.of("io.modelcontextprotocol.", "reactor.core.publisher."),
          "dev.mcpbus.observability.metrics", Set.of("io.micrometer.core.instrument."),
          "dev.mcpbus.observability.tracing", Set.of("io.opentelemetry.api."),
          "dev.mcpbus.ai.langchain4j", Set.of("dev.langchain4j."),
          "dev.mcpbus.testing.junit", Set.of("org.junit.jupiter.api."),
          "dev.mcpbus.ai.spring", Set.of("org.springframework.ai."));

  private static final JavaClasses CLASSES = BuiltClasses.ALL;

  @Test
  void signatures_of_marked_types_name_marked_types_and_known_libraries() {
    Set<String> others =
        CLASSES.stream()
            .filter(PublicApiTest::isApi)
            .flatMap(
                type ->
                    named(type)
                        .filter(used -> !isKnown(type, used))
                        .map(used -> type.getName() + " -> " + used.getName()))
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(others).as("types that a program would have to use, and may not").isEmpty();
  }

  @Test
  void the_page_lists_the_marked_types() throws IOException {
    Map<String, Set<String>> marked =
        CLASSES.stream()
            .filter(type -> type.isAnnotatedWith(PublicApi.class))
            .collect(
                Collectors.groupingBy(
                    JavaClass::getPackageName,
                    TreeMap::new,
                    Collectors.mapping(
                        JavaClass::getSimpleName, Collectors.toCollection(TreeSet::new))));

    assertThat(marked).hasSizeGreaterThan(10);
    String page = Files.readString(PAGE);
    String head = "| package | types |\n|---|---|\n";
    int begin = page.indexOf(head) + head.length();
    int end = page.indexOf("\n\n", begin) + 1;
    String rows =
        marked.entrySet().stream()
            .map(row -> "| `" + row.getKey() + "` | `" + String.join("`, `", row.getValue()))
            .collect(Collectors.joining("` |\n", "", "` |\n"));
    Compared.page(PAGE, page.substring(0, begin) + rows + page.substring(end), PublicApiTest.class);
  }

  @Test
  void javadoc_is_made_of_the_packages_with_a_marked_type() throws IOException {
    Set<String> marked =
        CLASSES.stream()
            .filter(
                type ->
                    type.isAnnotatedWith(PublicApi.class) || type.isEquivalentTo(PublicApi.class))
            .map(JavaClass::getPackageName)
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> included =
        Pattern.compile("<include>(dev/mcpbus[a-z0-9/]*)/\\*\\.java</include>")
            .matcher(Files.readString(Path.of("pom.xml")))
            .results()
            .map(found -> found.group(1).replace('/', '.'))
            .collect(Collectors.toCollection(TreeSet::new));

    Compared.names("<include> of javadoc in pom.xml", included, marked);
  }

  @Test
  void what_is_marked_is_public() {
    assertThat(
            CLASSES.stream()
                .filter(type -> type.isAnnotatedWith(PublicApi.class))
                .filter(type -> !type.getModifiers().contains(JavaModifier.PUBLIC)))
        .isEmpty();
  }

  /** Marked, or a public type inside a marked one. */
  private static boolean isApi(JavaClass type) {
    return type.isAnnotatedWith(PublicApi.class)
        || (isVisible(type.getModifiers())
            && type.getEnclosingClass().map(PublicApiTest::isApi).orElse(false));
  }

  private static boolean isKnown(JavaClass user, JavaClass used) {
    JavaClass type = used.getBaseComponentType();
    return type.isPrimitive()
        || isApi(type)
        || LIBRARIES.entrySet().stream()
            .filter(library -> user.getPackageName().startsWith(library.getKey()))
            .flatMap(library -> library.getValue().stream())
            .anyMatch(type.getName()::startsWith);
  }

  /** The types that the public and protected parts of a type name. */
  private static Stream<JavaClass> named(JavaClass type) {
    Stream<JavaType> parents =
        Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream());
    Stream<JavaType> fields =
        type.getFields().stream()
            .filter(field -> isVisible(field.getModifiers()))
            .map(JavaField::getType);
    Stream<JavaType> units =
        type.getCodeUnits().stream()
            .filter(unit -> isVisible(unit.getModifiers()))
            .filter(unit -> !unit.getModifiers().contains(JavaModifier.SYNTHETIC))
            .flatMap(PublicApiTest::types);
    return Stream.of(parents, fields, units)
        .flatMap(types -> types)
        .flatMap(named -> named.getAllInvolvedRawTypes().stream());
  }

  private static Stream<JavaType> types(JavaCodeUnit unit) {
    return Stream.of(
            Stream.of(unit.getReturnType()),
            unit.getParameterTypes().stream(),
            unit.getThrowsClause().stream()
                .map(ThrowsDeclaration::getRawType)
                .map(JavaType.class::cast))
        .flatMap(types -> types);
  }

  private static boolean isVisible(Set<JavaModifier> modifiers) {
    return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
  }
}
