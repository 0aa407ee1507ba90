package dev.mcpbus.ai;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The result of a tool call in the parts that models accept. Complete: content that a format cannot
 * express appears as a short text. Immutable.
 *
 * @param parts in the server's order
 * @param structured {@code structuredContent}, any JSON: a {@code JsonObject}, a {@code JsonArray},
 *     a text, a number or a boolean; null if there is none
 * @param json the result as the server sent it; empty if there is none
 * @param isError true if the tool reported an error or gave no result
 * @param failure why there is no result of the tool; null if there is one
 */
@PublicApi
public record ToolOutput(
    List<Part> parts,
    @Nullable Object structured,
    JsonObject json,
    boolean isError,
    @Nullable McpFailure failure) {

  /**
   * A text, or media.
   *
   * @param text the text; for media a short description, used where only text is possible
   * @param mimeType null for a text
   * @param data base64; null for a text
   */
  public record Part(String text, @Nullable String mimeType, @Nullable String data) {

    static Part ofText(String text) {
      return new Part(text, null, null);
    }

    static Part ofMedia(String kind, String mimeType, String data) {
      long bytes = data.length() * 3L / 4;
      return new Part("[" + kind + ", " + mimeType + ", " + bytes + " bytes]", mimeType, data);
    }

    /** The format of an image that all vendors read, such as {@code png}; null for the others. */
    @Nullable String format() {
      String type = mimeType == null || data == null ? "" : mimeType.toLowerCase(Locale.ROOT);
      return IMAGES.contains(type) ? type.substring(type.indexOf('/') + 1) : null;
    }

    public boolean isImage() {
      return data != null
          && mimeType != null
          && mimeType.toLowerCase(Locale.ROOT).startsWith("image/");
    }
  }

  private static final Set<String> IMAGES =
      Set.of("image/jpeg", "image/png", "image/gif", "image/webp");

  public ToolOutput {
    parts = List.copyOf(parts);
  }

  /** From an MCP {@code tools/call} result. */
  public static ToolOutput of(JsonObject result) {
    List<Part> parts = new ArrayList<>();
    if (result.getValue("content") instanceof JsonArray content) {
      for (Object block : content) {
        if (block instanceof JsonObject known) {
          parts.add(part(known));
        }
      }
    }
    Object structured = result.getValue("structuredContent");
    if (structured != null) {
      String encoded = Json.encode(structured);
      if (parts.stream().noneMatch(part -> repeats(part, structured, encoded))) {
        parts.add(Part.ofText(encoded));
      }
    }
    return new ToolOutput(
        parts, structured, result, Boolean.TRUE.equals(result.getValue("isError")), null);
  }

  /** For a call without a result: the text lets the model correct the call. */
  public static ToolOutput of(McpFailure failure) {
    String text = failure.code() + ": " + failure.getMessage();
    return new ToolOutput(List.of(Part.ofText(text)), null, new JsonObject(), true, failure);
  }

  private static Part part(JsonObject block) {
    String type = text(block, "type");
    return switch (type) {
      case "text" -> Part.ofText(text(block, "text"));
      case "image", "audio" -> Part.ofMedia(type, text(block, "mimeType"), text(block, "data"));
      case "resource" -> embedded(block);
      case "resource_link" -> {
        String title = text(block, block.containsKey("title") ? "title" : "name");
        yield Part.ofText("[resource " + text(block, "uri") + " " + title + "]");
      }
      default -> Part.ofText(block.encode());
    };
  }

  private static Part embedded(JsonObject block) {
    JsonObject resource =
        block.getValue("resource") instanceof JsonObject known ? known : new JsonObject();
    if (resource.getValue("blob") instanceof String blob) {
      String mimeType = text(resource, "mimeType");
      return Part.ofMedia(
          "resource " + text(resource, "uri"),
          mimeType.isEmpty() ? "application/octet-stream" : mimeType,
          blob);
    }
    return Part.ofText(text(resource, "text"));
  }

  private static String text(JsonObject json, String key) {
    return json.getValue(key) instanceof String text ? text : "";
  }

  /** Whether a text part repeats the structured content, as servers do for older clients. */
  private static boolean repeats(Part part, Object structured, String encoded) {
    String text = part.text().strip();
    if (part.data() != null || !text.startsWith(encoded.substring(0, 1))) {
      return part.data() == null && text.equals(structured);
    }
    try {
      return structured.equals(Json.decodeValue(part.text()));
    } catch (DecodeException e) {
      return false;
    }
  }

  /** {@code _meta} of the result; empty if there is none. */
  public JsonObject meta() {
    return json.getValue("_meta") instanceof JsonObject known ? known : new JsonObject();
  }

  public boolean hasImages() {
    return parts.stream().anyMatch(Part::isImage);
  }

  /** All parts as one text. */
  public String text() {
    return parts.stream().map(Part::text).collect(Collectors.joining("\n"));
  }
}
