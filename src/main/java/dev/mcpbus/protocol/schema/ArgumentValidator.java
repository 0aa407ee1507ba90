package dev.mcpbus.protocol.schema;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.SchemaException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks values against a tool's schema: arguments against its {@code inputSchema}, structured
 * content against its {@code outputSchema}. It never fetches anything: a schema with references to
 * other documents, or one that the validator cannot process, checks nothing, and the validator logs
 * that once. {@link CountedSchema} bounds every check, whatever schema and value are. Any thread.
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

  /** The bound on a worker thread, in steps: some tenths of a second at most. */
  public static final long EFFORT = 10_000_000;

  /** The bound on an event loop: some milliseconds at most. */
  public static final long SMALL_EFFORT = 200_000;

  private static final Logger LOG = LoggerFactory.getLogger(ArgumentValidator.class);
  private static final Violation TOO_LONG =
      new Violation("/", "checking against the schema would take too long", true);
  private static final ArgumentValidator NOTHING = new ArgumentValidator(null, null);

  private final @Nullable RawJson schema;
  private final @Nullable PlainSchema plain;
  private volatile boolean usable;
  private volatile @Nullable CountedSchema compiled;

  private ArgumentValidator(@Nullable RawJson schema, @Nullable PlainSchema plain) {
    this.schema = schema;
    this.plain = plain;
    this.usable = schema != null;
  }

  /** Creates the validator of a tool; the first check that needs it compiles the schema. */
  public static ArgumentValidator of(@Nullable RawJson schema) {
    if (schema == null || !schema.isObject() || schema.length() > MAX_SCHEMA_BYTES) {
      return NOTHING;
    }
    try {
      return new ArgumentValidator(schema, PlainSchema.of(schema.toJsonObject()));
    } catch (DecodeException e) {
      return NOTHING;
    }
  }

  /** False if the schema is known to be unusable, so that every value is accepted. */
  public boolean checks() {
    return usable;
  }

  /** True if an event loop may begin the check of a small value, with {@link #SMALL_EFFORT}. */
  public boolean isQuick() {
    return plain != null || compiled != null || !usable;
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
    if (!usable || (plain != null && plain.accepts(value))) {
      return null;
    }
    try {
      CountedSchema ready = compile();
      return ready == null ? null : violation(ready.check(value, effort, ended));
    } catch (CountedSchema.Spent | StackOverflowError e) {
      return TOO_LONG;
    } catch (SchemaException
        | DecodeException
        | ClassCastException
        | ArithmeticException
        | IllegalStateException
        | IllegalArgumentException
        | NullPointerException e) {
      LOG.warn("a tool's schema cannot be used, so its values are not checked: {}", e.toString());
      usable = false;
      return null;
    }
  }

  private @Nullable CountedSchema compile() {
    CountedSchema known = compiled;
    if (known != null || schema == null) {
      return known;
    }
    JsonObject json = schema.toJsonObject();
    CountedSchema made = new CountedSchema(json.getMap(), draft(json.getString("$schema", "")));
    compiled = made;
    return made;
  }

  private static Draft draft(String schema) {
    return schema.contains("draft-07") ? Draft.DRAFT7 : Draft.DRAFT202012;
  }

  private static @Nullable Violation violation(OutputUnit result) {
    return Boolean.TRUE.equals(result.getValid()) ? null : ViolationTexts.of(result);
  }
}
