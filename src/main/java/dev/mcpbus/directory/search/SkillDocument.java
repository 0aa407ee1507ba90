package dev.mcpbus.directory.search;

import dev.mcpbus.protocol.SkillUri;
import io.vertx.core.json.JsonObject;
import org.apache.lucene.document.Document;

/**
 * One skill as a document of the index, with the fields of a {@link ToolDocument}: a skill has no
 * parameters, and the directories before its name are its title. Worker threads.
 */
final class SkillDocument {

  private SkillDocument() {}

  /**
   * @param uri of its {@code SKILL.md}
   * @param entry of the aggregate, which has checked its form
   */
  static Document of(String server, String uri, JsonObject entry, int place, boolean stale) {
    JsonObject frontmatter = entry.getJsonObject("frontmatter");
    String name = SkillUri.name(uri);
    String path = SkillUri.root(uri);
    Document document =
        ToolDocument.of(
            server,
            name,
            path.substring(path.indexOf("://") + 3).replace('/', ' '),
            frontmatter.getString("description"),
            "",
            place,
            stale);
    ToolDocument.exact(document, name, uri);
    ToolDocument.show(document, uri, name);
    return document;
  }

  /** The entry of a result. */
  static JsonObject shown(Document stored, double score) {
    JsonObject shown =
        new JsonObject()
            .put("uri", stored.get(ToolDocument.SHOWN_NAME))
            .put("server", stored.get(ToolDocument.OWNER))
            .put("name", stored.get(ToolDocument.SHOWN_TOOL));
    return ToolDocument.rated(shown, stored, score);
  }
}
