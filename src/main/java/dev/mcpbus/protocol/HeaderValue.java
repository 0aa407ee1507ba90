package dev.mcpbus.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Values of HTTP headers: of a message (MCP 2026-07-28, Value Encoding), and {@code Retry-After}.
 * Stateless.
 */
public final class HeaderValue {

  private static final String PREFIX = "=?base64?";
  private static final String SUFFIX = "?=";

  private static final Duration MAX_RETRY_AFTER = Duration.ofHours(1);

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

  /**
   * Milliseconds of {@code Retry-After}, at most an hour; -1 if the header is missing or not valid.
   */
  public static long retryAfter(@Nullable String value, InstantSource clock) {
    if (value == null) {
      return -1;
    }
    String text = value.strip();
    if (!text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      long seconds = text.length() > 9 ? Long.MAX_VALUE : Long.parseLong(text);
      return Math.min(seconds, MAX_RETRY_AFTER.toSeconds()) * 1_000;
    }
    try {
      ZonedDateTime at = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME);
      long millis = at.toInstant().toEpochMilli() - clock.millis();
      return Math.max(0, Math.min(millis, MAX_RETRY_AFTER.toMillis()));
    } catch (DateTimeException | ArithmeticException e) {
      return -1;
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
