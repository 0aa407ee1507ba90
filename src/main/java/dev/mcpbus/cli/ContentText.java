package dev.mcpbus.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** The content of tool results, prompts and resources as text for people. Stateless. */
final class ContentText {

  private ContentText() {}

  /** A tool's result: its content, else its structured content as JSON. */
  static String ofToolResult(JsonObject result) {
    JsonArray content = array(result, "content");
    if (content.isEmpty() && result.getValue("structuredContent") instanceof JsonObject data) {
      return data.encodePrettily();
    }
    return String.join("\n", content.stream().map(ContentText::block).toList());
  }

  /** One block: its text, or in brackets what it holds. */
  static String block(Object content) {
    if (!(content instanceof JsonObject block)) {
      return String.valueOf(content);
    }
    return switch (text(block, "type")) {
      case "text" -> text(block, "text");
      case "image", "audio" ->
          "["
              + text(block, "type")
              + " "
              + text(block, "mimeType")
              + ", "
              + size(block, "data")
              + "]";
      case "resource" ->
          block.getValue("resource") instanceof JsonObject resource
              ? resource(resource)
              : "[resource]";
      case "resource_link" -> "[" + text(block, "uri") + "]";
      default -> block.encode();
    };
  }

  /** The text of a resource's content, or in brackets what it is. */
  static String resource(JsonObject content) {
    return content.getValue("text") instanceof String text
        ? text
        : "["
            + text(content, "uri")
            + " "
            + text(content, "mimeType")
            + ", "
            + size(content, "blob")
            + "]";
  }

  /** The bytes of a Base64 member; empty where it is none. */
  static byte[] bytes(JsonObject content, String member) {
    try {
      return Base64.getDecoder().decode(text(content, member));
    } catch (IllegalArgumentException noBase64) {
      return new byte[0];
    }
  }

  /** The objects of an array member. */
  static List<JsonObject> objects(JsonObject json, String member) {
    return array(json, member).stream()
        .map(each -> each instanceof JsonObject object ? object : null)
        .filter(Objects::nonNull)
        .toList();
  }

  static JsonArray array(JsonObject json, String member) {
    return json.getValue(member) instanceof JsonArray array ? array : new JsonArray();
  }

  /** A member that is text; empty where it is not. */
  static String text(JsonObject json, String member) {
    return json.getValue(member) instanceof String text ? text : "";
  }

  private static String size(JsonObject content, String member) {
    long bytes = text(content, member).length() * 3L / 4;
    return bytes < 1024 ? bytes + " B" : String.format(Locale.ROOT, "%.1f KiB", bytes / 1024.0);
  }
}
