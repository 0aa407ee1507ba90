package dev.mcpbus.testing;

import dev.mcpbus.connection.options.ConnectionOptions;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A scripted server with skills, which lies where a test says so: what it lists and what it gives
 * are two tables.
 */
public final class SkillPeer {

  /** The entries of {@code skills/list} and {@code skills/get}, by the URI of the skill. */
  public final Map<String, JsonObject> entries = new LinkedHashMap<>();

  /** The result of {@code resources/read}, by URI. */
  public final Map<String, JsonObject> contents = new LinkedHashMap<>();

  /** What each directory contains beside a {@code SKILL.md}. */
  public final List<String> children = new ArrayList<>();

  private final ScriptedPeer peer;
  private final boolean modern;

  /**
   * @param modern whether it speaks the {@code discover} era
   */
  public SkillPeer(Vertx vertx, boolean modern) {
    this.modern = modern;
    this.peer = new ScriptedPeer(vertx, (method, params, connection) -> answer(method, params));
  }

  /** A peer that serves as the server {@code id}, and is taken down after 100 ms at the latest. */
  public static SkillPeer connected(TestBus bus, String id, boolean modern) {
    SkillPeer skills = new SkillPeer(bus.vertx(), modern);
    bus.add(id, skills.peer.transport(), ConnectionOptions.DEFAULT, Duration.ofMillis(100));
    bus.awaitState(id, "READY");
    return skills;
  }

  public ScriptedPeer peer() {
    return peer;
  }

  /** The entry of a skill that the peer has. */
  public JsonObject entry(String uri) {
    return Objects.requireNonNull(entries.get(uri), uri);
  }

  /**
   * Adds an honest skill.
   *
   * @param path such as {@code acme/refunds}
   * @param files path and text of each file beside the {@code SKILL.md}, in turn
   * @return the URI of its {@code SKILL.md}
   */
  public String skill(String path, String description, String... files) {
    String root = "skill://" + path;
    String name = path.substring(path.lastIndexOf('/') + 1);
    String uri = root + "/SKILL.md";
    JsonArray resources = new JsonArray();
    entries.put(
        uri,
        new JsonObject()
            .put("uri", uri)
            .put("frontmatter", new JsonObject().put("name", name).put("description", description))
            .put("resources", resources));
    resources.add(
        file(uri, "---\nname: " + name + "\ndescription: " + description + "\n---\n\nDo it.\n"));
    for (int i = 0; i < files.length; i += 2) {
      resources.add(file(root + "/" + files[i], files[i + 1]));
    }
    return uri;
  }

  /** What the server gives for a URI from now on. */
  public void gives(String uri, String text) {
    JsonObject content = new JsonObject().put("uri", uri).put("text", text);
    contents.put(uri, new JsonObject().put("contents", new JsonArray().add(content)));
  }

  private JsonObject file(String uri, String text) {
    gives(uri, text);
    return described(uri, text);
  }

  /** An element of {@code resources}. */
  public static JsonObject described(String uri, String text) {
    return described(uri, text.getBytes(StandardCharsets.UTF_8));
  }

  /** The same of bytes. */
  public static JsonObject described(String uri, byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return new JsonObject()
          .put("uri", uri)
          .put("digest", "sha256:" + HexFormat.of().formatHex(digest))
          .put("size", bytes.length);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private @Nullable String answer(String method, JsonObject params) {
    String uri = params.getString("uri", "");
    return switch (method) {
      case "server/discover" -> modern ? discovered() : ScriptedPeer.error(-32601, "no");
      case "initialize" ->
          result(
              new JsonObject()
                  .put("protocolVersion", "2025-11-25")
                  .put("capabilities", capabilities())
                  .put("serverInfo", new JsonObject().put("name", "peer").put("version", "1")));
      case "resources/list" -> list("resources", new JsonArray());
      case "resources/templates/list" -> list("resourceTemplates", new JsonArray());
      case "prompts/list" -> list("prompts", new JsonArray());
      case "tools/list" -> list("tools", new JsonArray());
      case "skills/list" -> list("skills", new JsonArray(List.copyOf(entries.values())));
      case "skills/get" ->
          entries.containsKey(uri)
              ? result(new JsonObject().put("skill", entries.get(uri)))
              : ScriptedPeer.error(-32602, "Unknown skill");
      case "resources/directory/read" -> list("resources", children(uri));
      case "resources/read" ->
          contents.containsKey(uri)
              ? result(contents.get(uri))
              : ScriptedPeer.error(modern ? -32602 : -32002, "Unknown resource");
      default -> null;
    };
  }

  private JsonArray children(String directory) {
    JsonArray all = new JsonArray().add(child(directory, "SKILL.md"));
    children.forEach(name -> all.add(child(directory, name)));
    return all;
  }

  private static JsonObject child(String directory, String name) {
    return new JsonObject().put("uri", directory + "/" + name).put("name", name);
  }

  private String list(String member, JsonArray all) {
    JsonObject list = new JsonObject().put(member, all);
    return result(modern ? list.put("ttlMs", 0).put("cacheScope", "public") : list);
  }

  private String result(JsonObject result) {
    return "\"result\":" + (modern ? result.copy().put("resultType", "complete") : result).encode();
  }

  private static JsonObject capabilities() {
    return new JsonObject()
        .put("resources", new JsonObject().put("listChanged", true))
        .put(
            "extensions",
            new JsonObject()
                .put(
                    "io.modelcontextprotocol/skills", new JsonObject().put("directoryRead", true)));
  }

  private String discovered() {
    return result(
        new JsonObject()
            .put("supportedVersions", new JsonArray().add("2026-07-28"))
            .put("capabilities", capabilities())
            .put("ttlMs", 0)
            .put("cacheScope", "private"));
  }
}
