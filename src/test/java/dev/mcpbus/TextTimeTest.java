package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import dev.mcpbus.observability.logging.PrintableLayout;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.protocol.Sensitive;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * No text runs for long: each static method of mcpbus that takes a text, or what can be made of
 * one, is called with texts of growing length that parsers are slow with. A text of four times the
 * length may take 6.25 times the time, which is 2.5 times for twice the length; with a method that
 * compares each part with each other it takes 16 times. The time is that of the thread's processor,
 * the least of several runs.
 */
@Tag("release")
class TextTimeTest {

  /** Each method gets each text; otherwise an eighth of them, chosen by its name. */
  private static final boolean ALL = Boolean.getBoolean("mcpbus.allTexts");

  private static final int LONGEST = 16 * 1024;

  /** Below this time nothing is measured: no growth that matters hides in it. */
  private static final long NEGLIGIBLE = 2_000_000;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** Methods that do more than read their text, or whose text is bounded, and why. */
  private static final Map<String, String> LEFT_OUT =
      Map.of(
          "protocol.Printable.joined", "puts one text between all lines; a row of its own",
          "bus.McpFailure.read", "frames of our own nodes, which state their lengths",
          "connection.options.ToolPolicy.names", "the patterns of an entry times the names",
          "security.Rights.matches", "the patterns of a policy times the names",
          "directory.search.ToolQuery.typo", "three words of a search, each cut",
          "protocol.Glob.matches", "at most the product of pattern and text, see GlobTest",
          "protocol.schema.TextFormats.isRegex", "CountedSchema counts the square of its length",
          "protocol.schema.TextFormats.fits", "each format has its own row");

  /** Classes that start or open something, or read files, by a text of ours. */
  private static final List<String> OTHERS =
      List.of(
          "Main",
          "McpBus",
          "InProcessService",
          "VerticleTree",
          "demo.",
          "transport.stdio.Posix",
          "transport.stdio.RunId",
          "transport.stdio.Marked",
          "observability.logging.LogSetup",
          "bridge.ConsoleFiles",
          "testing.",
          "ai.langchain4j",
          "ai.spring");

  /** What is repeated, with a beginning and an end. */
  private static final List<String[]> TEXTS =
      Stream.of(
              " ",
              "\n",
              " \n",
              "a",
              "a ",
              "A",
              "\t",
              "0",
              "0.",
              "a,",
              "a=b;",
              "a:b,",
              "\"",
              "\\",
              "\\\"",
              "'",
              "{",
              "}",
              "[",
              "{\"a\":",
              "[1,",
              "{}",
              "%",
              "%25",
              "/",
              "../",
              "//",
              "-",
              "-a",
              "--",
              ".",
              "a.",
              "*",
              "*a",
              "?",
              "&",
              "a&",
              "a=",
              "=",
              ";",
              "#",
              "`",
              "<",
              "<a>",
              "$",
              "${",
              "${a:-",
              "\u001b[0m",
              "\u001b[",
              "\u202e",
              "ü",
              "\ud83d",
              "key",
              "token=",
              "Error: ",
              "npm error ",
              "Missing A_",
              "docker:",
              "error\n",
              "a: b\n",
              "- a\n",
              "a\n---\n",
              "xn--",
              "l·",
              "\u0001",
              "mcp+a:",
              "(",
              ")",
              "|",
              "a_",
              "Bearer ",
              "a=\"b\", ",
              "data: a\n\n",
              "data\n",
              "a\r\n",
              "\r",
              "0-",
              "at a.b(c)\n",
              "@",
              "a@",
              "~",
              "+",
              ",",
              ", ",
              "!",
              "^",
              "_",
              "é",
              "\u00a0",
              "{a}",
              "Aa",
              "BB")
          .flatMap(
              pump ->
                  Stream.of(
                      new String[] {"", pump, ""},
                      new String[] {"a", pump, "\u0001"},
                      new String[] {"{\"a\":\"", pump, "\"}"},
                      new String[] {"http://a/", pump, "b\n"}))
          .toList();

