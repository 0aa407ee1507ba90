package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassReader;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.ClassVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Handle;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.MethodVisitor;
import com.tngtech.archunit.thirdparty.org.objectweb.asm.Opcodes;
import dev.mcpbus.protocol.ClueFile;
import io.vertx.core.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Regular expressions read text of servers and callers on event loops. So each one in mcpbus takes
 * a time proportional to its text, whatever the text: this test finds all of them in the compiled
 * classes, makes texts that each is slow with, and counts the characters that it reads.
 */
@Tag("long")
class PatternTimeTest {

  /**
   * @param most the characters of the longest text that an expression reads
   */
  private record Bounded(int most, String why) {}

  /** Classes that cut the text for their expressions, which may read it many times. */
  private static final Map<String, Bounded> BOUNDED =
      Map.of(
          "failure-clues.json, lines", new Bounded(303, "FailureLines cuts each line"),
          "failure-clues.json, ends", new Bounded(500, "OutputClues cuts each line"),
          "failure-clues.json, listens", new Bounded(500, "OutputClues cuts each line"),
          "protocol/schema/TextFormats", new Bounded(320, "host names and dates"));

  /** Classes that compile an expression that is no constant, and why that is safe. */
  private static final Map<String, String> NOT_CONSTANT =
      Map.of(
          "config/read/ConfigSchema",
              "names of mcpbus.schema.json, which is looked at here as well",
          "config/read/ConfigShape", "texts of mcpbus.schema.json likewise",
          "protocol/schema/CountedSchema", "a schema's patterns: it counts what they read",
          "protocol/schema/TextFormats", "the format regex compiles its text, and matches nothing",
          "protocol/schema/EcmaPattern", "compiles at most 1,000 characters, and matches nothing",
          "doctor/OutputClue", "rows of failure-clues.json, which are looked at here as well",
          "protocol/FailureLines", "rows of failure-clues.json likewise",
          "bridge/EventBusEndpoint", "joins constants of three classes",
          "security/Principal", "splits at one character",
          "transport/CommandSearch", "splits at one character");

  /** What a class does with expressions. */
  private static final class Uses {
    final Set<String> constants = new TreeSet<>();

    /** The expressions of its fields, by their names. */
    final Map<String, String> fields = new TreeMap<>();

    /** Names of fields and expressions that a text is searched for; others match whole texts. */
    final Set<String> searched = new TreeSet<>();

    boolean compiles;
    boolean searchesAll;
    boolean other;

    boolean searches(String regex) {
      return searchesAll
          || searched.contains(regex)
          || fields.entrySet().stream()
              .anyMatch(
                  field -> field.getValue().equals(regex) && searched.contains(field.getKey()));
    }
  }

  @Test
  void each_pattern_takes_a_time_proportional_to_its_text() {
    Map<String, String> slow = new TreeMap<>();
    classes()
        .forEach(
            (name, uses) -> {
              for (String regex : uses.constants) {
                Bounded bounded = BOUNDED.getOrDefault(name, new Bounded(2_000, ""));
                String attack = attack(regex, uses.searches(regex), bounded.most);
                if (attack != null) {
                  slow.put(name + ": " + regex, attack);
                }
              }
            });
    assertThat(slow.entrySet().stream().map(e -> e.getKey() + "\n    " + e.getValue()).toList())
        .as("write these without a regular expression, or so that it cannot go back")
        .isEmpty();
  }

  @Test
  void an_expression_that_is_no_constant_has_a_reason() {
    Set<String> found = new TreeSet<>();
    classes().forEach((name, uses) -> found.addAll(uses.other ? Set.of(name) : Set.of()));
    assertThat(found).containsExactlyInAnyOrderElementsOf(NOT_CONSTANT.keySet());
  }

