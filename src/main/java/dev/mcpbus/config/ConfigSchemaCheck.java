package dev.mcpbus.config;

import dev.mcpbus.config.ConfigNode.ConfigMember;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.ArgumentValidator;
import dev.mcpbus.protocol.schema.ArgumentValidator.Violation;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Checks a file against the published JSON schema, so that mcpbus accepts nothing that editors
 * reject. Reports only what the reader has not reported.
 */
final class ConfigSchemaCheck {

  static final String RESOURCE = "/mcpbus.schema.json";

  private static final ArgumentValidator VALIDATOR = ArgumentValidator.of(RawJson.of(schema()));

  private ConfigSchemaCheck() {}

  static JsonObject schema() {
    try (InputStream in = ConfigSchemaCheck.class.getResourceAsStream(RESOURCE)) {
      return new JsonObject(
          new String(Objects.requireNonNull(in, RESOURCE).readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void check(ConfigNode root, ProblemCollector problems) {
    for (Violation violation : VALIDATOR.violations(Objects.requireNonNull(root.toJson()))) {
      report(root, violation, problems);
    }
  }

  private static void report(ConfigNode root, Violation violation, ProblemCollector problems) {
    List<String> path =
        List.of(violation.path().substring(1).split("/")).stream()
            .map(part -> part.replace("~1", "/").replace("~0", "~"))
            .toList();
    boolean ofServer = path.size() > 1 && path.get(0).equals("mcpServers");
    String server = ofServer ? ServerNames.cut(path.get(1)) : null;
    if (problems.has(server)) {
      return;
    }
    problems.add(
        line(root, path),
        server,
        MessageTexts.quote(String.join(".", ofServer ? path.subList(2, path.size()) : path))
            + " does not fit the schema: "
            + MessageTexts.ascii(violation.message()),
        "Compare it with mcpbus.schema.json");
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
