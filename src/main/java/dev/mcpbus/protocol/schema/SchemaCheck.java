package dev.mcpbus.protocol.schema;

import static dev.mcpbus.protocol.schema.SchemaReferences.unwrap;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.Json;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One check of a value against a schema (JSON Schema 2020-12 and draft-07, formats included). It
 * counts each step of its work: each keyword that meets a value, each character that a pattern, a
 * format or a comparison reads. It ends with {@link Spent} where the steps are used up, or its call
 * has ended. So no schema and no value makes it run for long. Confined to one thread.
 */
final class SchemaCheck {

  /** Faults that one check keeps; the first ones explain enough. */
  private static final int MAX_FAULTS = 200;

  private static final int MAX_FORMS = 4;
  private static final int MAX_TEXT = 300;

  /** After so many steps the check asks whether its call has ended. */
  private static final int BETWEEN_QUESTIONS = 4096;

  /** {@code multipleOf} takes a number with this error of binary fractions. */
  private static final double TOLERANCE = 1.1920929e-7;

  /** The steps are used up, or the call has ended. Stackless. */
  static final class Spent extends RuntimeException {
    private static final long serialVersionUID = 1;

    private String pointer = "";

    Spent() {
      super("spent", null, false, false);
    }

    /** The place of the value that the check had come to. */
    String pointer() {
      return pointer;
    }
  }

  /** A place in the value: shared by all faults below it, written only where it is shown. */
  record ValuePlace(@Nullable ValuePlace above, Object step, int depth) {
    static final ValuePlace ROOT = new ValuePlace(null, "", 0);

    /** A JSON pointer; empty for the whole value. */
    String pointer() {
      return above == null ? "" : above.pointer() + written(step);
    }

    private static String written(Object step) {
      return "/" + cut(String.valueOf(step)).replace("~", "~0").replace("/", "~1");
    }
  }

  /**
   * @param word the keyword that the value breaks
   * @param text what is wrong; made only where it is shown
   */
  record Mismatch(ValuePlace place, String word, Supplier<String> text) {}

  /** The members and elements of one value that some schema has looked at. */
  private static final class Evaluated extends HashSet<Object> {
    private static final long serialVersionUID = 1;
  }

  private final SchemaReferences refs;
  private final boolean isDraft7;
  private final Map<String, Pattern> patterns;
  private final BooleanSupplier ended;
  private @Nullable IdentityHashMap<Object, Set<JsonKey>> enumerations;
  private long left;
  private long question = Long.MAX_VALUE;
  private @Nullable List<Mismatch> faults;

  /**
   * @param patterns those compiled already; any thread may use it
   * @param effort how many steps it may take
   * @param ended whether the result is wanted no longer; any thread may be asked
   */
  SchemaCheck(
      SchemaReferences refs,
      boolean isDraft7,
      Map<String, Pattern> patterns,
      long effort,
      BooleanSupplier ended) {
    this.refs = refs;
    this.isDraft7 = isDraft7;
    this.patterns = patterns;
    this.left = effort;
    this.ended = ended;
  }

  /**
   * The faults of a value, none if it fits. Those of the alternatives of {@code anyOf} are one.
   *
   * @throws Spent if that takes too long
   * @throws IllegalArgumentException if the schema cannot be used
   */
  List<Mismatch> check(Object schema, @Nullable Object value) {
    if (fits(schema, unwrap(value), ValuePlace.ROOT, null)) {
      return List.of();
    }
    List<Mismatch> found = new ArrayList<>();
    faults = found;
    try {
      fits(schema, unwrap(value), ValuePlace.ROOT, null);
    } catch (Spent spent) {
      found.add(new Mismatch(ValuePlace.ROOT, "", () -> "does not fit the schema"));
    }
    return found;
  }

  private void step(long steps) {
    left -= steps;
    if (left < question) {
      if (left < 0 || ended.getAsBoolean()) {
        throw new Spent();
      }
      question = left - BETWEEN_QUESTIONS;
    }
  }

  private boolean fail(ValuePlace at, String word, Supplier<String> text) {
    if (faults != null && faults.size() < MAX_FAULTS) {
      faults.add(new Mismatch(at, word, text));
    }
    return false;
  }

