package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.McpBusVersion;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import io.vertx.core.json.JsonObject;
import java.util.Objects;

/**
 * A definition as the map of the cluster holds it.
 *
 * @param origin as it was written
 * @param source where that was, for messages
 */
record DefinitionEntry(ServerOrigin origin, String source) {

  private static final String FORM = "form";

  static DefinitionEntry of(ServerDefinition definition) {
    return new DefinitionEntry(Objects.requireNonNull(definition.origin()), definition.source());
  }

  /**
   * @param wire the form to write, which all nodes read
   */
  String encode(int wire) {
    JsonObject json = new JsonObject();
    if (wire > 1) {
      json.put(FORM, wire).put("version", McpBusVersion.current());
    }
    return json.put("origin", origin.toJson()).put("source", source).encode();
  }

  /**
   * @param reads what this node reads
   * @throws IllegalArgumentException that says what is wrong, such as a form of a newer mcpbus
   */
  static DefinitionEntry decode(String text, WireForm.Range reads) {
    JsonObject json;
    int form;
    try {
      json = new JsonObject(text);
      form = json.getInteger(FORM, 1);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("it is no definition of any version of mcpbus", e);
    }
    if (!reads.contains(form)) {
      throw new IllegalArgumentException(
          "it is written in form "
              + form
              + " by mcpbus "
              + json.getString("version", "of another version")
              + "; this node, mcpbus "
              + McpBusVersion.current()
              + ", reads form "
              + reads
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
