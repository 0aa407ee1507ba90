package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The pages on the configuration name each key that the schema has. */
class ConfigurationPageTest {

  private static final Path SCHEMA = Path.of("src/main/resources/mcpbus.schema.json");

  /** What other clients write for people, or for themselves; other spellings of a key. */
  private static final Set<String> FOREIGN =
      Set.of(
          "$comment",
          "allowed_tools",
          "available_tools",
          "clientName",
          "created",
          "createdAt",
          "default_tools_approval_mode",
          "description",
          "gallery",
          "icon",
          "include_tools",
          "installed",
          "installedAt",
          "isTrusted",
          "lastUpdated",
          "lifecycle",
          "logo",
          "oauth_resource",
          "rating",
          "sampling_enabled",
          "sandbox",
          "sandboxEnabled",
          "skip_preflight",
          "sourcePath",
          "title",
          "tokenCacheDir",
          "trustedAt",
          "updatedAt");

  @Test
  void each_key_of_the_schema_is_on_a_page() throws IOException {
    String pages = "";
    for (String page : new String[] {"configuration", "http", "metrics", "security", "cluster"}) {
      pages += Files.readString(Path.of("src/docs/" + page + ".md"));
    }
    Set<String> keys = new TreeSet<>();
    collect(new JsonObject(Files.readString(SCHEMA)), keys);
    keys.removeAll(FOREIGN);
    assertThat(keys).hasSizeGreaterThan(100);
    Set<String> missing = new TreeSet<>();
    for (String key : keys) {
      if (!pages.matches("(?s).*(?<![\\w-])" + key.replace("$", "\\$") + "(?![\\w-]).*")) {
        missing.add(key);
      }
    }
    assertThat(missing).isEmpty();
  }

  private static void collect(JsonObject schema, Set<String> into) {
    for (Map.Entry<String, Object> entry : schema) {
      if (entry.getValue() instanceof JsonObject inner) {
        if (entry.getKey().equals("properties")) {
          into.addAll(inner.fieldNames());
        }
        collect(inner, into);
      }
    }
  }
}
