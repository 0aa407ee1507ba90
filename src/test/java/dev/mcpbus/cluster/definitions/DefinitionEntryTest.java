package dev.mcpbus.cluster.definitions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.hosting.ServerEntryReader;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a warning says of a file that differs: where, and never what. */
class DefinitionEntryTest {

  private static final JsonObject ENTRY =
      new JsonObject().put("command", "run").put("env", new JsonObject().put("KEY", "hush"));

  private final ServerEntryReader reader =
      ServerEntryReader.in(Path.of("."), ConfigEnvironment.system(), ServerSettings.DEFAULT);

  private ServerDefinition file(String name, JsonObject entry, @Nullable JsonObject defaults) {
    return reader.read(new ServerOrigin(name, entry, defaults, false), "mcpbus.json");
  }

  private static String difference(
      String name,
      JsonObject entry,
      @Nullable JsonObject defaults,
      boolean seeds,
      ServerDefinition own) {
    ServerOrigin there = new ServerOrigin(name, entry, defaults, seeds);
    return new DefinitionEntry(there, "mcpbus.json", "n1", false, null).difference(own);
  }

  @Test
  void the_members_that_differ_are_named_without_their_values() {
    ServerDefinition own = file("git", ENTRY.copy().put("args", new JsonArray().add("a")), null);
    JsonObject there = ENTRY.copy().put("env", new JsonObject().put("KEY", "other"));
    assertThat(difference("git", there, null, false, own)).isEqualTo("they differ in [args, env]");
  }

  @Test
  void equal_entries_differ_in_what_is_around_them() {
    ServerDefinition own = file("git", ENTRY, null);
    assertThat(difference("Git", ENTRY, null, false, own))
        .isEqualTo("the name is written 'Git' there and 'git' here");
    assertThat(difference("git", ENTRY, new JsonObject().put("requestTimeout", "4s"), false, own))
        .isEqualTo(
            "the entries are equal, and the defaults of the files differ in [requestTimeout]");
    assertThat(difference("git", ENTRY, null, true, own))
        .isEqualTo("the entries are equal, and the forms of the files are not");
  }
}
