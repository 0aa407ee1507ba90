package dev.mcpbus.config;

import dev.mcpbus.protocol.CanonicalJson;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A server as it was written, for other nodes: variables are not filled in, so that each node fills
 * in its own, and secrets that are named by variables stay where they are.
 *
 * @param name the key
 * @param entry what stands under it
 * @param defaults the file's; null where each node's own hold
 * @param seeds true where a bare number of {@code timeout} counts seconds
 */
public record ServerOrigin(
    String name, JsonObject entry, @Nullable JsonObject defaults, boolean seeds) {

  static final int MAX_REPLICAS = 100;

  public JsonObject toJson() {
    return new JsonObject()
        .put("name", name)
        .put("entry", entry)
        .put("defaults", defaults)
        .put("seeds", seeds);
  }

  public static ServerOrigin of(JsonObject json) {
    return new ServerOrigin(
        json.getString("name"),
        json.getJsonObject("entry"),
        json.getJsonObject("defaults"),
        json.getBoolean("seeds", false));
  }

  /** The same text for the same definition, in whatever order its keys were written. */
  public String text() {
    return CanonicalJson.of(RawJson.of(toJson()));
  }

  /** Names the server alone: what stands in a file as it is may be a secret. */
  @Override
  public String toString() {
    return "origin of " + name;
  }

  /** How many connections it has in a cluster; 1 where that is not said, or not well. */
  public int replicas() {
    return entry.getValue("replicas") instanceof Number number
        ? Math.max(1, Math.min(MAX_REPLICAS, number.intValue()))
        : 1;
  }

  /** Labels that a node must have to run it. */
  public Set<String> labels() {
    return entry.getJsonArray("labels", new JsonArray()).stream()
        .map(String::valueOf)
        .collect(Collectors.toUnmodifiableSet());
  }
}
