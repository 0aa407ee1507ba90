package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import dev.mcpbus.internals.UsedInternals;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The lists of members of Vert.x and Netty that an upgrade may move. With {@code
 * -Dmcpbus.write=true} it writes them.
 */
class UsedInternalsTest {

  private static final Path FOLDER = Path.of("src/main/resources/dev/mcpbus/internals");

  private static final Map<String, String> LISTS =
      Map.of(
          "dev.mcpbus.internals",
          "used-internals.txt",
          "dev.mcpbus.cluster.engine",
          "used-internals-of-cluster.txt");

  private static boolean mayMove(JavaClass type) {
    JavaClass element = type.getBaseComponentType();
    return ArchitectureTest.isInternal(element)
        && !element.getName().startsWith("com.hazelcast.")
        && !element.getName().startsWith("io.vertx.spi.cluster.hazelcast.");
  }

  private static String descriptor(JavaClass type) {
    String name = type.getName();
    return name.startsWith("[")
        ? name.replace('.', '/')
        : switch (name) {
          case "void" -> "V";
          case "boolean" -> "Z";
          case "byte" -> "B";
          case "char" -> "C";
          case "short" -> "S";
          case "int" -> "I";
          case "long" -> "J";
          case "float" -> "F";
          case "double" -> "D";
          default -> "L" + name.replace('.', '/') + ";";
        };
  }

  private static String line(JavaAccess<?> access) {
    String owner = access.getTargetOwner().getName() + " " + access.getTarget().getName() + " ";
    return access instanceof JavaFieldAccess field
        ? owner + descriptor(field.getTarget().getRawType())
        : owner
            + ((AccessTarget.CodeUnitAccessTarget) access.getTarget())
                .getRawParameterTypes().stream()
                    .map(UsedInternalsTest::descriptor)
                    .collect(Collectors.joining("", "(", ")"))
            + descriptor(
                ((AccessTarget.CodeUnitAccessTarget) access.getTarget()).getRawReturnType());
  }

  private static Set<String> used(String of) {
    List<JavaClass> ours =
        BuiltClasses.ALL.stream().filter(type -> type.getPackageName().equals(of)).toList();
    Set<String> lines = new TreeSet<>();
    for (JavaClass type : ours) {
      type.getDirectDependenciesFromSelf().stream()
          .map(use -> use.getTargetClass().getBaseComponentType())
          .filter(UsedInternalsTest::mayMove)
          .forEach(used -> lines.add(used.getName()));
      type.getAccessesFromSelf().stream()
          .filter(access -> mayMove(access.getTargetOwner()))
          .forEach(access -> lines.add(line(access)));
    }
    return lines;
  }

  @Test
  void the_lists_have_every_member_that_may_move_and_this_class_path_has_them() throws IOException {
    for (Map.Entry<String, String> list : LISTS.entrySet()) {
      Path file = FOLDER.resolve(list.getValue());
      List<String> used = new ArrayList<>(used(list.getKey()));
      if (list.getValue().equals("used-internals.txt")) {
        used.add(0, UsedInternals.versions());
      }
      if (Boolean.getBoolean("mcpbus.write")) {
        Files.createDirectories(FOLDER);
        Files.writeString(file, String.join("\n", used) + "\n");
      }
      assertThat(Files.readAllLines(file)).containsExactlyElementsOf(used);
      assertThat(used).hasSizeGreaterThan(50);
      assertThat(used.stream().skip(1).filter(member -> !UsedInternals.isThere(member))).isEmpty();
    }
    UsedInternals.check(true);
  }
}