  @Test
  void a_text_of_twice_the_length_takes_at_most_two_and_a_half_times_as_long() throws Exception {
    Map<String, String> slow = new TreeMap<>();
    Set<String> seen = new TreeSet<>();
    for (Method method : methods()) {
      String name = name(method);
      if (LEFT_OUT.containsKey(name)) {
        continue;
      }
      seen.add(name);
      boolean reads = Arrays.asList(method.getParameterTypes()).contains(String.class);
      int step = ALL ? 1 : reads ? 8 : 30;
      for (int i = Math.floorMod(name.hashCode(), step); i < TEXTS.size(); i += step) {
        String[] text = TEXTS.get(i);
        for (int which = -1; which < several(method); which++) {
          String growth = growth(method, text, which);
          if (growth != null) {
            slow.putIfAbsent(name, growth);
          }
        }
        if (slow.containsKey(name)) {
          break;
        }
      }
    }
    assertThat(seen).as("methods that take a text").hasSizeGreaterThan(300);
    assertThat(slow.entrySet().stream().map(e -> e.getKey() + "\n    " + e.getValue()).toList())
        .isEmpty();
  }

  /** Each blocked an event loop for 17 s and more at 200,000 blanks. */
  @Test
  void a_message_of_blanks_takes_as_long_as_another_in_a_log_line_and_in_a_table() {
    PrintableLayout layout = new PrintableLayout();
    layout.setContext(new LoggerContext());
    layout.start();
    Redactor redactor =
        Redactor.of(
            IntStream.range(0, 50).mapToObj(i -> Sensitive.of("secret value " + i)).toList());
    for (String pump : List.of(" ", "\t ", " \n", "\r", "a \n ", "\u2028 ", "secret ", "\u202e")) {
      assertThat(
              growth(
                  length -> {
                    LoggingEvent event = new LoggingEvent();
                    event.setLevel(Level.WARN);
                    event.setLoggerName("a");
                    event.setLoggerContext(new LoggerContext());
                    event.setMDCPropertyMap(Map.of());
                    event.setMessage("a\nb" + pump.repeat(length / pump.length()) + "x");
                    return () -> layout.doLayout(event);
                  }))
          .isNull();
      assertThat(
              growth(
                  length -> {
                    String text = pump.repeat(length / pump.length());
                    return () -> redactor.redact(text);
                  }))
          .isNull();
    }
  }

  private static String name(Method method) {
    return method.getDeclaringClass().getName().replace("dev.mcpbus.", "") + "." + method.getName();
  }

  /** How many arguments get the long text alone in turn. */
  private static int several(Method method) {
    return method.getParameterCount() < 2 ? 0 : method.getParameterCount();
  }

  /** The text with which the time grows too fast; null if there is none. */
  private static @Nullable String growth(Method method, String[] text, int which) {
    if (arguments(method, text, which, 1) == null) {
      return null;
    }
    String growth =
        growth(
            length -> {
              Object[] arguments = Objects.requireNonNull(arguments(method, text, which, length));
              return () -> call(method, arguments);
            });
    return growth == null
        ? null
        : (text[0] + "(" + text[1] + ")*" + text[2]).replace("\n", "\\n")
            + " in argument "
            + which
            + ": "
            + growth;
  }

  /** How the time grows, where it grows too fast; null where it does not. */
  private static @Nullable String growth(IntFunction<Runnable> reading) {
    for (int length = LONGEST / 64; length <= LONGEST; length *= 4) {
      Runnable large = reading.apply(length);
      long time = time(large);
      if (time > NEGLIGIBLE) {
        double ratio = ratio(reading.apply(length / 4), large);
        if (ratio > 6.25 && ratio(large, reading.apply(length * 4)) > 6.25) {
          return length + " characters take " + time / 1_000_000 + " ms, times " + ratio;
        }
      }
    }
    return null;
  }

  /** The least growth that is seen; a disturbance makes one measure larger, not all. */
  private static double ratio(Runnable small, Runnable large) {
    double least = Double.MAX_VALUE;
    long before = Long.MAX_VALUE;
    long after = Long.MAX_VALUE;
    for (int round = 0; round < 30 && least > 6.25; round++) {
      before = Math.min(before, time(small));
      after = Math.min(after, time(large));
      least = (double) after / before;
    }
    return least;
  }

