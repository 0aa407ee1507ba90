package dev.mcpbus.protocol;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.pointer.JsonPointer;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.SchemaException;
import io.vertx.json.schema.Validator;
import java.net.URI;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks arguments against a tool's {@code inputSchema}. Nothing is ever fetched: a schema that
 * refers elsewhere, is invalid, or is too big to be compiled on an event loop, checks nothing, and
 * says so once.
 */
public final class ArgumentValidator {

  /**
   * What does not fit, and where.
   *
   * @param path JSON pointer into the arguments
   * @param message what is wrong there
   */
  public record Violation(String path, String message) {

    /** One line for whoever called {@code tool}. */
    public String of(String tool) {
      return "arguments" + path + " of tool '" + tool + "': " + message;
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(ArgumentValidator.class);
  private static final int MAX_SCHEMA_BYTES = 256 * 1024;

  private final @Nullable Validator validator;
  private final @Nullable PlainSchema plain;

  private ArgumentValidator(@Nullable Validator validator, @Nullable PlainSchema plain) {
    this.validator = validator;
    this.plain = plain;
  }

  /** Compiles {@code schema}, which takes a while: once per tool. */
  public static ArgumentValidator of(@Nullable RawJson schema) {
    if (schema == null || !schema.isObject() || schema.length() > MAX_SCHEMA_BYTES) {
      return new ArgumentValidator(null, null);
    }
    try {
      JsonObject json = schema.toJsonObject();
      if (!isWhole(json, json.encode(), json)) {
        LOG.warn("a tool's input schema refers to something outside, its arguments go unchecked");
        return new ArgumentValidator(null, null);
      }
      // First: the validator writes members of its own into the schema.
      PlainSchema plain = PlainSchema.of(json);
      JsonSchemaOptions options =
          new JsonSchemaOptions()
              .setBaseUri("mcp://tool")
              .setDraft(draft(json.getString("$schema", "")))
              .setOutputFormat(OutputFormat.Basic);
      Validator compiled = Validator.create(JsonSchema.of(json), options);
      compiled.validate(new JsonObject());
      return new ArgumentValidator(compiled, plain);
    } catch (SchemaException | DecodeException | ClassCastException | IllegalStateException e) {
      LOG.warn(
          "a tool's input schema cannot be used, its arguments go unchecked: {}", e.toString());
      return new ArgumentValidator(null, null);
    }
  }

  /** False where the schema cannot be used, so that everything fits. */
  public boolean checks() {
    return validator != null;
  }

  /** A reference that leads nowhere would show at the first arguments that come to it. */
  private static boolean isWhole(JsonObject root, String text, @Nullable Object value) {
    if (value instanceof JsonArray array) {
      return array.stream().allMatch(element -> isWhole(root, text, element));
    }
    if (!(value instanceof JsonObject json)) {
      return true;
    }
    for (String member : json.fieldNames()) {
      boolean reference =
          member.equals("$ref")
              && json.getValue(member) instanceof String to
              && !leadsSomewhere(root, text, to);
      if (reference || !isWhole(root, text, json.getValue(member))) {
        return false;
      }
    }
    return true;
  }

  private static boolean leadsSomewhere(JsonObject root, String text, String reference) {
    if (reference.equals("#")) {
      return true;
    }
    try {
      return reference.startsWith("#/")
          ? JsonPointer.fromURI(URI.create(reference)).queryJson(root) != null
          : text.contains("Anchor\":") || text.contains("$anchor\":") || text.contains("$id\":");
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static Draft draft(String schema) {
    return schema.contains("draft-07") ? Draft.DRAFT7 : Draft.DRAFT202012;
  }

  /** The violation that lies deepest, or null where the arguments fit. */
  public @Nullable Violation check(JsonObject arguments) {
    if (validator == null || (plain != null && plain.accepts(arguments))) {
      return null;
    }
    OutputUnit result = validator.validate(arguments);
    if (Boolean.TRUE.equals(result.getValid())) {
      return null;
    }
    List<OutputUnit> errors = result.getErrors();
    if (errors == null || errors.isEmpty()) {
      return new Violation("/", "does not fit the input schema");
    }
    OutputUnit deepest = errors.get(0);
    for (OutputUnit error : errors) {
      if (error.getInstanceLocation().length() >= deepest.getInstanceLocation().length()) {
        deepest = error;
      }
    }
    String path = deepest.getInstanceLocation().replaceFirst("^#", "");
    return new Violation(path.isEmpty() ? "/" : path, explain(deepest, errors));
  }

  /** A misspelt name shows as one member too many; what is missing says which was meant. */
  private static String explain(OutputUnit deepest, List<OutputUnit> errors) {
    StringBuilder text = new StringBuilder(String.valueOf(deepest.getError()));
    for (OutputUnit error : errors) {
      boolean missing = String.valueOf(error.getKeywordLocation()).endsWith("/required");
      if (missing && !Objects.equals(error.getError(), deepest.getError())) {
        text.append("; ").append(error.getError());
      }
    }
    return text.toString();
  }
}