  private ValuePlace inner(ValuePlace at, Object step) {
    return faults == null ? at : new ValuePlace(at, step, at.depth + 1);
  }

  private boolean below(
      Object step, @Nullable Object schema, @Nullable Object value, ValuePlace at) {
    try {
      return fits(schema, unwrap(value), inner(at, step), null);
    } catch (Spent spent) {
      spent.pointer = ValuePlace.written(step) + spent.pointer;
      throw spent;
    }
  }

  /**
   * @param seen gets what the schema has looked at, if the value fits; null if nothing asks for it
   */
  private boolean fits(
      @Nullable Object wrapped, Object value, ValuePlace at, @Nullable Evaluated seen) {
    step(1);
    Object schema = unwrap(wrapped);
    if (schema instanceof Boolean open) {
      return open || fail(at, "false", () -> "is not allowed here");
    }
    if (!(schema instanceof Map<?, ?> words)) {
      throw new IllegalArgumentException("a schema must be an object, true or false");
    }
    boolean asks =
        words.containsKey("unevaluatedProperties") || words.containsKey("unevaluatedItems");
    Evaluated own = asks || seen != null ? new Evaluated() : null;
    boolean alone = isDraft7 && words.containsKey("$ref");
    boolean fits = true;
    for (Map.Entry<?, ?> entry : words.entrySet()) {
      step(1);
      String word = (String) entry.getKey();
      if ((!alone || word.equals("$ref"))
          && !word(words, word, unwrap(entry.getValue()), value, at, own)) {
        fits = false;
        if (faults == null) {
          return false;
        }
      }
    }
    if (fits && own != null) {
      fits = !asks || unevaluated(words, value, at, own);
      if (seen != null) {
        step(own.size());
        seen.addAll(own);
      }
    }
    return fits;
  }

  private boolean word(
      Map<?, ?> words,
      String word,
      Object of,
      Object value,
      ValuePlace at,
      @Nullable Evaluated own) {
    return switch (word) {
      case "$schema", "title", "description", "default", "examples", "$defs", "definitions" -> true;
      case "$ref", "$dynamicRef", "$recursiveRef" -> fits(refs.target(words, word), value, at, own);
      case "type" -> type(of, value, at);
      case "const" -> equal(of, value) || fail(at, word, () -> "must be " + shown(of));
      case "enum" -> isOneOf(of, value) || fail(at, word, () -> "must be one of " + shown(of));
      case "not" ->
          !fitsSilently(of, value, at, null) || fail(at, word, () -> "has a form that is excluded");
      case "allOf" -> all(of, value, at, own);
      case "anyOf" -> forms(of, value, at, own, word, Integer.MAX_VALUE);
      case "oneOf" -> forms(of, value, at, own, word, 1);
      case "if" -> {
        Object next = words.get(fitsSilently(of, value, at, own) ? "then" : "else");
        yield next == null || fits(next, value, at, own);
      }
      default -> {
        if (value instanceof Map<?, ?> members) {
          yield member(words, word, of, members, at, own);
        } else if (value instanceof List<?> elements) {
          yield element(words, word, of, elements, at, own);
        } else if (value instanceof Number number) {
          yield number(word, of, number, at);
        }
        yield !"string".equals(typeOf(value)) || text(word, of, String.valueOf(value), at);
      }
    };
  }

  private boolean fitsSilently(
      @Nullable Object schema, Object value, ValuePlace at, @Nullable Evaluated own) {
    List<Mismatch> before = faults;
    faults = null;
    boolean fits = fits(schema, value, at, own);
    faults = before;
    return fits;
  }

  private boolean all(Object schemas, Object value, ValuePlace at, @Nullable Evaluated own) {
    boolean fits = true;
    for (Object schema : list(schemas)) {
      fits &= fits(schema, value, at, own);
      if (!fits && faults == null) {
        return false;
      }
    }
    return fits;
  }

