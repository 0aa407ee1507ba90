package dev.mcpbus.protocol.schema;

import static dev.mcpbus.protocol.schema.SchemaReferences.unwrap;
import static java.util.stream.Collectors.toSet;

import dev.mcpbus.protocol.CanonicalJson;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonFormatValidator;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A schema whose checks count each step of their work. The validator of Vert.x can be neither
 * counted nor stopped while it reads a text with a regular expression, compares elements with each
 * other or repeats an enumeration in an error. So {@code pattern}, {@code format}, {@code enum},
 * {@code const} and {@code uniqueItems} are taken out of the schema and decided here: each place of
 * the schema gets a {@code format} of its own, by which the validator asks for its {@link
 * PlaceRule} at each value that meets it. That question counts, and ends the check with {@link
 * Spent}. Any thread.
 */
final class CountedSchema implements JsonFormatValidator {

  /** The steps are used up, or the result is not wanted any more. Stackless. */
  static final class Spent extends RuntimeException {
    private static final long serialVersionUID = 1;

    Spent() {
      super("spent", null, false, false);
    }
  }

  /**
   * What a place of the schema wants of a value beside what the validator checks.
   *
   * @param pointer the length of the JSON pointer of the place
   * @param branches how many members and elements its keywords have
   * @param values the canonical texts of those allowed; null for any
   * @param expected the end of the error if it is none of them
   * @param names patterns of member names, which the validator is about to apply
   */
  private record PlaceRule(
      long pointer,
      long branches,
      @Nullable String pattern,
      @Nullable String format,
      @Nullable Set<String> values,
      String expected,
      boolean unique,
      Collection<String> names) {}

  private static final PlaceRule NONE = new PlaceRule(0, 0, null, null, null, "", false, List.of());

  /** The steps of one meeting, each about one character read. */
  private static final long VISIT = 16;

  /** An encoded character of a name takes so many in a JSON pointer. */
  private static final int ENCODED = 3;

  /** So many steps are between two questions whether the check is still wanted. */
  private static final int BETWEEN_QUESTIONS = 4096;

  /** All JSON pointers into one schema together, in characters. */
  private static final long MAX_POINTERS = 10_000_000;

  /** A check that explains keeps what it writes, so it gets fewer steps. */
  private static final long EXPLAINING = 1_000_000;

  /** So many characters are written in one step where they are not kept. */
  private static final int WRITTEN = 64;

  /** The JDK compares a long word with itself when it compiles a pattern. */
  private static final int COMPARED = 64;

  private static final int MAX_EXPECTED = 300;
  private static final String FORMAT = "mcpbus-";

  private static final Set<String> DECIDED_HERE =
      Set.of("pattern", "format", "enum", "const", "uniqueItems");

  private static final Set<String> ANNOTATIONS =
      Set.of("title", "description", "$comment", "default", "examples");

  /** Keywords whose members are names of the value, not keywords. */
  private static final Set<String> NAMED =
      Set.of(
          "properties",
          "patternProperties",
          "dependentSchemas",
          "dependencies",
          "dependentRequired",
          "$defs",
          "definitions");

  private static final ThreadLocal<CountedRun> CURRENT = new ThreadLocal<>();

  private final Map<String, PlaceRule> rules = new HashMap<>();
  private final Map<String, Pattern> patterns = new ConcurrentHashMap<>();
  private final Validator deciding;
  private final Validator explaining;
  private long pointers;

  /**
   * @throws Spent if the schema names places that are too long
   */
  CountedSchema(Map<String, Object> schema, Draft draft) {
    JsonSchema all = JsonSchema.of(counted(schema, 1));
    this.deciding = Validator.create(all, options(draft, OutputFormat.Flag), this);
    this.explaining = Validator.create(all, options(draft, OutputFormat.Basic), this);
  }

  private static JsonSchemaOptions options(Draft draft, OutputFormat format) {
    return new JsonSchemaOptions().setBaseUri("mcp://tool").setDraft(draft).setOutputFormat(format);
  }

  /**
   * The faults of a value. None is named where it does not fit, and naming them would take long.
   *
   * @param effort how many steps the check may take
   * @param ended whether the result is wanted no longer; any thread may be asked
   * @throws Spent if it would take more
   */
  OutputUnit check(@Nullable Object value, long effort, BooleanSupplier ended) {
    OutputUnit decided = run(deciding, value, new CountedRun(effort, ended, WRITTEN));
    if (Boolean.TRUE.equals(decided.getValid())) {
      return decided;
    }
    try {
      return run(explaining, value, new CountedRun(Math.min(effort, EXPLAINING), ended, 1));
    } catch (Spent | StackOverflowError e) {
      return decided;
    }
  }