  private static long time(Runnable reading) {
    long began = THREADS.getCurrentThreadCpuTime();
    reading.run();
    return THREADS.getCurrentThreadCpuTime() - began;
  }

  private static void call(Method method, Object[] arguments) {
    try {
      method.invoke(null, arguments);
    } catch (InvocationTargetException | IllegalAccessException e) {
      // refused, which is an answer
    }
  }

  /** Null where a parameter is of a type that no text makes. */
  private static Object @Nullable [] arguments(
      Method method, String[] text, int which, int length) {
    Object[] all = new Object[method.getParameterCount()];
    String full = text[0] + text[1].repeat(Math.max(1, length / text[1].length())) + text[2];
    boolean some = false;
    for (int i = 0; i < all.length; i++) {
      String own = which < 0 || which == i ? full : "x";
      Class<?> type = method.getParameterTypes()[i];
      boolean end = type == int.class && i > 0 && method.getParameterTypes()[i - 1] == int.class;
      all[i] = end ? (Object) (full.length() - 1) : argument(type, own, text[1]);
      if (all[i] == null) {
        return null;
      }
      some |= own.equals(full) && !type.isPrimitive();
    }
    return some ? all : null;
  }

  private static @Nullable Object argument(Class<?> type, String text, String pump) {
    if (type == String.class || type == CharSequence.class || type == Object.class) {
      return text;
    } else if (type == int.class) {
      return 0;
    } else if (type == long.class) {
      return 1_000L;
    } else if (type == boolean.class) {
      return true;
    } else if (type == char.class) {
      return 'x';
    } else if (type == byte[].class) {
      return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    } else if (type == Buffer.class) {
      return Buffer.buffer(text);
    } else if (type == JsonObject.class) {
      return new JsonObject().put("a", text).put("message", text).put("name", text);
    } else if (type == JsonArray.class) {
      return new JsonArray(parts(text, pump));
    } else if (type == RawJson.class) {
      return RawJson.of(new JsonObject().put("a", text).put("b", new JsonArray(parts(text, pump))));
    } else if (type == List.class || type == Collection.class) {
      return parts(text, pump);
    } else if (type == String[].class) {
      return parts(text, pump).toArray(String[]::new);
    } else if (type == Redactor.class) {
      return Redactor.NONE;
    } else if (type == ParseLimits.class) {
      return ParseLimits.DEFAULT;
    }
    return null;
  }

  /** Texts of eight characters, each another one. */
  private static List<String> parts(String text, String pump) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i + 8 <= text.length(); i += 8) {
      all.add(text.substring(i, i + 8) + i);
    }
    all.add(pump);
    return all;
  }

  private static List<Method> methods() throws Exception {
    Path root = Path.of(McpBus.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<Method> all = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".class")).sorted().toList()) {
        String name = root.relativize(file).toString().replace('/', '.').replace(".class", "");
        if (OTHERS.stream().anyMatch(other -> name.startsWith("dev.mcpbus." + other))) {
          continue;
        }
        Method[] own;
        try {
          own =
              Class.forName(name, false, TextTimeTest.class.getClassLoader()).getDeclaredMethods();
        } catch (LinkageError e) {
          continue; // needs a library that is optional
        }
        for (Method method : own) {
          if (Modifier.isStatic(method.getModifiers())
              && !Modifier.isNative(method.getModifiers())
              && !method.isSynthetic()
              && !method.getReturnType().isEnum()
              && !Future.class.isAssignableFrom(method.getReturnType())
              && Arrays.stream(method.getParameterTypes())
                  .anyMatch(type -> argument(type, "a", "a") != null && !type.isPrimitive())
              && Arrays.stream(method.getParameterTypes())
                  .allMatch(type -> argument(type, "a", "a") != null)) {
            method.setAccessible(true);
            all.add(method);
          }
        }
      }
    }
    return all;
  }
}