  /** Between one and {@code most} of the schemas fit. */
  private boolean forms(
      Object schemas, Object value, ValuePlace at, @Nullable Evaluated own, String word, int most) {
    List<Mismatch> before = faults;
    List<Mismatch> inside = before == null ? null : new ArrayList<>();
    faults = inside;
    int fitting = 0;
    for (Object schema : list(schemas)) {
      fitting += fits(schema, value, at, own) ? 1 : 0;
      if (fitting > most || (fitting == 1 && most > 1 && own == null)) {
        break;
      }
    }
    faults = before;
    if (fitting > 0 && fitting <= most) {
      return true;
    }
    List<Mismatch> known = inside == null || fitting > 0 ? List.of() : inside;
    fail(at, word, () -> formsText(known, at));
    known.stream()
        .filter(fault -> fault.place.depth > at.depth)
        .forEach(fault -> fail(fault.place, fault.word, fault.text));
    return false;
  }

  private static String formsText(List<Mismatch> inside, ValuePlace at) {
    String forms =
        inside.stream()
            .filter(fault -> fault.place.depth == at.depth)
            .map(fault -> fault.text.get())
            .distinct()
            .limit(MAX_FORMS)
            .collect(joining(", or "));
    return forms.isEmpty() ? "fits none, or several, of the forms that are allowed" : forms;
  }

  private boolean unevaluated(Map<?, ?> words, Object value, ValuePlace at, Evaluated own) {
    Object each = words.get("unevaluatedProperties");
    if (each != null && value instanceof Map<?, ?> members) {
      return others(each, members, at, own, name -> !own.contains(name));
    }
    Object rest = words.get("unevaluatedItems");
    return rest == null
        || !(value instanceof List<?> elements)
        || each(rest, elements, 0, at, own, index -> !own.contains(index));
  }

  private boolean member(
      Map<?, ?> words,
      String word,
      Object of,
      Map<?, ?> members,
      ValuePlace at,
      @Nullable Evaluated own) {
    return switch (word) {
      case "properties" -> {
        Map<?, ?> known = map(of);
        boolean fits = true;
        for (Map.Entry<?, ?> member : members.entrySet()) {
          step(1);
          if (known.containsKey(member.getKey())) {
            fits &= member(known.get(member.getKey()), member, at, own);
          }
        }
        yield fits;
      }
      case "patternProperties" -> {
        boolean fits = true;
        for (Map.Entry<?, ?> named : map(of).entrySet()) {
          for (Map.Entry<?, ?> member : members.entrySet()) {
            if (matches(named.getKey(), member.getKey())) {
              fits &= member(named.getValue(), member, at, own);
            }
          }
        }
        yield fits;
      }
      case "additionalProperties" -> {
        Map<?, ?> known = map(words.get("properties"));
        Map<?, ?> named = map(words.get("patternProperties"));
        yield others(
            of,
            members,
            at,
            own,
            name ->
                !known.containsKey(name)
                    && (named.isEmpty()
                        || named.keySet().stream().noneMatch(pattern -> matches(pattern, name))));
      }
      case "propertyNames" -> {
        boolean fits = true;
        for (Object name : members.keySet()) {
          fits &= below(name, of, name, at);
        }
        yield fits;
      }
      case "required" -> required(list(of), members, at);
      case "minProperties" -> least(members.size(), of, at, word, "has too few members");
      case "maxProperties" -> most(members.size(), of, at, word, "has too many members");
      case "dependentRequired", "dependentSchemas", "dependencies" -> {
        boolean fits = true;
        for (Map.Entry<?, ?> entry : map(of).entrySet()) {
          step(1);
          if (members.containsKey(entry.getKey())) {
            fits &=
                unwrap(entry.getValue()) instanceof List<?> names
                    ? required(names, members, at)
                    : fits(entry.getValue(), members, at, own);
          }
        }
        yield fits;
      }
      default -> true;
    };
  }

  private boolean member(
      @Nullable Object schema, Map.Entry<?, ?> member, ValuePlace at, @Nullable Evaluated own) {
    if (own != null) {
      own.add(member.getKey());
    }
    return below(member.getKey(), schema, member.getValue(), at);
  }

  /** The members that the schema does not name. */
  private boolean others(
      Object schema,
      Map<?, ?> members,
      ValuePlace at,
      @Nullable Evaluated own,
      Predicate<Object> isOther) {
    boolean fits = true;
    for (Map.Entry<?, ?> member : members.entrySet()) {
      step(1);
      if (isOther.test(member.getKey())) {
        fits &=
            Boolean.FALSE.equals(schema)
                ? fail(
                    inner(at, member.getKey()),
                    "additionalProperties",
                    () -> quoted(member.getKey()) + " is no member that the schema knows")
                : member(schema, member, at, own);
        if (!fits && faults == null) {
          return false;
        }
      }
    }
    return fits;
  }