  @Test
  void expressions_that_go_back_are_found() {
    assertThat(attack("\\s*\\R\\s*", true, 2_000)).isNotNull();
    assertThat(attack("npm (ERR!|error).*(ENOVERSIONS|ETARGET)", true, 2_000)).isNotNull();
    assertThat(attack("(a+)+b", false, 2_000)).isNotNull();
    assertThat(attack("(?i).*key.*token.*", false, 2_000)).isNotNull();
    assertThat(attack("-+$", true, 2_000)).isNotNull();
    assertThat(attack("\\s+", true, 2_000)).isNull();
    assertThat(attack("[a-z]{1,64}", false, 2_000)).isNull();
  }

  /**
   * A text with which the expression reads more characters than it should; null if none is found.
   *
   * @param most the length of the longest text; below 2,000 it may read each character often
   */
  private static @Nullable String attack(String regex, boolean searches, int most) {
    Pattern pattern = Pattern.compile(regex);
    Random random = new Random(regex.hashCode());
    for (int round = 0; round < 160; round++) {
      String sample = new Sample(regex, random).text();
      int from = sample.isEmpty() ? 0 : random.nextInt(sample.length());
      int to = sample.isEmpty() ? 0 : from + 1 + random.nextInt(sample.length() - from);
      String pump = sample.isEmpty() || round % 8 == 0 ? " " : sample.substring(from, to);
      String end = List.of("", "\u0001", "\n", sample.substring(to)).get(round % 4);
      for (String start : List.of("", sample.substring(0, from))) {
        long half = steps(pattern, text(start, pump, most / 2) + end, searches);
        long whole = steps(pattern, text(start, pump, most) + end, searches);
        if (most < 2_000 ? whole > 400_000 : half > 60_000 && whole > 2.5 * half) {
          return (start + "(" + pump + ")*" + end).replace("\n", "\\n");
        }
        if (most >= 2_000 && round % 16 == 0 && overflows(pattern, text(start, pump, 30_000))) {
          return "the stack overflows: " + (start + "(" + pump + ")*").replace("\n", "\\n");
        }
      }
    }
    return null;
  }

  private static boolean overflows(Pattern pattern, String text) {
    try {
      pattern.matcher(text).lookingAt();
      return false;
    } catch (StackOverflowError e) {
      return true;
    }
  }

  private static String text(String start, String pump, int length) {
    return start + pump.repeat(length / pump.length());
  }

  private static long steps(Pattern pattern, String text, boolean searches) {
    AtomicLong steps = new AtomicLong();
    try {
      Matcher matcher = pattern.matcher(new Counted(text, steps));
      matcher.matches();
      matcher.lookingAt();
      matcher.reset();
      while (searches && matcher.find()) {
        steps.incrementAndGet();
      }
    } catch (StackOverflowError | IllegalStateException e) {
      steps.set(2 * steps.get());
    }
    return steps.get();
  }

  private static final class Counted implements CharSequence {
    private final String text;
    private final AtomicLong steps;

    Counted(String text, AtomicLong steps) {
      this.text = text;
      this.steps = steps;
    }

