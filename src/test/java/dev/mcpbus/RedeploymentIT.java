package dev.mcpbus;

import static java.lang.invoke.MethodType.methodType;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.RedeployedProgram;
import java.io.File;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.ref.WeakReference;
import java.lang.runtime.ObjectMethods;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What is left of a bus that a server of applications has loaded, run and dropped. Four things of
 * others keep a class loader, and the test keeps out of their way:
 *
 * <ul>
 *   <li>JFR keeps the protection domains of the call in which it begins, and Netty begins it;
 *   <li>JNA keeps each class that it has ever mapped: it belongs to the application;
 *   <li>Netty keeps values of each thread that has used it: the program has a thread of its own;
 *   <li>the JDK keeps the type of the last record that was compared, until the next one.
 * </ul>
 *
 * <p>JNA's own thread ends 30 s after the last use.
 */
class RedeploymentIT {

  private static final Set<Path> OURS =
      Set.of(McpBus.class, RedeployedProgram.class).stream()
          .map(type -> type.getProtectionDomain().getCodeSource().getLocation())
          .map(url -> Path.of(url.getPath()))
          .collect(Collectors.toUnmodifiableSet());

  private static final String JFR = "io.netty.jfr.enabled";

  private static boolean isOfApplication(Path entry) {
    return OURS.contains(entry) || entry.getFileName().toString().startsWith("jna-");
  }

  private static URL[] path(Predicate<Path> wanted) {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath())
        .filter(entry -> !entry.toString().contains("logback")) // its setup is that of the service
        .filter(wanted)
        .map(
            entry -> {
              try {
                return entry.toUri().toURL();
              } catch (MalformedURLException e) {
                throw new IllegalStateException(e);
              }
            })
        .toArray(URL[]::new);
  }

  private static Set<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("mcpbus-") && !name.equals("mcpbus-log")) // the service's
        .collect(Collectors.toSet());
  }

  @BeforeAll
  static void withoutFlightRecorder() {
    System.setProperty(JFR, "false");
  }

  @AfterAll
  static void withFlightRecorder() {
    System.clearProperty(JFR);
  }

  private static String script() {
    return EchoServer.shell().getJsonArray("args").getString(0);
  }

  /** Loads, runs and drops the program; the loader must not be in a variable of the test. */
  private static WeakReference<ClassLoader> run(URL[] path, ClassLoader parent) throws Exception {
    try (URLClassLoader loader = new URLClassLoader(path, parent)) {
      AtomicReference<String> answers = new AtomicReference<>();
      Thread thread =
          new Thread(
              () -> {
                try {
                  Class<?> program = loader.loadClass(RedeployedProgram.class.getName());
                  assertThat(program).isNotSameAs(RedeployedProgram.class);
                  Object told = program.getMethod("run", String.class).invoke(null, script());
                  answers.set(String.valueOf(told));
                } catch (ReflectiveOperationException e) {
                  throw new LinkageError("the program could not run", e);
                }
              });
      thread.setContextClassLoader(loader);
      thread.start();
      thread.join();
      assertThat(answers.get()).contains("hello", "one ");
      return new WeakReference<>(loader);
    }
  }

  private record Compared(Path component) {}

  /** Makes the comparison of a record, as the first comparison does. */
  private static void compare() throws Throwable {
    MethodHandles.Lookup lookup = MethodHandles.lookup();
    MethodHandle getter = lookup.findVirtual(Compared.class, "component", methodType(Path.class));
    ObjectMethods.bootstrap(
        lookup, "equals", MethodHandle.class, Compared.class, "component", getter);
  }

  private static void assertFree(WeakReference<ClassLoader> loader) throws Throwable {
    compare();
    Awaitility.await("the class loader to be free")
        .atMost(Duration.ofSeconds(90))
        .until(
            () -> {
              System.gc();
              return loader.get() == null;
            });
  }

  @Test
  void threads_end_with_the_last_bus_and_the_next_bus_has_others() throws Exception {
    Set<String> before = threads();
    for (int i = 0; i < 2; i++) {
      RedeployedProgram.run(script());
      Awaitility.await().untilAsserted(() -> assertThat(threads()).isEqualTo(before));
    }
  }

  @Test
  @Tag("release")
  void an_application_with_all_its_libraries_leaves_nothing() throws Throwable {
    Set<String> before = threads();
    WeakReference<ClassLoader> loader =
        run(path(entry -> true), ClassLoader.getPlatformClassLoader());
    Awaitility.await().untilAsserted(() -> assertThat(threads()).isEqualTo(before));
    assertFree(loader);
  }

  @Test
  @Tag("release")
  void an_application_whose_libraries_stay_leaves_nothing_in_them() throws Throwable {
    try (URLClassLoader libraries =
        new URLClassLoader(
            path(entry -> !isOfApplication(entry)), ClassLoader.getPlatformClassLoader())) {
      assertFree(run(path(RedeploymentIT::isOfApplication), libraries));
    }
  }
}
