package dev.mcpbus.directory.search;

import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ToolName;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.Map;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.SortedDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.util.BytesRef;

/**
 * One tool as a document of the index: the fields that are searched, and those that a result shows.
 * The texts of a server are cut, so that one server cannot fill the memory. Worker threads.
 */
final class ToolDocument {

  static final String NAME = "name";
  static final String TITLE = "title";
  static final String DESCRIPTION = "description";
  static final String PARAMETERS = "parameters";
  static final String SERVER = "server";

  /** Words of name and title, as written. */
  static final String WORDS = "words";

  /** Every name of the tool as a whole, in lower case. */
  static final String EXACT = "exact";

  /** The server's id as a whole, for filters. */
  static final String OWNER = "owner";

  /** Place in the server's list. */
  static final String PLACE = "place";

  static final String SHOWN_NAME = "shown.name";
  static final String SHOWN_TOOL = "shown.tool";
  private static final String SHOWN_TITLE = "shown.title";
  private static final String SHOWN_DESCRIPTION = "shown.description";
  private static final String SHOWN_STALE = "shown.stale";

  private static final int MAX_DESCRIPTION = 4_096;
  private static final int MAX_PARAMETERS = 8_192;
  private static final int MAX_DEPTH = 3;

  /** Words with their frequency; no positions, which only phrases need. */
  private static final FieldType TEXT = new FieldType();

  static {
    TEXT.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
    TEXT.setTokenized(true);
    TEXT.freeze();
  }

  private ToolDocument() {}

  /**
   * @param tool the server's own name of it
   * @param definition the entry of the aggregate
   */
  static Document of(ToolName tool, JsonObject definition, int place, boolean stale) {
    String name = text(definition, "name");
    String title = title(definition);
    String description = bounded(text(definition, "description"), MAX_DESCRIPTION);
    StringBuilder parameters = new StringBuilder();
    parameters(definition.getValue("inputSchema"), parameters, 0);

    Document document =
        of(tool.server(), tool.tool(), title, description, parameters.toString(), place, stale);
    exact(document, tool.tool(), name, RoutingName.of(tool));
    show(document, name, tool.tool());
    if (!title.isEmpty()) {
      document.add(new StoredField(SHOWN_TITLE, title));
    }
    return document;
  }

  /** A document with the fields that are searched as texts, and those that order results. */
  static Document of(
      String server,
      String name,
      String title,
      String description,
      String parameters,
      int place,
      boolean stale) {
    Document document = new Document();
    String shown = bounded(description, MAX_DESCRIPTION);
    document.add(new Field(NAME, name, TEXT));
    document.add(new Field(TITLE, title, TEXT));
    document.add(new Field(WORDS, name + " " + title, TEXT));
    document.add(new Field(DESCRIPTION, shown, TEXT));
    document.add(new Field(PARAMETERS, parameters, TEXT));
    document.add(new Field(SERVER, server, TEXT));
    document.add(new StringField(OWNER, server, Field.Store.YES));
    document.add(new SortedDocValuesField(OWNER, new BytesRef(server)));
    document.add(new NumericDocValuesField(PLACE, place));
    document.add(new StoredField(SHOWN_DESCRIPTION, shown));
    if (stale) {
      document.add(new StoredField(SHOWN_STALE, 1));
    }
    return document;
  }

  /** Adds names that find the document as a whole. */
  static void exact(Document document, String... names) {
    for (String name : names) {
      document.add(new StringField(EXACT, exact(name), Field.Store.NO));
    }
  }

  /** Adds the names that a result shows. */
  static void show(Document document, String name, String own) {
    document.add(new StoredField(SHOWN_NAME, name));
    document.add(new StoredField(SHOWN_TOOL, own));
  }

  /** The value of a name in {@link #EXACT}, cut to the length that Lucene accepts. */
  static String exact(String name) {
    return bounded(name, 1_024).toLowerCase(Locale.ROOT);
  }

  /** The entry of a result. */
  static JsonObject shown(Document stored, double score) {
    String server = stored.get(OWNER);
    String tool = stored.get(SHOWN_TOOL);
    JsonObject shown =
        new JsonObject()
            .put("name", stored.get(SHOWN_NAME))
            .put("routingName", RoutingName.of(new ToolName(server, tool)))
            .put("server", server)
            .put("tool", tool);
    String title = stored.get(SHOWN_TITLE);
    if (title != null) {
      shown.put("title", title);
    }
    return rated(shown, stored, score);
  }

  /** Adds what results of each kind have. */
  static JsonObject rated(JsonObject shown, Document stored, double score) {
    shown
        .put("description", stored.get(SHOWN_DESCRIPTION))
        .put("score", Math.round(score * 1_000) / 1_000.0);
    return stored.getField(SHOWN_STALE) == null ? shown : shown.put("stale", true);
  }

  private static String title(JsonObject definition) {
    String title = text(definition, "title");
    boolean annotated = title.isEmpty() && definition.getValue("annotations") instanceof JsonObject;
    String shown = annotated ? text(definition.getJsonObject("annotations"), "title") : title;
    return bounded(shown, MAX_DESCRIPTION);
  }

  /** Names and descriptions of the parameters, nested ones included. */
  private static void parameters(Object schema, StringBuilder into, int depth) {
    if (depth == MAX_DEPTH || !(schema instanceof JsonObject object)) {
      return;
    }
    if (object.getValue("properties") instanceof JsonObject properties) {
      for (Map.Entry<String, Object> property : properties) {
        append(property.getKey(), into);
        if (property.getValue() instanceof JsonObject value) {
          append(text(value, "description"), into);
          parameters(value, into, depth + 1);
        }
      }
    }
    parameters(object.getValue("items"), into, depth + 1);
  }

  private static void append(String text, StringBuilder into) {
    int room = MAX_PARAMETERS - into.length();
    if (room > 1 && !text.isEmpty()) {
      into.append(bounded(text, room - 1)).append(' ');
    }
  }

  private static String text(JsonObject object, String member) {
    return object.getValue(member) instanceof String text ? text : "";
  }

  private static String bounded(String text, int most) {
    return text.length() > most ? text.substring(0, most) : text;
  }
}
