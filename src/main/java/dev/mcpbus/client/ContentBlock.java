package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** One block of the content of a tool's result or of a message in a prompt. */
@PublicApi
public final class ContentBlock extends JsonView {

  public ContentBlock(JsonObject json) {
    super(json);
  }

  /** {@code text}, {@code image}, {@code audio}, {@code resource} or {@code resource_link}. */
  public String type() {
    return text("type");
  }

  /** The text of a text block or of an embedded resource; null if it has none. */
  public @Nullable String text() {
    ResourceContents resource = resource();
    return resource == null ? textOrNull("text") : resource.text();
  }

  /**
   * The decoded bytes of an image, of audio or of an embedded resource; null if it has none.
   *
   * @throws IllegalArgumentException if they are not Base64
   */
  public byte @Nullable [] data() {
    ResourceContents resource = resource();
    String data = textOrNull("data");
    return resource != null
        ? resource.blob()
        : data == null ? null : Base64.getDecoder().decode(data);
  }

  public @Nullable String mimeType() {
    ResourceContents resource = resource();
    return resource == null ? textOrNull("mimeType") : resource.mimeType();
  }

  /** The embedded resource of a block {@code resource}; null in other blocks. */
  public @Nullable ResourceContents resource() {
    return json().getValue("resource") instanceof JsonObject resource
        ? new ResourceContents(resource)
        : null;
  }

  /** The resource to which a block {@code resource_link} leads; null in other blocks. */
  public @Nullable McpResource link() {
    return type().equals("resource_link") ? new McpResource(json()) : null;
  }
}
