package dev.mcpbus.protocol.schema;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Computes how much work a validator needs for one value, before it starts: each place of a schema
 * that meets a place of the value, and each character that a pattern reads. Neither a regular
 * expression nor a validator can be stopped, so a check that would take too long is never started.
 * Confined to one call of {@link #isWithin}.
 */
final class ValidationCost {

  /** The cost of one meeting, in characters read. */
  private static final long VISIT = 16;

  /** Compared by identity: equal schemas at two places are two. */
  private record Meeting(Object schema, Object value) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Meeting meeting && meeting.schema == schema && meeting.value == value;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(schema) * 31 + System.identityHashCode(value);
    }
  }

  /** The limit is reached. Stackless. */
  private static final class Spent extends RuntimeException {
    private static final long serialVersionUID = 1;

    Spent() {
      super("spent", null, false, false);
    }
  }

  private final SchemaReferences refs;
  private final long limit;
  private final Map<Meeting, Long> known = new HashMap<>();
  private final Map<String, Pattern> patterns = new HashMap<>();
  private long walked;

  private ValidationCost(SchemaReferences refs, long limit) {
    this.refs = refs;
    this.limit = limit;
  }

  /**
   * Computes the cost of validating {@code value}.
   *
   * @param schema a map, as {@link SchemaReferences#unwrap} returns it
   * @param limit in characters read
   * @return false if the validation would cost more; this method itself never costs more than the
   *     limit
   */
  static boolean isWithin(
      Map<String, Object> schema, SchemaReferences refs, @Nullable Object value, long limit) {
    ValidationCost effort = new ValidationCost(refs, limit);
    try {
      effort.meet(schema, SchemaReferences.unwrap(value));
      return true;
    } catch (Spent | StackOverflowError e) {
      return false;
    }
  }

  private long meet(@Nullable Object wrapped, Object value) {
    if (!(SchemaReferences.unwrap(wrapped) instanceof Map<?, ?> schema)) {
      return VISIT;
    }
    Meeting meeting = new Meeting(schema, value);
    Long before = known.get(meeting);
    if (before != null) {
      return before;
    }
    walk(VISIT + schema.size());
    known.put(
        meeting, limit); // a schema that meets the same value again here is recursive without end
    long cost = VISIT + schema.size();
    for (Object same : refs.sameValue(schema)) {
      cost = sum(cost, meet(same, value));
    }
    if (value instanceof Map<?, ?> members) {
      cost = sum(cost, members(schema, members));
    } else if (value instanceof List<?> elements) {
      cost = sum(cost, elements(schema, elements));
    } else if (value instanceof String text) {
      cost = sum(cost, text.length());
      if (schema.get("pattern") instanceof String pattern) {
        cost = sum(cost, match(pattern, text));
      }
    }
    if (SchemaReferences.unwrap(schema.get("enum")) instanceof List<?> values) {
      cost = sum(cost, values.size());
    }
    known.put(meeting, cost);
    return cost;
  }

  private long members(Map<?, ?> schema, Map<?, ?> members) {
    long cost = members.size();
    if (SchemaReferences.unwrap(schema.get("properties")) instanceof Map<?, ?> properties) {
      cost = sum(cost, properties.size());
      for (Map.Entry<?, ?> member : members.entrySet()) {
        Object property = properties.get(member.getKey());
        if (property != null) {
          cost = sum(cost, meet(property, SchemaReferences.unwrap(member.getValue())));
        }
      }
    }
    if (SchemaReferences.unwrap(schema.get("patternProperties")) instanceof Map<?, ?> named) {
      for (Map.Entry<?, ?> entry : named.entrySet()) {
        for (Map.Entry<?, ?> member : members.entrySet()) {
          String name = String.valueOf(member.getKey());
          cost = sum(cost, match(String.valueOf(entry.getKey()), name));
          cost = sum(cost, meet(entry.getValue(), SchemaReferences.unwrap(member.getValue())));
        }
      }
    }
    for (String word : List.of("additionalProperties", "unevaluatedProperties")) {
      if (schema.containsKey(word)) {
        for (Object member : members.values()) {
          cost = sum(cost, meet(schema.get(word), SchemaReferences.unwrap(member)));
        }
      }
    }
    if (schema.containsKey("propertyNames")) {
      for (Object name : members.keySet()) {
        cost = sum(cost, meet(schema.get("propertyNames"), name));
      }
    }
    return cost;
  }

  private long elements(Map<?, ?> schema, List<?> elements) {
    long cost = elements.size();
    if (Boolean.TRUE.equals(schema.get("uniqueItems"))) {
      cost = sum(cost, (long) elements.size() * elements.size());
    }
    for (String word :
        List.of("items", "prefixItems", "additionalItems", "unevaluatedItems", "contains")) {
      Object each = SchemaReferences.unwrap(schema.get(word));
      if (each instanceof List<?> tuple) {
        for (int i = 0; i < Math.min(tuple.size(), elements.size()); i++) {
          cost = sum(cost, meet(tuple.get(i), SchemaReferences.unwrap(elements.get(i))));
        }
      } else if (each instanceof Map<?, ?>) {
        for (Object element : elements) {
          cost = sum(cost, meet(each, SchemaReferences.unwrap(element)));
        }
      }
    }
    return cost;
  }

  private long match(String regex, String text) {
    long before = walked;
    try {
      patterns
          .computeIfAbsent(regex, Pattern::compile)
          .matcher(new Counted(text, 0, text.length()))
          .find();
    } catch (PatternSyntaxException e) {
      return VISIT; // the validator reports it, too
    }
    return walked - before + VISIT;
  }

  private long sum(long one, long other) {
    long all = one + other;
    if (all >= limit) {
      throw new Spent();
    }
    return all;
  }

  private void walk(long steps) {
    walked += steps;
    if (walked >= limit) {
      throw new Spent();
    }
  }

  /** A text that counts how often its characters are read. */
  private final class Counted implements CharSequence {

    private final String text;
    private final int start;
    private final int end;

    Counted(String text, int start, int end) {
      this.text = text;
      this.start = start;
      this.end = end;
    }

    @Override
    public char charAt(int index) {
      walk(1);
      return text.charAt(start + index);
    }

    @Override
    public int length() {
      return end - start;
    }

    @Override
    public CharSequence subSequence(int from, int to) {
      return new Counted(text, start + from, start + to);
    }

    @Override
    public String toString() {
      return text.substring(start, end);
    }
  }
}
