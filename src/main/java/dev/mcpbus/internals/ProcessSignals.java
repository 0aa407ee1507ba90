package dev.mcpbus.internals;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;

/**
 * Signals to this process. The JVM runs its shutdown hooks at the first SIGTERM or SIGINT and
 * ignores every later one; only {@code sun.misc.Signal} of the module {@code jdk.unsupported} sees
 * those. It is called by reflection, because the compiler warns of it and a JVM may lack it.
 */
public final class ProcessSignals {

  private ProcessSignals() {}

  /**
   * Runs {@code action} at the next SIGTERM and SIGINT, in place of what the JVM does then; for a
   * shutdown hook. It runs on a thread of the JVM, once for each signal.
   *
   * @return false where this JVM does not offer it
   */
  public static boolean onNext(Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Constructor<?> named = signal.getConstructor(String.class);
      Method handle = signal.getMethod("handle", signal, handler);
      Object runs =
          Proxy.newProxyInstance(
              ProcessSignals.class.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) -> {
                action.run();
                return null;
              });
      for (String name : List.of("TERM", "INT")) {
        handle.invoke(null, named.newInstance(name), runs);
      }
      return true;
    } catch (ReflectiveOperationException | IllegalArgumentException missing) {
      return false;
    }
  }
}
