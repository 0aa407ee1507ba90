package dev.mcpbus.connection;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.SchemaException;
import io.vertx.json.schema.Validator;
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
final class ArgumentValidator {

  /** What does not fit, and where. */
  record Violation(String path, String message) {}

  private static final Logger LOG = LoggerFactory.getLogger(ArgumentValidator.class);
  private static final int MAX_SCHEMA_BYTES = 256 * 1024;

  private final @Nullable Validator validator;
  private final @Nullable PlainSchema plain;

  private ArgumentValidator(@Nullable Validator validator, @Nullable PlainSchema plain) {
    this.validator = validator;
    this.plain = plain;
  }

  static ArgumentValidator of(@Nullable RawJson schema) {
    if (schema == null || !schema.isObject() || schema.length() > MAX_SCHEMA_BYTES) {
      return new ArgumentValidator(null, null);
    }
    try {
      JsonObject json = schema.toJsonObject();
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

  private static Draft draft(String schema) {
    return schema.contains("draft-07") ? Draft.DRAFT7 : Draft.DRAFT202012;
  }

  /** The violation that lies deepest, or null where the arguments fit. */
  @Nullable Violation check(JsonObject arguments) {
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