  private boolean required(List<?> names, Map<?, ?> members, ValuePlace at) {
    boolean fits = true;
    for (Object name : names) {
      step(1);
      fits &= members.containsKey(name) || fail(at, "required", () -> quoted(name) + " is missing");
    }
    return fits;
  }

  private boolean element(
      Map<?, ?> words,
      String word,
      Object of,
      List<?> elements,
      ValuePlace at,
      @Nullable Evaluated own) {
    return switch (word) {
      case "prefixItems" -> tuple(list(of), elements, at, own);
      case "items" ->
          of instanceof List<?> schemas
              ? tuple(schemas, elements, at, own)
              : each(of, elements, list(words.get("prefixItems")).size(), at, own, index -> true);
      case "additionalItems" ->
          !(unwrap(words.get("items")) instanceof List<?> first)
              || each(of, elements, first.size(), at, own, index -> true);
      case "contains" -> contains(words, of, elements, at, own);
      case "minItems" -> least(elements.size(), of, at, word, "has too few items");
      case "maxItems" -> most(elements.size(), of, at, word, "has too many items");
      case "uniqueItems" -> !Boolean.TRUE.equals(of) || isUnique(elements, at);
      default -> true;
    };
  }

  private boolean tuple(List<?> schemas, List<?> elements, ValuePlace at, @Nullable Evaluated own) {
    boolean fits = true;
    for (int i = 0; i < Math.min(schemas.size(), elements.size()); i++) {
      fits &= item(schemas.get(i), elements, i, at, own);
    }
    return fits;
  }

  private boolean each(
      Object schema,
      List<?> elements,
      int from,
      ValuePlace at,
      @Nullable Evaluated own,
      Predicate<Integer> isOther) {
    boolean fits = true;
    for (int i = from; i < elements.size() && (fits || faults != null); i++) {
      step(1);
      fits &= !isOther.test(i) || item(schema, elements, i, at, own);
    }
    return fits;
  }

  private boolean item(
      @Nullable Object schema,
      List<?> elements,
      int index,
      ValuePlace at,
      @Nullable Evaluated own) {
    if (own != null) {
      own.add(index);
    }
    return below(index, schema, elements.get(index), at);
  }

  private boolean contains(
      Map<?, ?> words, Object of, List<?> elements, ValuePlace at, @Nullable Evaluated own) {
    int found = 0;
    for (int i = 0; i < elements.size(); i++) {
      if (fitsSilently(of, unwrap(elements.get(i)), at, null)) {
        found++;
        if (own != null) {
          own.add(i);
        }
      }
    }
    Object least = words.containsKey("minContains") ? words.get("minContains") : 1;
    Object most = words.get("maxContains");
    return least(found, least, at, "contains", "has too few items of the form that it must contain")
        && (most == null
            || most(found, most, at, "contains", "has too many items of the form to contain"));
  }

  private boolean isUnique(List<?> elements, ValuePlace at) {
    Map<JsonKey, Integer> seen = new HashMap<>();
    for (int i = 0; i < elements.size(); i++) {
      Integer other = seen.putIfAbsent(new JsonKey(unwrap(elements.get(i))), i);
      if (other != null) {
        int index = i;
        return fail(
            at,
            "uniqueItems",
            () -> "has the same item twice, at indexes " + other + " and " + index);
      }
    }
    return true;
  }

  private boolean number(String word, Object of, Number value, ValuePlace at) {
    if (!(of instanceof Number bound)) {
      return true;
    }
    int order = compare(value, bound);
    return switch (word) {
      case "minimum" -> order >= 0 || fail(at, word, () -> value + " is less than " + bound);
      case "maximum" -> order <= 0 || fail(at, word, () -> value + " is greater than " + bound);
      case "exclusiveMinimum" ->
          order > 0 || fail(at, word, () -> value + " is less than or equal to " + bound);
      case "exclusiveMaximum" ->
          order < 0 || fail(at, word, () -> value + " is greater than or equal to " + bound);
      case "multipleOf" ->
          isMultiple(value, bound)
              || fail(at, word, () -> value + " is not a multiple of " + bound);
      default -> true;
    };
  }