    @Override
    public char charAt(int index) {
      if (steps.incrementAndGet() > 50_000_000) {
        throw new IllegalStateException("far too many");
      }
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int from, int to) {
      return new Counted(text.substring(from, to), steps);
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Makes a text that an expression matches, mostly. */
  private static final class Sample {
    private static final String LETTERS = "a0 \n-.:/\"_=@x\t,;A\u001b~+({<%#'|";

    private final String regex;
    private final Random random;
    private int at;

    Sample(String regex, Random random) {
      this.regex = regex;
      this.random = random;
    }

    String text() {
      return alternatives();
    }

    private String alternatives() {
      List<String> all = new ArrayList<>();
      do {
        StringBuilder sequence = new StringBuilder();
        while (at < regex.length() && regex.charAt(at) != '|' && regex.charAt(at) != ')') {
          sequence.append(repeated());
        }
        all.add(sequence.toString());
      } while (at < regex.length() && regex.charAt(at) == '|' && at++ >= 0);
      return all.get(random.nextInt(all.size()));
    }

    private String repeated() {
      int start = at;
      String once = atom();
      int end = at;
      char sign = at < regex.length() ? regex.charAt(at) : ' ';
      if (sign == '{') {
        at = regex.indexOf('}', at) + 1;
      } else if (sign == '*' || sign == '+' || sign == '?') {
        at++;
      } else {
        return once;
      }
      int least =
          sign == '{' ? Integer.parseInt(regex.substring(end + 1).replaceFirst("\\D.*", "")) : 0;
      int times = sign == '?' ? random.nextInt(2) : Math.min(40, least) + random.nextInt(3);
      if (at < regex.length() && "?+".indexOf(regex.charAt(at)) >= 0) {
        at++;
      }
      int after = at;
      StringBuilder out = new StringBuilder();
      for (int i = 0; i < Math.max(times, sign == '+' ? 1 : 0) && out.length() < 80; i++) {
        at = start;
        out.append(atom());
      }
      at = after;
      return out.toString();
    }

    private String atom() {
      int start = at;
      char c = regex.charAt(at++);
      if (c == '(') {
        boolean looks = false;
        if (regex.startsWith("?", at)) {
          looks = "=!".indexOf(regex.charAt(at + 1)) >= 0 || regex.startsWith("?<!", at);
          if (regex.startsWith("?:", at) || looks) {
            at += regex.startsWith("?<!", at) ? 3 : 2;
          } else if (regex.startsWith("?<", at)) {
            at = regex.indexOf('>', at) + 1;
          } else { // flags
            int colon = regex.indexOf(':', at);
            int close = regex.indexOf(')', at);
            at = (colon >= 0 && colon < close ? colon : close) + 1;
            if (at == close + 1) {
              return "";
            }
          }
        }
        String inner = alternatives();
        at++;
        return looks ? "" : inner;
      } else if (c == '[') {
        int depth = 1;
        while (depth > 0) {
          char next = regex.charAt(at++);
          if (next == '\\') {
            at++;
          } else if (next == '[') {
            depth++;
          } else if (next == ']' && at > start + 2 + (regex.charAt(start + 1) == '^' ? 1 : 0)) {
            depth--;
          }
        }
        return one(regex.substring(start, at));
      } else if (c == '\\') {
        char kind = regex.charAt(at++);
        if (kind == 'u' || kind == 'x') {
          at += kind == 'u' ? 4 : 2;
        } else if ((kind == 'p' || kind == 'P') && regex.startsWith("{", at)) {
          at = regex.indexOf('}', at) + 1;
        } else if ("bBAzZ".indexOf(kind) >= 0) {
          return "";
        } else if (kind == 'R') {
          return "\n";
        }
        return one(regex.substring(start, at));
      } else if (c == '^' || c == '$') {
        return "";
      }
      return c == '.' ? one(".") : String.valueOf(c);
    }

    private String one(String set) {
      Pattern pattern = Pattern.compile("(?i)" + set);
      String candidates = LETTERS + set;
      for (int i = random.nextInt(candidates.length()), tries = 0; tries < 200; tries++) {
        String letter = String.valueOf(candidates.charAt((i + tries * 7) % candidates.length()));
        if (pattern.matcher(letter).matches()) {
          return letter;
        }
      }
      return "a";
    }
  }

  private static Map<String, Uses> classes() {
    Map<String, Uses> all = new TreeMap<>();
    Path root;
    try {
      root = Path.of(McpBus.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      try (Stream<Path> files = Files.walk(root)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
          String name = root.relativize(file).toString().replace("dev/mcpbus/", "");
          String outermost = name.replaceAll("[$.].*", "");
          Uses uses = all.computeIfAbsent(outermost, n -> new Uses());
          read(Files.readAllBytes(file), uses);
        }
      }
      all.values().removeIf(uses -> !uses.compiles);
      for (String section : List.of("lines", "ends", "listens")) {
        Uses uses = all.computeIfAbsent("failure-clues.json, " + section, n -> new Uses());
        uses.searchesAll = true;
        ClueFile.rows(section).forEach(row -> uses.constants.add(row.getString("line")));
        uses.constants.removeIf(text -> !isExpression(text));
      }
      Uses schema = all.computeIfAbsent("mcpbus.schema.json", n -> new Uses());
      schema.searchesAll = true;
      Matcher patterns =
          Pattern.compile("\"pattern\": (\"(?:\\\\.|[^\"\\\\])*\")")
              .matcher(Files.readString(Path.of("src/main/resources/mcpbus.schema.json")));
      while (patterns.find()) {
        schema.constants.add((String) Json.decodeValue(patterns.group(1)));
      }
      schema.constants.removeIf(text -> !isExpression(text));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (java.net.URISyntaxException e) {
      throw new IllegalStateException(e);
    }
    assertThat(all).as("classes with expressions").hasSizeGreaterThan(40);
    return all;
  }

  private static void read(byte[] bytes, Uses uses) {
    new ClassReader(bytes)
        .accept(
            new ClassVisitor(Opcodes.ASM9) {
              @Override
              public MethodVisitor visitMethod(
                  int access, String name, String descriptor, String signature, String[] thrown) {
                return new Calls(uses);
              }
            },
            ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    uses.constants.removeIf(text -> !isExpression(text));
  }

  /** Whether it repeats something: one that does not is no slower than its text. */
  private static boolean isExpression(String text) {
    if (!text.matches("(?s).*[*+{].*")) {
      return false;
    }
    try {
      Pattern.compile(text);
      return true;
    } catch (RuntimeException e) {
      return false;
    }
  }

  private static final class Calls extends MethodVisitor {
    private static final Set<String> OF_STRING =
        Set.of("matches", "replaceAll", "replaceFirst", "split");
    private static final Set<String> SEARCHES =
        Set.of("find", "replaceAll", "replaceFirst", "split", "results");

    private final Uses uses;
    private final List<String> texts = new ArrayList<>();
    private int sinceText;
    private @Nullable String field;

    Calls(Uses uses) {
      super(Opcodes.ASM9);
      this.uses = uses;
    }

    @Override
    public void visitLdcInsn(Object value) {
      if (value instanceof String text) {
        uses.constants.add(text);
        texts.add(text);
        sinceText = 0;
      }
    }

    @Override
    public void visitInsn(int opcode) {
      sinceText += opcode >= Opcodes.ICONST_M1 && opcode <= Opcodes.ICONST_5 ? 0 : 1;
    }

    @Override
    public void visitVarInsn(int opcode, int index) {
      sinceText++;
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
      sinceText++;
      field = opcode == Opcodes.GETFIELD ? null : field;
      if (descriptor.equals("Ljava/util/regex/Pattern;") && opcode != Opcodes.GETFIELD) {
        field = owner + "." + name;
        if (opcode == Opcodes.PUTSTATIC && !texts.isEmpty()) {
          uses.fields.put(field, texts.get(texts.size() - 1));
        }
      }
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      boolean ofString = owner.equals("java/lang/String") && OF_STRING.contains(name);
      boolean ofPattern =
          owner.equals("java/util/regex/Pattern")
              && (name.equals("compile") || name.equals("matches"));
      boolean ofMatcher = owner.startsWith("java/util/regex/");
      if (ofString || ofPattern) {
        uses.compiles = true;
        uses.other |= texts.isEmpty() || (ofPattern && sinceText > 0);
      }
      if (ofString && !name.equals("matches")) {
        uses.searched.addAll(texts);
      } else if (ofMatcher && SEARCHES.contains(name)) {
        uses.searchesAll |= field == null;
        uses.searched.addAll(field == null ? List.of() : List.of(field));
      }
      sinceText++;
    }

    @Override
    public void visitInvokeDynamicInsn(
        String name, String descriptor, Handle bootstrap, Object... arguments) {
      for (Object argument : arguments) {
        boolean compiles =
            argument instanceof Handle handle
                && handle.getOwner().equals("java/util/regex/Pattern")
                && handle.getName().equals("compile");
        uses.compiles |= compiles;
        uses.other |= compiles;
      }
      sinceText++;
    }

    @Override
    public void visitEnd() {
      texts.clear();
    }
  }
}
