package dev.mcpbus.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * The skills of one server (SEP-2640). A list reads no file. A file comes only if it has the size,
 * the digest and the frontmatter that its skill's entry says, else the future fails with {@code
 * SKILL_REJECTED}. What it says is the server's, and no more to be trusted than the server is.
 * Immutable; any thread may call. Futures complete on the caller's context.
 */
@PublicApi
public final class ServerSkills {

  private final McpServerClient server;

  private ServerSkills(McpServerClient server) {
    this.server = server;
  }

  public static ServerSkills of(McpServerClient server) {
    return new ServerSkills(server);
  }

  /**
   * The entries of the listed skills: {@code uri}, {@code frontmatter}, {@code resources}. A server
   * may have more skills than it lists.
   */
  public Future<List<JsonObject>> list() {
    return server
        .send(Addresses.SKILLS_LIST, new JsonObject(), CallOptions.DEFAULT)
        .map(
            result ->
                result.getJsonArray("skills", new JsonArray()).stream()
                    .map(JsonObject.class::cast)
                    .toList());
  }

  /**
   * The present entry of a skill, listed or not.
   *
   * @param uri of its {@code SKILL.md}
   */
  public Future<JsonObject> get(String uri) {
    return server
        .send(Addresses.SKILLS_GET, named(uri), CallOptions.DEFAULT)
        .map(result -> result.getJsonObject("skill", new JsonObject()));
  }

  /**
   * Reads a file of a skill, checked against the entry that the caller holds: the one that a person
   * approved.
   *
   * @param entry of {@link #list} or {@link #get}
   * @param path below the skill's directory, such as {@code references/FORMS.md} or {@code
   *     SKILL.md}
   * @return the result of {@code resources/read}; its {@code _meta} says what was checked
   */
  public Future<JsonObject> read(JsonObject entry, String path) {
    return read(named(entry.getString("uri", "")).put("skill", entry).put("path", path));
  }

  /**
   * Reads a file of a skill, checked against the skill's present entry.
   *
   * @param uri of its {@code SKILL.md}
   * @param path as above
   */
  public Future<JsonObject> read(String uri, String path) {
    return read(named(uri).put("path", path));
  }

  private Future<JsonObject> read(JsonObject wanted) {
    return server.send(Addresses.SKILLS_READ, wanted, CallOptions.DEFAULT);
  }

  private static JsonObject named(String uri) {
    return new JsonObject().put("uri", uri);
  }
}
