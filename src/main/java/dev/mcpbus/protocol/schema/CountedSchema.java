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
   * @param place null where the validator does not say that it comes
   * @param values the canonical texts of those allowed; null for any
   * @param expected the end of the error if it is none of them
   * @param names patterns of member names, which the validator is about to apply
   */
  private record PlaceRule(
      @Nullable SchemaPlace place,
      @Nullable String pattern,
      @Nullable String format,
      @Nullable Set<String> values,
      String expected,
      boolean unique,
      Collection<String> names) {}

  /**
   * A place of the schema. The first thing that the validator does at one is to ask for {@code
   * $dynamicAnchor}, the last to ask for its rule: between the two it writes texts that contain the
   * way to here, by references too, for each error and each part of the value.
   */
  private static final class SchemaPlace extends LinkedHashMap<String, Object> {
    private static final long serialVersionUID = 1;

    private final long way;
    private long branches;
    private long errors;

    /**
     * @param way how many characters it adds to the way
     */
    SchemaPlace(long way) {
      this.way = way;
    }

    @Override
    public boolean containsKey(Object key) {
      if ("$dynamicAnchor".equals(key)) {
        CountedRun run = CURRENT.get();
        if (run != null) {
          run.enters(way, branches, errors);
        }
      }
      return super.containsKey(key);
    }
  }

  private static final PlaceRule NONE = new PlaceRule(null, null, null, null, "", false, List.of());

  /** The steps of one meeting, each about one character read. */
  private static final long VISIT = 16;

  /** An encoded byte of a name takes so many characters in a JSON pointer. */
  private static final int ENCODED = 3;

  /** So many steps are between two questions whether the check is still wanted. */
  private static final int BETWEEN_QUESTIONS = 4096;

  /** All JSON pointers into one schema together, in characters. */
  private static final long MAX_POINTERS = 4_000_000;

  /** A check that explains keeps what it writes, so it gets fewer steps. */
  private static final long EXPLAINING = 1_000_000;

  /** So many characters are written in one step where few of them are kept. */
  private static final int WRITTEN = 8;

  /** A text that is only copied takes so much less than one that is encoded. */
  private static final int COPIED = 8;

  /** An expression does so much without reading in one step. */
  private static final int QUIET = 16;

  /** The JDK compares a long word with itself when it compiles a pattern. */
  private static final int COMPARED = 64;

  private static final int MAX_EXPECTED = 300;
  private static final int MAX_TYPE = 20;
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

  /** Keywords that the validator applies to each part of a value, with texts for each. */
  private static final Set<String> SWEEPS =
      Set.of(
          "additionalProperties",
          "unevaluatedProperties",
          "propertyNames",
          "items",
          "additionalItems",
          "unevaluatedItems",
          "contains");

  /** Those of them that go on after a part which does not fit, though only the verdict counts. */
  private static final Set<String> GO_ON =
      Set.of(
          "patternProperties",
          "unevaluatedProperties",
          "propertyNames",
          "additionalItems",
          "unevaluatedItems",
          "contains");

  /** What counts beside a {@code $ref} of draft-07. */
  private static final Set<String> BESIDE_REF = Set.of("$id", "$schema", "$defs", "definitions");

  private static final String LOCATION = "__absolute_uri__";

  private record Compiled(Pattern pattern, long quiet) {}

  private static final ThreadLocal<CountedRun> CURRENT = new ThreadLocal<>();

  private final Map<String, PlaceRule> rules = new HashMap<>();
  private final Map<String, Compiled> patterns = new ConcurrentHashMap<>();
  private final boolean refsAlone;
  private final Validator deciding;
  private final Validator explaining;
  private long pointers;

  /**
   * @throws Spent if the schema names places that are too long
   */
  CountedSchema(Map<String, Object> schema, Draft draft) {
    this.refsAlone = draft == Draft.DRAFT7;
    JsonSchema all = JsonSchema.of(counted(schema, 1, 1));
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

  /**
   * A copy of a schema with a rule for each place.
   *
   * @param pointer the length of its JSON pointer
   * @param way the part of it below the place above
   */
  private JsonObject counted(Map<?, ?> schema, long pointer, long way) {
    count(pointer);
    SchemaPlace place = new SchemaPlace(way);
    JsonObject copy = new JsonObject(place);
    boolean alone = refsAlone && schema.get("$ref") instanceof String;
    boolean goesOn = false;
    JsonArray first = new JsonArray();
    for (Map.Entry<?, ?> member : schema.entrySet()) {
      String word = String.valueOf(member.getKey());
      Object value = unwrap(member.getValue());
      if (DECIDED_HERE.contains(word)
          || ANNOTATIONS.contains(word)
          || word.equals(LOCATION)
          || (refsAlone && word.equals("$dynamicRef"))
          || (alone && !BESIDE_REF.contains(word))) {
        continue;
      }
      goesOn |= GO_ON.contains(word);
      place.branches += value instanceof Map<?, ?> map ? map.size() : 1;
      place.branches += value instanceof List<?> list ? list.size() : 0;
      place.errors += word.equals("required") && value instanceof List<?> list ? list.size() : 0;
      long below = 1L + word.length();
      if (word.equals("dependentRequired") && value instanceof Map<?, ?> map) {
        Map<String, Object> needs = Map.of("dependentSchemas", map);
        first.add(counted(needs, pointer + below, below));
      } else if (value instanceof Map<?, ?> map && NAMED.contains(word)) {
        copy.put(word, named(map, pointer, below));
      } else if (value instanceof Boolean fits && fits && SWEEPS.contains(word)) {
        copy.put(word, counted(Map.of(), pointer + below, below));
      } else {
        copy.put(word, part(word.equals("type") ? types(value) : value, pointer, below));
      }
    }
    if (goesOn) {
      Object named = unwrap(schema.get("patternProperties"));
      SchemaPlace before = new SchemaPlace(way);
      first.add(new JsonObject(before).put("format", add(namesOnly(before, named))));
    }
    if (alone) {
      first.add(new JsonObject().put("$ref", schema.get("$ref"))); // it has no rule: not asked for
    }
    if (!first.isEmpty()) {
      copy.put(
          "allOf", copy.getValue("allOf") instanceof JsonArray more ? first.addAll(more) : first);
    }
    if (!schema.containsKey("$dynamicAnchor")) {
      copy.putNull(LOCATION); // so that the validator writes none, which it would for each error
    }
    return copy.put("format", add(rule(place, alone ? Map.of() : schema)));
  }

  private static PlaceRule namesOnly(SchemaPlace place, Object named) {
    Collection<String> names =
        named instanceof Map<?, ?> map ? map.keySet().stream().map(String::valueOf).toList() : null;
    return new PlaceRule(place, null, null, null, "", false, names == null ? List.of() : names);
  }

  private static PlaceRule rule(SchemaPlace place, Map<?, ?> schema) {
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
        place,
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
  private JsonObject named(Map<?, ?> members, long pointer, long way) {
    JsonObject copy = new JsonObject(new LinkedHashMap<>());
    for (Map.Entry<?, ?> member : members.entrySet()) {
      String name = String.valueOf(member.getKey());
      Object value = unwrap(member.getValue());
      long more = way + encoded(name);
      if (value instanceof Map<?, ?> map) {
        copy.put(name, counted(map, pointer + more, more));
      } else if (value instanceof List<?> list) {
        copy.put(name, counted(Map.of("required", list), pointer + more, more));
      } else if (value instanceof Boolean fits) {
        copy.put(name, counted(asSchema(fits), pointer + more, more));
      }
    }
    return copy;
  }

  /** Each error of a type names all types: there is none with a longer name. */
  private static Object types(Object value) {
    if (value instanceof List<?> list) {
      return list.stream().map(each -> types(unwrap(each))).distinct().toList();
    }
    return value instanceof String text && text.length() > MAX_TYPE
        ? text.substring(0, MAX_TYPE)
        : value;
  }

  private static Map<String, Object> asSchema(boolean fits) {
    return fits ? Map.of() : Map.of("not", Map.of());
  }

  private @Nullable Object part(Object value, long pointer, long way) {
    if (value instanceof Map<?, ?> map) {
      return counted(map, pointer + way, way);
    }
    if (value instanceof List<?> list) {
      JsonArray copy = new JsonArray();
      long more = way + 1 + String.valueOf(list.size()).length();
      for (Object each : list) {
        Object element = unwrap(each);
        copy.add(
            element instanceof Boolean fits
                ? counted(asSchema(fits), pointer + more, more)
                : part(element, pointer, more));
      }
      return copy;
    }
    count(1);
    return value == RawJson.NULL ? null : value;
  }

  private static long encoded(String name) {
    long length = 1;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean plain = c == '_' || (c >= '-' && c <= '9') || (c >= 'A' && c <= 'Z') || c >= 'a';
      length += c > '~' ? 3 * ENCODED : plain ? 1 : ENCODED;
    }
    return length;
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

  private Compiled pattern(String text, CountedRun run) {
    Compiled known = patterns.get(text);
    if (known == null) {
      run.compiles(text);
      known = new Compiled(Pattern.compile(text), QuietWork.of(text));
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
    private final IdentityHashMap<Object, Long> names = new IdentityHashMap<>();
    private long left;
    private long way;
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

    /** The validator writes the JSON pointers of parts of the value: notes how long they are. */
    void enter(Object value, long pointer) {
      step(1);
      if (value instanceof Map<?, ?> members) {
        long all = 0;
        for (Map.Entry<?, ?> member : members.entrySet()) {
          long below = pointer + encoded(String.valueOf(member.getKey()));
          all += below;
          enter(unwrap(member.getValue()), below);
        }
        names.put(members, all);
      } else if (value instanceof List<?> elements) {
        long below = pointer + 1 + String.valueOf(elements.size()).length();
        elements.forEach(element -> enter(unwrap(element), below));
        names.put(elements, below * elements.size() / COPIED);
      }
    }

    void enters(long more, long branches, long errors) {
      way += more;
      step(VISIT + branches + (1 + errors) * (1 + way / written));
    }

    void meets(PlaceRule rule, @Nullable Object value) {
      Object plain = unwrap(value);
      long size =
          plain instanceof Map<?, ?> members
              ? members.size()
              : plain instanceof List<?> elements ? elements.size() : 0;
      long text = plain instanceof String string ? string.length() : 0;
      long known = names.getOrDefault(plain, 0L);
      step(1 + text + size * (1 + way / written) + known / written);
      way -= rule.place == null ? 0 : rule.place.way;
    }

    void compiles(String pattern) {
      step(VISIT + (long) pattern.length() * pattern.length() / COMPARED);
    }

    boolean finds(Compiled compiled, String text) {
      long quiet = compiled.quiet;
      step(VISIT + compiled.pattern.pattern().length() + (text.length() + 1) * quiet / QUIET);
      CharSequence read = new CountedText(text, 0, text.length(), 1 + quiet / QUIET / 4, this);
      return compiled.pattern.matcher(read).find();
    }

    String canonical(@Nullable Object value) {
      String text = CountedSchema.canonical(value);
      step(text.length());
      return text;
    }
  }

  /** A text that counts how often its characters are read. */
  private record CountedText(String text, int start, int end, long each, CountedRun run)
      implements CharSequence {

    @Override
    public char charAt(int index) {
      run.step(each);
      return text.charAt(start + index);
    }

    @Override
    public int length() {
      return end - start;
    }

    @Override
    public CharSequence subSequence(int from, int to) {
      return new CountedText(text, start + from, start + to, each, run);
    }

    @Override
    public String toString() {
      return text.substring(start, end);
    }
  }
}