  private static boolean isMultiple(Number value, Number of) {
    BigDecimal divisor = decimal(of);
    if (divisor.signum() <= 0 || decimal(value).remainder(divisor).signum() == 0) {
      return true;
    }
    double rest = Math.abs(value.doubleValue() % of.doubleValue());
    return !isWhole(value) && (rest < TOLERANCE || of.doubleValue() - rest < TOLERANCE);
  }

  private boolean text(String word, Object of, String value, ValuePlace at) {
    return switch (word) {
      case "minLength" -> least(length(value), of, at, word, "is too short");
      case "maxLength" -> most(length(value), of, at, word, "is too long");
      case "pattern" ->
          matches(of, value) || fail(at, word, () -> "does not match the schema's pattern");
      case "contentEncoding" ->
          !isDraft7
              || !"base64".equals(of)
              || TextFormats.fits("byte", value)
              || fail(at, word, () -> "is not encoded as base64");
      case "format" -> {
        step(value.length());
        if ("regex".equals(of)) {
          stepForPattern(value.length());
        }
        yield TextFormats.fits(String.valueOf(of), value)
            || fail(at, word, () -> "is not of the format " + quoted(of));
      }
      default -> true;
    };
  }

  private int length(String text) {
    step(text.length());
    return text.codePointCount(0, text.length());
  }

  private boolean least(
      int count, @Nullable Object bound, ValuePlace at, String word, String what) {
    return !(bound instanceof Number number)
        || compare(count, number) >= 0
        || fail(at, word, () -> what + ": " + count + " in place of " + number);
  }

  private boolean most(int count, @Nullable Object bound, ValuePlace at, String word, String what) {
    return !(bound instanceof Number number)
        || compare(count, number) <= 0
        || fail(at, word, () -> what + ": " + count + " in place of " + number);
  }

  /** To compile an expression takes up to the square of its length: it may be one long word. */
  private void stepForPattern(int length) {
    step((long) length * length / 16);
  }

  private boolean matches(@Nullable Object of, Object text) {
    String regex = String.valueOf(of);
    if (!patterns.containsKey(regex)) {
      stepForPattern(regex.length());
    }
    return patterns
        .computeIfAbsent(regex, Pattern::compile)
        .matcher(new Counted(String.valueOf(text)))
        .find();
  }

  private boolean type(Object of, Object value, ValuePlace at) {
    String type = typeOf(value);
    if (type.equals(of)) {
      return true;
    }
    List<?> types = of instanceof List<?> several ? several : List.of(of);
    step(types.size());
    return types.contains(type)
        || (types.contains("integer") && isWhole(value))
        || fail(
            at,
            "type",
            () ->
                cut("must be " + types.stream().map(String::valueOf).collect(joining(", ")))
                    + ", not "
                    + type);
  }

  private static String typeOf(Object value) {
    if (value instanceof Map<?, ?>) {
      return "object";
    } else if (value instanceof List<?>) {
      return "array";
    } else if (value instanceof Number) {
      return "number";
    } else if (value instanceof Boolean) {
      return "boolean";
    }
    return value == RawJson.NULL ? "null" : "string";
  }

  /** Whether a number has no fraction; one of huge exponent is not written out. */
  private static boolean isWhole(Object value) {
    if (value instanceof Double || value instanceof Float) {
      return ((Number) value).doubleValue() % 1 == 0;
    }
    return value instanceof BigDecimal decimal
        ? decimal.signum() == 0 || decimal.stripTrailingZeros().scale() <= 0
        : value instanceof Number;
  }

  private static int compare(Number one, Number other) {
    return isLong(one) && isLong(other)
        ? Long.compare(one.longValue(), other.longValue())
        : decimal(one).compareTo(decimal(other));
  }

  private static boolean isLong(Number value) {
    return value instanceof Integer || value instanceof Long;
  }

  private static BigDecimal decimal(Number value) {
    return value instanceof BigInteger whole
        ? new BigDecimal(whole)
        : value instanceof BigDecimal decimal ? decimal : new BigDecimal(value.toString());
  }

