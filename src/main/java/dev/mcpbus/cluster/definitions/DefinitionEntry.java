package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.McpBusVersion;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A definition in the map of the cluster.
 *
 * @param origin the entry as it was written in its file or request
 * @param source the place of the entry, for messages
 * @param node the name of the node that wrote it, for messages; null where an older mcpbus wrote it
 * @param added whether a caller added it at run time, so that no file has it
 * @param program of a server over a transport that a program made itself; null for any other
 */
record DefinitionEntry(
    ServerOrigin origin,
    String source,
    @Nullable String node,
    boolean added,
    @Nullable ProgramServer program) {

  private static final String FORM = "form";
  private static final String NODE = "node";
  private static final String ADDED = "added";
  private static final String PROGRAM = "program";

  /**
   * @param node the name of this node
   */
  static DefinitionEntry of(ServerDefinition definition, String node, boolean added) {
    return new DefinitionEntry(
        Objects.requireNonNull(definition.origin()), definition.source(), node, added, null);
  }

  /**
   * The same of a server over a transport that a program made itself; its source names the node.
   *
   * @param self the id of this node
   */
  static DefinitionEntry ofProgram(ServerDefinition definition, String self) {
    JsonObject entry = new JsonObject().put("type", ProgramServer.TYPE);
    return new DefinitionEntry(
        new ServerOrigin(definition.name(), entry, null, false),
        definition.source(),
        null,
        false,
        ProgramServer.of(definition, self));
  }

  String encode() {
    JsonObject json =
        new JsonObject()
            .put(FORM, WireForm.NEWEST)
            .put("version", McpBusVersion.current())
            .put("origin", origin.toJson())
            .put("source", source);
    if (node != null) {
      json.put(NODE, node);
    }
    if (program != null) {
      json.put(PROGRAM, program.toJson());
    }
    return (added ? json.put(ADDED, true) : json).encode();
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
          ServerOrigin.of(json.getJsonObject("origin")),
          json.getString("source", ""),
          json.getString(NODE),
          json.getBoolean(ADDED, false),
          json.getValue(PROGRAM) instanceof JsonObject of ? ProgramServer.of(of) : null);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException("its entry is not what form " + form + " has", e);
    }
  }

  /** Whether this is the entry of the definition, wherever it was written. */
  boolean isOf(ServerDefinition definition) {
    return origin.text().equals(Objects.requireNonNull(definition.origin()).text());
  }

  /** What differs from the definition in a file, as words without a value: it may be a secret. */
  String difference(ServerDefinition definition) {
    ServerOrigin own = Objects.requireNonNull(definition.origin());
    Set<String> members = differing(own.entry(), origin.entry());
    if (!members.isEmpty()) {
      return "they differ in " + members;
    }
    if (!own.name().equals(origin.name())) {
      return "the name is written '" + origin.name() + "' there and '" + own.name() + "' here";
    }
    JsonObject none = new JsonObject();
    Set<String> defaults =
        differing(
            Objects.requireNonNullElse(own.defaults(), none),
            Objects.requireNonNullElse(origin.defaults(), none));
    return defaults.isEmpty()
        ? "the entries are equal, and the forms of the files are not"
        : "the entries are equal, and the defaults of the files differ in " + defaults;
  }

  private static Set<String> differing(JsonObject one, JsonObject other) {
    Set<String> names = new TreeSet<>(one.fieldNames());
    names.addAll(other.fieldNames());
    names.removeIf(name -> Objects.equals(one.getValue(name), other.getValue(name)));
    return names;
  }

  /** Where it was written, for messages. */
  String place() {
    return node == null ? source : source + " on node '" + node + "'";
  }
}
