package dev.mcpbus.security;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a request target is a path in normal form (RFC 3986, section 6), with or without a
 * query. Such a path has only one reading: normalisation changes nothing, so the code that decides
 * by the path and the code that routes by it read the same text. Every other target is refused,
 * never repaired. Stateless.
 */
public final class RequestPath {

  /** Characters allowed unencoded besides letters and digits: RFC 3986 without the ';'. */
  private static final String PLAIN = "-._~!$&'()*+,=:@/";

  private static final String UNRESERVED = "-._~";

  private RequestPath() {}

  /**
   * Why a request target is refused, with the remedy; null if it is accepted.
   *
   * @param target as the client sent it: the second word of an HTTP/1.1 request line, {@code :path}
   *     of HTTP/2
   */
  public static @Nullable String problem(@Nullable String target) {
    if (target == null || target.isEmpty() || target.charAt(0) != '/') {
      return "the request target must be a path that begins with '/', not an absolute URL, a name or"
          + " '*'";
    }
    int query = target.indexOf('?');
    int end = query < 0 ? target.length() : query;
    String wrong = path(target, end);
    if (wrong == null && query >= 0) {
      wrong = query(target, query + 1);
    }
    return wrong;
  }

  private static @Nullable String path(String target, int end) {
    int segment = 1;
    boolean encoded = false;
    for (int at = 0; at < end; at++) {
      char c = target.charAt(at);
      if (c == '%') {
        String wrong = escape(target, at, end);
        if (wrong != null) {
          return wrong;
        }
        encoded |= octet(target, at) >= 0x80;
        at += 2;
      } else if (!isAlphanumeric(c) && PLAIN.indexOf(c) < 0) {
        return character(c);
      } else if (c == '/' && at > 0) {
        String wrong = segment(target, segment, at);
        if (wrong != null) {
          return wrong;
        }
        segment = at + 1;
      }
    }
    // The last segment may be empty, as in /api/; a segment between two slashes may not.
    String wrong = segment == end ? null : segment(target, segment, end);
    return wrong != null || !encoded || isUtf8(target, end)
        ? wrong
        : "path: what is percent-encoded must be UTF-8";
  }

  private static @Nullable String segment(String target, int from, int to) {
    int length = to - from;
    if (length == 0) {
      return "path: two slashes with nothing between them; leave one out";
    }
    boolean dots =
        target.charAt(from) == '.'
            && (length == 1 || (length == 2 && target.charAt(from + 1) == '.'));
    return dots ? "path: a segment '.' or '..'; send the path that it leads to" : null;
  }

  private static @Nullable String escape(String target, int at, int end) {
    int octet = at + 2 < end ? octet(target, at) : -1;
    if (octet < 0) {
      return "path: a '%' wants two hexadecimal digits";
    }
    if (octet == '/' || octet == '\\') {
      return "path: an encoded slash or backslash; a name that has one can be called at /rpc, where"
          + " it stands in the body";
    }
    if (octet < 0x20 || octet == 0x7f) {
      return "path: an encoded control character";
    }
    if (isAlphanumeric((char) octet) || UNRESERVED.indexOf(octet) >= 0) {
      return "path: '" + target.substring(at, at + 3) + "' must be written '" + (char) octet + "'";
    }
    return null;
  }

  private static String character(char c) {
    return switch (c) {
      case ';' -> "path: a ';' has no meaning here; write %3B where it is part of a name";
      case '\\' -> "path: a backslash; paths have slashes";
      case '#' -> "path: a fragment; it stays with the client";
      default ->
          c > 0x20 && c < 0x7f
              ? "path: '" + c + "' must be percent-encoded"
              : "path: a character that is not visible ASCII must be percent-encoded, as UTF-8";
    };
  }

  private static @Nullable String query(String target, int from) {
    for (int at = from; at < target.length(); at++) {
      char c = target.charAt(at);
      if (c == '%' && (at + 2 >= target.length() || octet(target, at) < 0)) {
        return "query: a '%' wants two hexadecimal digits";
      }
      if (c <= 0x20 || c >= 0x7f || c == '#') {
        return "query: a fragment, or a character that is not visible ASCII; percent-encode it";
      }
    }
    return null;
  }

  /** The byte of the escape at {@code position}, or -1; two more characters must follow. */
  private static int octet(String target, int position) {
    int high = hexadecimal(target.charAt(position + 1));
    int low = hexadecimal(target.charAt(position + 2));
    return high < 0 || low < 0 ? -1 : (high << 4) + low;
  }

  /** Accepts ASCII digits alone; {@code Character.digit} would accept those of other scripts. */
  private static int hexadecimal(char c) {
    if (c >= '0' && c <= '9') {
      return c - '0';
    }
    char lower = (char) (c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  }

  private static boolean isAlphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }

  /**
   * Invalid UTF-8 is refused: each such sequence would decode to the same replacement character.
   */
  private static boolean isUtf8(String target, int end) {
    byte[] bytes = new byte[end];
    int length = 0;
    for (int at = 0; at < end; at++) {
      boolean escape = target.charAt(at) == '%';
      bytes[length++] = (byte) (escape ? octet(target, at) : target.charAt(at));
      at += escape ? 2 : 0;
    }
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
