package dev.mcpbus.security;

import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A signed JWT (RFC 7519, JWS compact form) as it was read: nobody has verified it yet, so it is of
 * use to choose the key alone.
 *
 * @param header without {@code crit} and {@code b64}, with an algorithm
 * @param signed the text that the signature is over
 */
public record UnverifiedToken(
    JsonObject header, JsonObject claims, String signed, Buffer signature) {

  /** Characters. Longer texts are refused before decoding. */
  private static final int MAX_LENGTH = 16 * 1024;

  private static final int PARTS = 3;

  /** Null for all that is not exactly that. */
  public static @Nullable UnverifiedToken read(String text) {
    String[] parts = text.length() > MAX_LENGTH ? new String[0] : text.split("\\.", PARTS + 1);
    JsonObject header = parts.length == PARTS && !parts[2].isEmpty() ? object(parts[0]) : null;
    JsonObject claims = header == null ? null : object(parts[1]);
    byte[] signature = claims == null ? null : bytes(parts[2]);
    if (header == null
        || claims == null
        || signature == null
        || header.containsKey("crit")
        || header.containsKey("b64")
        || !(header.getValue("alg") instanceof String)) {
      return null;
    }
    return new UnverifiedToken(header, claims, parts[0] + "." + parts[1], Buffer.buffer(signature));
  }

  /** The algorithm that the header names. */
  public String algorithm() {
    return header.getString("alg");
  }

  /**
   * The strict reading of one part: an object in which no member stands twice, so the claims that
   * are decided on are those that every reader finds. Null for all else.
   */
  public static @Nullable JsonObject object(String part) {
    byte[] text = bytes(part);
    try {
      return text == null
          ? null
          : RawJson.checkedObject(Buffer.buffer(text), ParseLimits.DEFAULT).toJsonObject();
    } catch (IllegalArgumentException | ProtocolException e) {
      return null;
    }
  }

  private static byte @Nullable [] bytes(String part) {
    try {
      return Base64.getUrlDecoder().decode(part);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** Without the claims, and nothing to repeat. */
  @Override
  public String toString() {
    return "UnverifiedToken[" + algorithm() + "]";
  }
}
