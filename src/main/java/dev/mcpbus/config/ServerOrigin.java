package dev.mcpbus.config;

import dev.mcpbus.protocol.CanonicalJson;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A server's definition as written, for other nodes. Variables are not replaced, so that each node
 * inserts its own values, and secrets in variables do not leave their node. Immutable.
 *
 * @param name the key
 * @param entry the value of the key
 * @param defaults of the file; null: each node uses its own
 * @param seeds true if a number without unit in {@code timeout} counts seconds, as older nodes pass
 *     it on
 */
public record ServerOrigin(
    String name, JsonObject entry, @Nullable JsonObject defaults, boolean seeds) {

  /** The most connections that a server can have. */
  public static final int MAX_REPLICAS = 100;

  public ServerOrigin {
    entry = entry.copy();
    defaults = defaults == null ? null : defaults.copy();
  }

  /** A copy. */
  @Override
  public JsonObject entry() {
    return entry.copy();
  }

  /** A copy. */
  @Override
  public @Nullable JsonObject defaults() {
    return defaults == null ? null : defaults.copy();
  }

  public JsonObject toJson() {
    return new JsonObject()
        .put("name", name)
        .put("entry", entry())
        .put("defaults", defaults())
        .put("seeds", seeds);
  }

  public static ServerOrigin of(JsonObject json) {
    return new ServerOrigin(
        json.getString("name"),
        json.getJsonObject("entry"),
        json.getJsonObject("defaults"),
        json.getBoolean("seeds", false));
  }

  /** Canonical text: equal for equal definitions, whatever the order of their keys. */
  public String text() {
    return CanonicalJson.of(RawJson.of(toJson()));
  }

  /** Shows the name alone: values in a file may be secrets. */
  @Override
  public String toString() {
    return "origin of " + name;
  }

  /** The number of connections, from {@code replicas}; 1 if absent or invalid. */
  public int replicas() {
    return entry.getValue("replicas") instanceof Number number
        ? Math.max(1, Math.min(MAX_REPLICAS, number.intValue()))
        : 1;
  }

  /** The labels that a node must have to own the server. */
  public Set<String> labels() {
    return entry.getJsonArray("labels", new JsonArray()).stream()
        .map(String::valueOf)
        .collect(Collectors.toUnmodifiableSet());
  }
}
