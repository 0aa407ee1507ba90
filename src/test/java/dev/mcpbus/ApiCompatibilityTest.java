package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mcpbus.bus.McpBusVersion;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import japicmp.cmp.JApiCmpArchive;
import japicmp.cmp.JarArchiveComparator;
import japicmp.cmp.JarArchiveComparatorOptions;
import japicmp.config.Options;
import japicmp.filter.ClassFilter;
import japicmp.model.JApiClass;
import japicmp.output.stdout.StdoutOutputGenerator;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javassist.CtClass;
import javassist.NotFoundException;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@link PublicApi} marks, against the last release: a program that was compiled against that
 * one runs with this one. {@code api.baseline} names the jar of the last release; {@code
 * src/scripts/api-baseline} makes it of the last tag.
 */
class ApiCompatibilityTest {

  private static final String BASELINE = "api.baseline";

  @TempDir Path folder;

  @Test
  void programs_of_the_last_release_run_with_this_one() throws IOException {
    String baseline = System.getProperty(BASELINE, "");
    assumeTrue(!baseline.isEmpty(), "no release to compare with: -D" + BASELINE + " is not set");
    Path now = folder.resolve("now.jar");
    pack(classes(), now);
    String broken = broken(Path.of(baseline), now);
    String before = version(Path.of(baseline));

    if (mayBreak(before, McpBusVersion.current())) {
      System.out.println("changes since " + before + " that break programs:\n" + broken);
    } else {
      assertThat(broken).as("what breaks programs of " + before).isEmpty();
    }
  }

  @Test
  void a_public_method_that_is_gone_breaks_programs_and_what_is_not_marked_does_not()
      throws IOException {
    String mark = "@dev.mcpbus.protocol.PublicApi ";
    Path before =
        jar(
            "before",
            mark + "public class Door { public void open() {} public static class Key {} }",
            mark + "public class Gone {}",
            "public class Inner { public void turn() {} }");
    Path after =
        jar(
            "after",
            mark + "public class Door { public void close() {} }",
            "public class Gone {}",
            "public class Inner {}");

    assertThat(broken(before, after))
        .contains(
            "METHOD: PUBLIC(-) void open()",
            "REMOVED CLASS: PUBLIC(-) STATIC(-) Door$Key",
            "REMOVED CLASS: PUBLIC(-) Gone")
        .doesNotContain("close", "Inner");
    assertThat(
            broken(
                after, jar("more", mark + "public class Door { public void close() {} int n; }")))
        .isEmpty();
  }

  @Test
  void a_version_may_break_what_its_number_says() {
    assertThat(mayBreak("0.1.0", "0.1.1-SNAPSHOT")).isFalse();
    assertThat(mayBreak("0.1.0", "0.2.0")).isTrue();
    assertThat(mayBreak("1.1.0", "1.2.0")).isFalse();
    assertThat(mayBreak("1.1.0", "2.0.0")).isTrue();
  }

  /** Before 1.0 a minor version may change what is public. */
  private static boolean mayBreak(String before, String now) {
    String[] old = before.split("[.-]", -1);
    String[] present = now.split("[.-]", -1);
    return !old[0].equals(present[0]) || (old[0].equals("0") && !old[1].equals(present[1]));
  }

  /** What breaks binaries, as japicmp words it; empty for nothing. */
  private static String broken(Path before, Path after) {
    Options options = Options.newDefault();
    options.setIgnoreMissingClasses(true);
    options.setOutputOnlyBinaryIncompatibleModifications(true);
    JarArchiveComparatorOptions comparison = JarArchiveComparatorOptions.of(options);
    comparison.getFilters().getIncludes().add((ClassFilter) ApiCompatibilityTest::isApi);
    List<JApiClass> classes =
        new JarArchiveComparator(comparison)
                .compare(
                    new JApiCmpArchive(before.toFile(), "before"),
                    new JApiCmpArchive(after.toFile(), "after"))
                .stream()
                .filter(type -> !type.isBinaryCompatible())
                .toList();
    return classes.isEmpty() ? "" : new StdoutOutputGenerator(options, classes).generate();
  }

  /** Marked, or inside a marked type. */
  private static boolean isApi(CtClass type) {
    try {
      CtClass outer = type.getDeclaringClass();
      return type.hasAnnotation(PublicApi.class.getName()) || (outer != null && isApi(outer));
    } catch (NotFoundException notInTheJar) {
      return false;
    }
  }

  private static Path classes() {
    return Path.of(McpBus.class.getProtectionDomain().getCodeSource().getLocation().getPath());
  }

  private static String version(Path jar) throws IOException {
    Properties properties = new Properties();
    try (JarFile open = new JarFile(jar.toFile());
        InputStream text = open.getInputStream(open.getEntry("mcpbus.properties"))) {
      properties.load(text);
    }
    return properties.getProperty("version");
  }

  private static void pack(Path folder, Path jar) throws IOException {
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream written = new JarOutputStream(out);
        Stream<Path> all = Files.walk(folder)) {
      for (Path file : all.filter(one -> one.toString().endsWith(".class")).toList()) {
        written.putNextEntry(new JarEntry(folder.relativize(file).toString()));
        Files.copy(file, written);
      }
    }
  }

  /** A jar of classes, each in one line. */
  private Path jar(String name, String... sources) throws IOException {
    Path root = Files.createDirectories(folder.resolve(name));
    Stream.Builder<String> arguments =
        Stream.<String>builder().add("-d").add(root.toString()).add("-proc:none").add("-cp");
    arguments.add(
        classes()
            + ":"
            + Future.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    for (String source : sources) {
      String type = source.replaceFirst(".*?class (\\w+) .*", "$1");
      arguments.add(Files.writeString(root.resolve(type + ".java"), source).toString());
    }
    int code =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.build().toArray(String[]::new));
    assertThat(code).isZero();
    Path jar = folder.resolve(name + ".jar");
    pack(root, jar);
    return jar;
  }
}