  private boolean isOneOf(Object of, Object value) {
    List<?> values = list(of);
    if (values.size() <= 8) {
      for (Object each : values) {
        if (equal(unwrap(each), value)) {
          return true;
        }
      }
      return false;
    }
    enumerations = enumerations == null ? new IdentityHashMap<>() : enumerations;
    return enumerations
        .computeIfAbsent(
            values, all -> values.stream().map(each -> new JsonKey(unwrap(each))).collect(toSet()))
        .contains(new JsonKey(value));
  }

  /** Whether two values are equal as JSON: 1 and 1.0 are. */
  private boolean equal(Object one, Object other) {
    step(1);
    if (one instanceof Map<?, ?> map && other instanceof Map<?, ?> others) {
      return map.size() == others.size()
          && map.entrySet().stream()
              .allMatch(
                  entry ->
                      others.containsKey(entry.getKey())
                          && equal(unwrap(entry.getValue()), unwrap(others.get(entry.getKey()))));
    } else if (one instanceof List<?> list && other instanceof List<?> others) {
      boolean equal = list.size() == others.size();
      for (int i = 0; equal && i < list.size(); i++) {
        equal = equal(unwrap(list.get(i)), unwrap(others.get(i)));
      }
      return equal;
    } else if (one instanceof Number number && other instanceof Number another) {
      return compare(number, another) == 0;
    } else if ("string".equals(typeOf(one)) && "string".equals(typeOf(other))) {
      String text = one.toString();
      step(text.length() / 16);
      return text.equals(other.toString());
    }
    return one.equals(other);
  }

  private int hash(Object value) {
    step(1);
    if (value instanceof Map<?, ?> map) {
      int all = 0;
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        all += entry.getKey().hashCode() ^ hash(unwrap(entry.getValue()));
      }
      return all;
    } else if (value instanceof List<?> list) {
      int all = 1;
      for (Object each : list) {
        all = 31 * all + hash(unwrap(each));
      }
      return all;
    } else if (value instanceof Number number) {
      return Double.hashCode(number.doubleValue() + 0.0);
    }
    String text = value.toString();
    step(text.length() / 4);
    return text.hashCode();
  }

  /** A value in a hash table; texts chosen to collide cost steps. */
  private final class JsonKey {
    private final Object value;
    private final int hash;

    JsonKey(Object value) {
      this.value = value;
      this.hash = hash(value);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof JsonKey key && equal(value, key.value);
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }

  private static Map<?, ?> map(@Nullable Object value) {
    return unwrap(value) instanceof Map<?, ?> map ? map : Map.of();
  }

  private static List<?> list(@Nullable Object value) {
    return unwrap(value) instanceof List<?> list ? list : List.of();
  }

  private static String quoted(Object name) {
    return '"' + cut(String.valueOf(name)) + '"';
  }

  static String cut(String text) {
    return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) + "..." : text;
  }

  /** The value as JSON, only its beginning if it is long. */
  private static String shown(Object value) {
    StringBuilder out = new StringBuilder();
    show(value, out);
    return cut(out.toString());
  }

  private static void show(Object value, StringBuilder out) {
    if (value instanceof Map<?, ?> map) {
      String before = "{";
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        if (out.length() > MAX_TEXT) {
          return;
        }
        show(String.valueOf(entry.getKey()), out.append(before));
        show(unwrap(entry.getValue()), out.append(':'));
        before = ",";
      }
      out.append(map.isEmpty() ? "{}" : "}");
    } else if (value instanceof List<?> list) {
      String before = "[";
      for (Object each : list) {
        if (out.length() > MAX_TEXT) {
          return;
        }
        show(unwrap(each), out.append(before));
        before = ",";
      }
      out.append(list.isEmpty() ? "[]" : "]");
    } else {
      out.append(value instanceof String text ? Json.encode(cut(text)) : value.toString());
    }
  }

  /** A text that counts how often its characters are read. */
  private final class Counted implements CharSequence {
    private final String text;

    Counted(String text) {
      this.text = text;
    }

    @Override
    public char charAt(int index) {
      step(1);
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int from, int to) {
      return new Counted(text.substring(from, to));
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
