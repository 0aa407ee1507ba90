package dev.mcpbus.protocol;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The extension {@code io.modelcontextprotocol/skills} (SEP-2640): what a server that declares it
 * serves. Stateless.
 */
public final class SkillsExtension {

  public static final String ID = "io.modelcontextprotocol/skills";

  private SkillsExtension() {}

  /** Whether a server with these capabilities has {@code skills/list} and {@code skills/get}. */
  public static boolean isOfferedBy(JsonObject capabilities) {
    return settings(capabilities) != null;
  }

  /** Whether it has {@code resources/directory/read}. */
  public static boolean readsDirectories(JsonObject capabilities) {
    return settings(capabilities) instanceof JsonObject settings
        && Boolean.TRUE.equals(settings.getValue("directoryRead"));
  }

  private static @Nullable Object settings(JsonObject capabilities) {
    return capabilities.getValue("extensions") instanceof JsonObject extensions
        ? extensions.getValue(ID)
        : null;
  }
}