  private static OutputUnit run(Validator validator, @Nullable Object value, CountedRun run) {
    run.enter(unwrap(value), 1);
    CURRENT.set(run);
    try {
      return validator.validate(value);
    } finally {
      CURRENT.remove();
    }
  }

  /** A copy of a schema with a rule for each place; {@code pointer} is the length of its own. */
  private JsonObject counted(Map<?, ?> schema, long pointer) {
    count(pointer);
    JsonObject copy = new JsonObject(new LinkedHashMap<>());
    long branches = 0;
    for (Map.Entry<?, ?> member : schema.entrySet()) {
      String word = String.valueOf(member.getKey());
      Object value = unwrap(member.getValue());
      if (DECIDED_HERE.contains(word) || ANNOTATIONS.contains(word)) {
        continue;
      }
      branches += value instanceof Map<?, ?> map ? map.size() : 1;
      branches += value instanceof List<?> list ? list.size() : 0;
      copy.put(
          word,
          value instanceof Map<?, ?> map && NAMED.contains(word)
              ? named(map, below(pointer, word))
              : part(value, below(pointer, word)));
    }
    if (unwrap(schema.get("patternProperties")) instanceof Map<?, ?> named) {
      Collection<String> names = named.keySet().stream().map(String::valueOf).toList();
      JsonObject first = new JsonObject().put("format", add(namesOnly(names)));
      JsonArray all = new JsonArray().add(first);
      if (copy.getValue("allOf") instanceof JsonArray more) {
        all.addAll(more);
      }
      copy.put("allOf", all);
    }
    return copy.put("format", add(rule(schema, pointer, branches)));
  }

  private static PlaceRule namesOnly(Collection<String> names) {
    return new PlaceRule(0, 0, null, null, null, "", false, names);
  }

  private static PlaceRule rule(Map<?, ?> schema, long pointer, long branches) {
    Set<String> values = null;
    String expected = "";
    if (unwrap(schema.get("enum")) instanceof List<?> list) {
      values = list.stream().map(CountedSchema::canonical).collect(toSet());
      expected = "any of " + Json.encode(list);
    }
    if (schema.containsKey("const")) {
      String only = canonical(schema.get("const"));
      values = values == null || values.contains(only) ? Set.of(only) : Set.of();
      expected = Json.encode(schema.get("const"));
    }
    return new PlaceRule(
        pointer,
        branches,
        schema.get("pattern") instanceof String text ? text : null,
        schema.get("format") instanceof String text ? text : null,
        values,
        expected.length() > MAX_EXPECTED ? expected.substring(0, MAX_EXPECTED) : expected,
        Boolean.TRUE.equals(schema.get("uniqueItems")),
        List.of());
  }

  private String add(PlaceRule rule) {
    String name = FORMAT + rules.size();
    rules.put(name, rule);
    return name;
  }

  /**
   * Members by their names. A reference may lead here, and would make keywords of the names: so no
   * member has a value that a keyword has which the validator decides.
   */
  private JsonObject named(Map<?, ?> members, long pointer) {
    JsonObject copy = new JsonObject(new LinkedHashMap<>());
    for (Map.Entry<?, ?> member : members.entrySet()) {
      String name = String.valueOf(member.getKey());
      Object value = unwrap(member.getValue());
      if (value instanceof Map<?, ?> || value instanceof List<?>) {
        copy.put(name, part(value, below(pointer, name)));
      } else if (value instanceof Boolean fits) {
        copy.put(name, fits ? new JsonObject() : new JsonObject().put("not", new JsonObject()));
      }
    }
    return copy;
  }

  private @Nullable Object part(Object value, long pointer) {
    if (value instanceof Map<?, ?> map) {
      return counted(map, pointer);
    }
    if (value instanceof List<?> list) {
      JsonArray copy = new JsonArray();
      list.forEach(each -> copy.add(part(unwrap(each), pointer + 4)));
      return copy;
    }
    count(1);
    return value == RawJson.NULL ? null : value;
  }

  private static long below(long pointer, String name) {
    return pointer + 1 + (long) ENCODED * name.length();
  }

  private void count(long more) {
    pointers += more;
    if (pointers > MAX_POINTERS) {
      throw new Spent();
    }
  }

  /** Equal for equal values. */
  private static String canonical(@Nullable Object value) {
    return CanonicalJson.of(RawJson.of(Json.encode(value == RawJson.NULL ? null : value)));
  }

