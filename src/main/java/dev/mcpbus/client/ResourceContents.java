package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** The contents of one resource, as text or as bytes. */
@PublicApi
public final class ResourceContents extends JsonView {

  public ResourceContents(JsonObject json) {
    super(json);
  }

  public String uri() {
    return text("uri");
  }

  public @Nullable String mimeType() {
    return textOrNull("mimeType");
  }

  /** Null if the contents are bytes. */
  public @Nullable String text() {
    return textOrNull("text");
  }

  /**
   * The decoded bytes; null if the contents are text.
   *
   * @throws IllegalArgumentException if they are not Base64
   */
  public byte @Nullable [] blob() {
    String blob = textOrNull("blob");
    return blob == null ? null : Base64.getDecoder().decode(blob);
  }
}
