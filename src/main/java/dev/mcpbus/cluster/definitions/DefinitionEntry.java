package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.McpBusVersion;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import io.vertx.core.json.JsonObject;
import java.util.Objects;

/**
 * A definition in the map of the cluster.
 *
 * @param origin the entry as it was written in its file or request
 * @param source the place of the entry, for messages
 */
record DefinitionEntry(ServerOrigin origin, String source) {

  private static final String FORM = "form";

  static DefinitionEntry of(ServerDefinition definition) {
    return new DefinitionEntry(Objects.requireNonNull(definition.origin()), definition.source());
  }

  String encode() {
    return new JsonObject()
        .put(FORM, WireForm.NEWEST)
        .put("version", McpBusVersion.current())
        .put("origin", origin.toJson())
        .put("source", source)
        .encode();
  }

  /**
   * @throws IllegalArgumentException with a sentence that says what is wrong, for example a form of
   *     a newer mcpbus
   */
  static DefinitionEntry decode(String text) {
    JsonObject json;
    int form;
    try {
      json = new JsonObject(text);
      form = json.getInteger(FORM);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("it is no definition of any version of mcpbus", e);
    }
    if (form < WireForm.OLDEST || form > WireForm.NEWEST) {
      throw new IllegalArgumentException(
          "it is written in form "
              + form
              + " by mcpbus "
              + json.getString("version", "of another version")
              + "; this node, mcpbus "
              + McpBusVersion.current()
              + ", reads form "
              + WireForm.NEWEST
              + ": upgrade this node, or define the server anew");
    }
    try {
      return new DefinitionEntry(
          ServerOrigin.of(json.getJsonObject("origin")), json.getString("source", ""));
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("its entry is not what form " + form + " has", e);
    }
  }

  boolean isSame(DefinitionEntry other) {
    return origin.text().equals(other.origin.text());
  }
}