  @Override
  public @Nullable String validateFormat(
      String instanceType, @Nullable String format, @Nullable Object instance) {
    CountedRun run = CURRENT.get();
    PlaceRule rule = format == null ? NONE : rules.getOrDefault(format, NONE);
    run.meets(rule, instance);
    String text = instance instanceof String string ? string : null;
    if (text != null && rule.pattern != null && !run.finds(pattern(rule.pattern, run), text)) {
      return "String does not match pattern";
    }
    if (text != null && "regex".equals(rule.format)) {
      run.compiles(text);
    }
    if (text != null && rule.format != null && !TextFormats.fits(rule.format, text)) {
      return "String does not match format \"" + rule.format + '"';
    }
    if (rule.values != null && !rule.values.contains(run.canonical(instance))) {
      return "Instance does not match " + rule.expected;
    }
    if (instance instanceof JsonObject members) {
      for (String name : rule.names) {
        run.compiles(name); // as the validator does each time
        members.fieldNames().forEach(member -> run.finds(pattern(name, run), member));
      }
    }
    return rule.unique && instance instanceof JsonArray array ? twice(array, run) : null;
  }

  private Pattern pattern(String text, CountedRun run) {
    Pattern known = patterns.get(text);
    if (known == null) {
      run.compiles(text);
      known = Pattern.compile(text);
      patterns.put(text, known);
    }
    return known;
  }

  private static @Nullable String twice(JsonArray array, CountedRun run) {
    Map<String, Integer> seen = new HashMap<>();
    for (int i = 0; i < array.size(); i++) {
      Integer other = seen.putIfAbsent(run.canonical(array.getValue(i)), i);
      if (other != null) {
        return "Duplicate items at indexes " + other + " and " + i;
      }
    }
    return null;
  }

  /** The steps of one check. Confined to its thread. */
  private static final class CountedRun {

    private final BooleanSupplier ended;
    private final int written;
    private final IdentityHashMap<Object, Long> pointers = new IdentityHashMap<>();
    private long left;
    private long question = Long.MAX_VALUE;

    /**
     * @param written how many characters of a JSON pointer one step writes
     */
    CountedRun(long effort, BooleanSupplier ended, int written) {
      this.left = effort;
      this.ended = ended;
      this.written = written;
    }

    void step(long steps) {
      left -= steps;
      if (left < question) {
        if (left < 0 || ended.getAsBoolean()) {
          throw new Spent();
        }
        question = left - BETWEEN_QUESTIONS;
      }
    }

    /** The validator writes the JSON pointer of each place: notes how long they are. */
    void enter(Object value, long pointer) {
      step(1);
      if (value instanceof Map<?, ?> members) {
        pointers.put(members, pointer);
        members.forEach(
            (name, member) -> enter(unwrap(member), below(pointer, String.valueOf(name))));
      } else if (value instanceof List<?> elements) {
        pointers.put(elements, pointer);
        long below = pointer + 1 + String.valueOf(elements.size()).length();
        elements.forEach(element -> enter(unwrap(element), below));
      }
    }

    void meets(PlaceRule rule, @Nullable Object value) {
      Object plain = unwrap(value);
      long size =
          plain instanceof Map<?, ?> members
              ? members.size()
              : plain instanceof List<?> elements ? elements.size() : 0;
      long text = plain instanceof String string ? string.length() : 0;
      long each = 1 + pointers.getOrDefault(plain, 0L) / written;
      step(VISIT + rule.pointer / written + rule.branches + text + size * each);
    }

    void compiles(String pattern) {
      step(VISIT + (long) pattern.length() * pattern.length() / COMPARED);
    }

    boolean finds(Pattern pattern, String text) {
      step(VISIT + pattern.pattern().length());
      return pattern.matcher(new CountedText(text, 0, text.length(), this)).find();
    }

    String canonical(@Nullable Object value) {
      String text = CountedSchema.canonical(value);
      step(text.length());
      return text;
    }
  }

  /** A text that counts how often its characters are read. */
  private record CountedText(String text, int start, int end, CountedRun run)
      implements CharSequence {

    @Override
    public char charAt(int index) {
      run.step(1);
      return text.charAt(start + index);
    }

    @Override
    public int length() {
      return end - start;
    }

    @Override
    public CharSequence subSequence(int from, int to) {
      return new CountedText(text, start + from, start + to, run);
    }

    @Override
    public String toString() {
      return text.substring(start, end);
    }
  }
}
