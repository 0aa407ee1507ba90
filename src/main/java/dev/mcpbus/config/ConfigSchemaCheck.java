package dev.mcpbus.config;

import dev.mcpbus.config.ConfigNode.ConfigMember;
import dev.mcpbus.protocol.schema.ViolationTexts;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.SchemaException;
import io.vertx.json.schema.Validator;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks a file against the published JSON schema, so that mcpbus accepts nothing that editors
 * reject. Reports only what the reader has not reported.
 */
final class ConfigSchemaCheck {

  private static final Validator VALIDATOR =
      Validator.create(
          JsonSchema.of(ConfigSchema.declared()),
          new JsonSchemaOptions()
              .setDraft(Draft.DRAFT202012)
              .setBaseUri("https://mcpbus.invalid/")
              .setOutputFormat(OutputFormat.Basic));

  private ConfigSchemaCheck() {}

  static void check(ConfigNode root, ProblemCollector problems) {
    OutputUnit result;
    try {
      result = VALIDATOR.validate(Objects.requireNonNull(root.toJson()));
    } catch (SchemaException e) {
      throw new IllegalStateException("the schema of the configuration is itself wrong", e);
    }
    if (Boolean.TRUE.equals(result.getValid())) {
      return;
    }
    List<OutputUnit> errors = Optional.ofNullable(result.getErrors()).orElse(List.of());
    Set<String> seen = new HashSet<>();
    for (OutputUnit error : errors) {
      String at = Optional.ofNullable(error.getInstanceLocation()).orElse("#");
      // Outer errors at containing places are consequences of the inner one.
      boolean outer =
          errors.stream()
              .map(OutputUnit::getInstanceLocation)
              .anyMatch(other -> other != null && other.startsWith(at + "/"));
      if (!outer && seen.add(at)) {
        report(
            root,
            at,
            errors.stream().filter(one -> at.equals(one.getInstanceLocation())).toList(),
            problems);
      }
    }
  }

  private static void report(
      ConfigNode root, String at, List<OutputUnit> there, ProblemCollector problems) {
    List<String> path =
        List.of(at.replaceFirst("^#?/?", "").split("/")).stream()
            .map(part -> decode(part))
            .toList();
    boolean ofServer = path.size() > 1 && path.get(0).equals("mcpServers");
    String server = ofServer ? ServerNames.key(path.get(1)) : null;
    if (problems.has(server)) {
      return;
    }
    problems.add(
        line(root, path),
        server,
        MessageTexts.quote(String.join(".", ofServer ? path.subList(2, path.size()) : path))
            + " does not fit the schema: "
            + MessageTexts.ascii(there.isEmpty() ? "" : ViolationTexts.explain(there)),
        "Compare it with mcpbus.schema.json");
  }

  private static String decode(String part) {
    String plain;
    try {
      plain = java.net.URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      plain = part;
    }
    return plain.replace("~1", "/").replace("~0", "~");
  }

  /** The line of the deepest part of {@code path} that exists. */
  private static int line(ConfigNode root, List<String> path) {
    @Nullable ConfigNode node = root;
    int line = root.line();
    for (String part : path) {
      Optional<ConfigMember> member = node.member(part);
      if (member.isPresent()) {
        line = member.get().line();
        node = member.get().value();
      } else if (part.matches("\\d{1,6}") && Integer.parseInt(part) < node.items().size()) {
        node = node.items().get(Integer.parseInt(part));
        line = node.line();
      } else {
        return line;
      }
    }
    return line;
  }
}
