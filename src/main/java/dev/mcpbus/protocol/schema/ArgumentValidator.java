package dev.mcpbus.protocol.schema;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.SchemaCheck.Mismatch;
import io.vertx.core.json.DecodeException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks values against a tool's schema: arguments against its {@code inputSchema}, structured
 * content against its {@code outputSchema}. It never fetches anything: a schema with references to
 * other documents, or one that cannot be understood, checks nothing, and the validator logs that
 * once. {@link SchemaCheck} bounds every check, whatever schema and value are. Any thread.
 */
public final class ArgumentValidator {

  /**
   * A violation of the schema.
   *
   * @param path JSON pointer into the value
   * @param message the fault at that place
   * @param unchecked true if no fault is known, because a complete check would take too long
   */
  public record Violation(String path, String message, boolean unchecked) {

    Violation(String path, String message) {
      this(path, message, false);
    }

    /** One line for the caller of {@code tool}. */
    public String of(String tool) {
      String place = path.equals("/") ? "" : path;
      return "arguments" + place + " of tool '" + tool + "': " + message;
    }
  }

  /** mcpbus must not offer a tool with a larger schema. */
  public static final int MAX_SCHEMA_BYTES = 1024 * 1024;

  /** The bound of a check on a worker thread, in steps: some tenths of a second at most. */
  public static final long EFFORT = 10_000_000;

  /** The bound on an event loop: some milliseconds at most. */
  public static final long SMALL_EFFORT = 200_000;

  /** Up to which size an event loop may read a schema. */
  private static final int SMALL_SCHEMA = 64 * 1024;

  private static final int MAX_MISSING = 4;

  /** The schema as it was read, which happens once. */
  private record Compiled(
      Map<String, Object> schema,
      boolean isDraft7,
      SchemaReferences refs,
      Map<String, Pattern> patterns) {}

  private static final Logger LOG = LoggerFactory.getLogger(ArgumentValidator.class);

  private final @Nullable RawJson schema;
  private volatile boolean usable;
  private volatile @Nullable Compiled compiled;

  private ArgumentValidator(@Nullable RawJson schema) {
    this.schema = schema;
    this.usable = schema != null;
  }

  /** Creates the validator of a tool; the first check reads the schema. */
  public static ArgumentValidator of(@Nullable RawJson schema) {
    boolean fits = schema != null && schema.isObject() && schema.length() <= MAX_SCHEMA_BYTES;
    return new ArgumentValidator(fits ? schema : null);
  }

  /** False if the schema is known to be unusable, so that every value is accepted. */
  public boolean checks() {
    return usable;
  }

  /** True if an event loop may begin the check of a small value, with {@link #SMALL_EFFORT}. */
  public boolean isQuick() {
    return schema == null || compiled != null || schema.length() <= SMALL_SCHEMA;
  }

  /** Checks a value within {@link #EFFORT}. */
  public @Nullable Violation check(Object value) {
    return check(value, EFFORT, () -> false);
  }

  /**
   * Returns the violation at the deepest place, or null if the value fits.
   *
   * @param value a JSON value in the types of Vert.x
   * @param effort how many steps the check may take, such as {@link #SMALL_EFFORT}
   * @param ended whether the call has ended, which ends the check; any thread may be asked
   */
  public @Nullable Violation check(@Nullable Object value, long effort, BooleanSupplier ended) {
    try {
      List<Mismatch> faults = faults(value, effort, ended);
      return faults.isEmpty() ? null : deepest(faults);
    } catch (SchemaCheck.Spent e) {
      return tooLong(e.pointer());
    } catch (StackOverflowError e) {
      return tooLong("");
    }
  }

  private static Violation tooLong(String pointer) {
    String text = "checking against the schema would take too long";
    return new Violation(pointer.isEmpty() ? "/" : SchemaCheck.cut(pointer), text, true);
  }

  /** The violation at each place without one below it: the first ones, if there are many. */
  public List<Violation> violations(Object value) {
    List<Violation> all = new ArrayList<>();
    Set<String> outer = new HashSet<>();
    List<Mismatch> faults = faults(value, EFFORT, () -> false);
    for (Mismatch fault : faults) {
      for (SchemaCheck.ValuePlace at = fault.place().above(); at != null; at = at.above()) {
        outer.add(at.pointer());
      }
    }
    for (Mismatch fault : faults) {
      if (outer.add(fault.place().pointer())) {
        all.add(violation(fault, ""));
      }
    }
    return all;
  }

  private List<Mismatch> faults(@Nullable Object value, long effort, BooleanSupplier ended) {
    try {
      Compiled ready = usable ? compile() : null;
      return ready == null
          ? List.of()
          : new SchemaCheck(ready.refs, ready.isDraft7, ready.patterns, effort, ended)
              .check(ready.schema, value);
    } catch (DecodeException
        | ClassCastException
        | IllegalArgumentException
        | NullPointerException e) {
      LOG.warn("a tool's schema cannot be used, so its values are not checked: {}", e.toString());
      usable = false;
      return List.of();
    }
  }

  private @Nullable Compiled compile() {
    Compiled known = compiled;
    if (known != null || schema == null) {
      return known;
    }
    Map<String, Object> map = schema.toJsonObject().getMap();
    boolean isDraft7 = String.valueOf(map.get("$schema")).contains("draft-07");
    Compiled made =
        new Compiled(map, isDraft7, new SchemaReferences(map), new ConcurrentHashMap<>());
    compiled = made;
    return made;
  }

  /** For a misspelt name the missing member shows which one was meant. */
  private static Violation deepest(List<Mismatch> faults) {
    Mismatch deepest = faults.get(0);
    for (Mismatch fault : faults) {
      deepest = fault.place().depth() > deepest.place().depth() ? fault : deepest;
    }
    StringBuilder missing = new StringBuilder();
    String text = deepest.text().get();
    faults.stream()
        .filter(fault -> fault.word().equals("required"))
        .map(fault -> fault.text().get())
        .distinct()
        .filter(one -> !one.equals(text))
        .limit(MAX_MISSING)
        .forEach(one -> missing.append("; ").append(one));
    return violation(deepest, missing.toString());
  }

  private static Violation violation(Mismatch fault, String more) {
    String pointer = SchemaCheck.cut(fault.place().pointer());
    return new Violation(
        pointer.isEmpty() ? "/" : pointer, SchemaCheck.cut(fault.text().get() + more));
  }
}
