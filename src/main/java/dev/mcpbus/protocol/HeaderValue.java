package dev.mcpbus.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** Encodes a value of a message for an HTTP header (MCP 2026-07-28, Value Encoding). Stateless. */
public final class HeaderValue {

  private static final String PREFIX = "=?base64?";
  private static final String SUFFIX = "?=";

  private HeaderValue() {}

  /**
   * The text itself if it is plain and cannot be mistaken for the encoded form, else its Base64
   * form.
   */
  public static String encode(String text) {
    if (isPlain(text) && !(text.startsWith(PREFIX) && text.endsWith(SUFFIX))) {
      return text;
    }
    return PREFIX
        + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8))
        + SUFFIX;
  }

  /** Decodes the result of {@link #encode}; null if the value is neither plain nor valid Base64. */
  public static @Nullable String decode(String value) {
    if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) {
      return isPlain(value) ? value : null;
    }
    int end = value.length() - SUFFIX.length();
    if (end < PREFIX.length()) {
      return null;
    }
    try {
      String encoded = value.substring(PREFIX.length(), end);
      byte[] bytes = Base64.getDecoder().decode(encoded);
      if (!Base64.getEncoder().encodeToString(bytes).equals(encoded)) {
        return null; // the decoder accepts missing padding, the encoding does not
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (IllegalArgumentException | CharacterCodingException e) {
      return null;
    }
  }

  private static boolean isPlain(String text) {
    int length = text.length();
    if (length == 0) {
      return true;
    }
    if (isBlank(text.charAt(0)) || isBlank(text.charAt(length - 1))) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if ((c < 0x20 || c > 0x7E) && c != '\t') {
        return false;
      }
    }
    return true;
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }
}
