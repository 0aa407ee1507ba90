package dev.mcpbus.internals;

import io.netty.util.Version;
import io.vertx.core.Vertx;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Links every member of Vert.x and Netty that may move with an upgrade and that this build uses, so
 * that a missing one is named at the start, and not by a {@code NoSuchMethodError} in the middle of
 * a call. The list is a resource that a test writes from the classes of the build. Any thread may
 * call.
 *
 * <p>With the versions of the build nothing is linked, because the compiler has done it; else that
 * takes about 0.1 s. A missing member refuses the start. Another line of Vert.x with all members is
 * a warning: it is not tested, and a program may need it.
 */
public final class UsedInternals {

  private static final Logger LOG = LoggerFactory.getLogger(UsedInternals.class);

  /** The versions of the build, then lines {@code class} or {@code class member descriptor}. */
  private static final String ALONE = "used-internals.txt";

  /** The same of a cluster, without the versions. */
  private static final String CLUSTERED = "used-internals-of-cluster.txt";

  private static final int NAMED = 5;

  private UsedInternals() {}

  /**
   * @param clustered whether a cluster's members count, too
   * @throws IllegalStateException where one is missing; names it, the versions, and the remedy
   */
  public static void check(boolean clustered) {
    List<String> alone = lines(UsedInternals.class.getResourceAsStream(ALONE));
    String built = alone.get(0);
    String found = versions();
    if (found.equals(built)) {
      return;
    }
    String line = built.substring(0, built.lastIndexOf('.', built.indexOf(',')));
    List<String> ofCluster =
        clustered ? lines(UsedInternals.class.getResourceAsStream(CLUSTERED)) : List.of();
    List<String> missing =
        Stream.concat(alone.stream().skip(1), ofCluster.stream())
            .filter(member -> !isThere(member))
            .toList();
    if (!missing.isEmpty()) {
      throw new IllegalStateException(
          "this class path has "
              + found
              + ", which lack what mcpbus uses: "
              + String.join(", ", missing.subList(0, Math.min(NAMED, missing.size())))
              + (missing.size() > NAMED ? " and " + (missing.size() - NAMED) + " more" : "")
              + ". mcpbus needs "
              + line
              + ".x: import io.vertx:vertx-dependencies of that line in your pom");
    }
    if (!found.startsWith(line + ".")) {
      LOG.warn(
          "mcpbus is tested with {}.x; this class path has {}, all that mcpbus uses is there, and"
              + " nobody has tried it",
          line,
          found);
    }
  }

  /** The versions of this class path, as the list has those of the build. */
  public static String versions() {
    String netty =
        Version.identify(Vertx.class.getClassLoader()).values().stream()
            .map(Version::artifactVersion)
            .distinct()
            .sorted()
            .collect(Collectors.joining(" and "));
    List<String> vertx =
        lines(Vertx.class.getResourceAsStream("/META-INF/vertx/vertx-version.txt"));
    return "Vert.x "
        + (vertx.isEmpty() ? "of an unknown version" : vertx.get(0).strip())
        + ", Netty "
        + netty;
  }

  private static List<String> lines(@Nullable InputStream resource) {
    if (resource == null) {
      return List.of();
    }
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(resource, StandardCharsets.UTF_8))) {
      return in.lines().filter(line -> !line.isBlank()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Links a member as the virtual machine does. */
  public static boolean isThere(String member) {
    String[] words = member.split(" ", 3);
    ClassLoader loader = UsedInternals.class.getClassLoader();
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    try {
      Class<?> owner = Class.forName(words[0], false, loader);
      if (words.length == 1) {
        return true;
      }
      if (!words[2].startsWith("(")) {
        Class<?> type = MethodType.fromMethodDescriptorString("()" + words[2], loader).returnType();
        VarHandle unused = lookup.findVarHandle(owner, words[1], type);
        return true;
      }
      MethodType type = MethodType.fromMethodDescriptorString(words[2], loader);
      if (words[1].equals("<init>")) {
        Constructor<?> unused = owner.getDeclaredConstructor(type.parameterArray());
      } else {
        MethodHandle unused = lookup.findVirtual(owner, words[1], type);
      }
      return true;
    } catch (IllegalAccessException thereAndStaticOrProtected) {
      return true;
    } catch (ReflectiveOperationException | LinkageError | TypeNotPresentException missing) {
      return false;
    }
  }
}
