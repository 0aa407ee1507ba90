package dev.mcpbus.observability;

/** Decodes the escapes of JSON strings; never fails. */
final class JsonEscapes {

  private JsonEscapes() {}

  /** The text of the inside of a JSON string; a broken escape stays as it is. */
  static String unescape(String raw) {
    if (raw.indexOf('\\') < 0) {
      return raw;
    }
    StringBuilder out = new StringBuilder(raw.length());
    int i = 0;
    while (i < raw.length()) {
      char c = raw.charAt(i);
      if (c != '\\' || i + 1 == raw.length()) {
        out.append(c);
        i++;
        continue;
      }
      char escape = raw.charAt(i + 1);
      int code = escape == 'u' ? hex(raw, i + 2) : -1;
      if (code >= 0) {
        out.append((char) code);
        i += 6;
      } else {
        out.append(
            switch (escape) {
              case 'n' -> "\n";
              case 'r' -> "\r";
              case 't' -> "\t";
              case 'b' -> "\b";
              case 'f' -> "\f";
              case '"', '\\', '/' -> String.valueOf(escape);
              default -> "\\" + escape;
            });
        i += 2;
      }
    }
    return out.toString();
  }

  private static int hex(String raw, int from) {
    if (from + 4 > raw.length()) {
      return -1;
    }
    int code = 0;
    for (int i = from; i < from + 4; i++) {
      int digit = Character.digit(raw.charAt(i), 16);
      if (digit < 0) {
        return -1;
      }
      code = code * 16 + digit;
    }
    return code;
  }
}
