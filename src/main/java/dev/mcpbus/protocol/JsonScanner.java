package dev.mcpbus.protocol;

import static dev.mcpbus.protocol.ProtocolException.TextFault.DUPLICATE_KEY;
import static dev.mcpbus.protocol.ProtocolException.TextFault.INVALID_UTF8;
import static dev.mcpbus.protocol.ProtocolException.TextFault.NOT_JSON;
import static dev.mcpbus.protocol.ProtocolException.TextFault.NUMBER_TOO_LONG;
import static dev.mcpbus.protocol.ProtocolException.TextFault.TOO_DEEP;
import static dev.mcpbus.protocol.ProtocolException.TextFault.TRAILING_BYTES;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * One strict pass over JSON bytes (RFC 8259): it checks grammar, UTF-8, depth and number length and
 * creates no values. The caller moves the cursor from value to value and keeps offsets. Single
 * owner: the parser that created it.
 *
 * <p>Inside {@link #skipUnambiguous} it also detects members that appear twice. The first such
 * member does not end the pass, because the message is known only at the end; {@link #ambiguity()}
 * returns it.
 */
final class JsonScanner {

  /** Per byte inside a string: 0 plain, 1 quote, 2 backslash, 3 control, 4 start of multi-byte. */
  private static final byte[] IN_STRING = new byte[256];

  static {
    for (int i = 0; i < 0x20; i++) {
      IN_STRING[i] = 3;
    }
    for (int i = 0x80; i < 256; i++) {
      IN_STRING[i] = 4;
    }
    IN_STRING['"'] = 1;
    IN_STRING['\\'] = 2;
  }

  private final byte[] bytes;
  private final int start;
  private final int end;
  private final ParseLimits limits;
  private int position;
  private boolean plain = true;
  private boolean lineBreak;
  private boolean unambiguous;
  private @Nullable DuplicateMembers names;
  private @Nullable ProtocolException ambiguity;

  JsonScanner(byte[] bytes, int offset, int length, ParseLimits limits) {
    this.bytes = bytes;
    this.start = offset;
    this.end = offset + length;
    this.limits = limits;
    this.position = offset;
  }

  int position() {
    return position;
  }

  void skipByteOrderMark() {
    if (end - position >= 3
        && bytes[position] == (byte) 0xEF
        && bytes[position + 1] == (byte) 0xBB
        && bytes[position + 2] == (byte) 0xBF) {
      position += 3;
    }
  }

  void skipWhitespace() {
    while (position < end) {
      byte b = bytes[position];
      if (b == '\n' || b == '\r') {
        lineBreak = true;
      } else if (b != ' ' && b != '\t') {
        return;
      }
      position++;
    }
  }

  /** Whether there was a line break between the tokens so far; strings contain none. */
  boolean hasLineBreak() {
    return lineBreak;
  }

  /** Skips blanks and returns the byte under the cursor, or -1 at the end. */
  int peek() {
    skipWhitespace();
    return position < end ? bytes[position] & 0xFF : -1;
  }

  void expect(char wanted) throws ProtocolException {
    int found = peek();
    if (found != wanted) {
      throw fail(NOT_JSON, "expected '" + wanted + "' but found " + describe(found));
    }
    position++;
  }

  /** After a member or element: true on a comma, false on {@code close}, both consumed. */
  boolean more(char close) throws ProtocolException {
    int found = peek();
    position++;
    if (found == ',') {
      return true;
    }
    if (found == close) {
      return false;
    }
    position--;
    throw fail(NOT_JSON, "expected ',' or '" + close + "' but found " + describe(found));
  }

  void expectEnd() throws ProtocolException {
    if (peek() != -1) {
      throw fail(TRAILING_BYTES, "unexpected text after the end of the message");
    }
  }

  void skipValue(int depth) throws ProtocolException {
    int first = peek();
    switch (first) {
      case '{' -> skipObject(depth);
      case '[' -> skipArray(depth);
      case '"' -> skipString();
      case 't' -> skipLiteral("true");
      case 'f' -> skipLiteral("false");
      case 'n' -> skipLiteral("null");
      default -> skipNumber(first);
    }
  }

  /** As {@link #skipValue}; also records a member that appears twice, at any depth. */
  void skipUnambiguous(int depth) throws ProtocolException {
    boolean before = unambiguous;
    unambiguous = true;
    skipValue(depth);
    unambiguous = before;
  }

  /** The first recorded ambiguity; null if there is none. */
  @Nullable ProtocolException ambiguity() {
    return ambiguity;
  }

  /** Records that the member whose name is at {@code key} appears twice. */
  void ambiguous(int key) {
    ambiguous(key, "stands twice");
  }

  /** Adds the name between {@code key} and the cursor to the names of its object. */
  void addName(DuplicateMembers known, int object, int key) {
    int found = known.add(object, key, position, plain);
    if (found == DuplicateMembers.BROKEN) {
      ambiguous(key, "has half a surrogate pair in its name");
    } else if (found != DuplicateMembers.NEW) {
      ambiguous(key);
    }
  }

  /** Records that some parsers read the member whose name is at {@code key} as {@code name}. */
  void misspelt(int key, String name) {
    ambiguous(key, "must be written \"" + name + "\"");
  }

  /** Records the first ambiguity; later ones are ignored. */
  private void ambiguous(int key, String why) {
    if (ambiguity == null) {
      ambiguity =
          new ProtocolException(
              DUPLICATE_KEY,
              Math.max(0, key - start),
              "member " + MemberName.shown(bytes, key) + " " + why);
    }
  }

  /** Null once an ambiguity is recorded, because further ones are ignored. */
  @Nullable DuplicateMembers names() {
    if (ambiguity != null) {
      return null;
    }
    if (names == null) {
      names = new DuplicateMembers(bytes);
    }
    return names;
  }

  /**
   * The index of the object that begins at {@code from}, if it was the last that was skipped, with
   * the search for duplicate members. Null if there is no index: the object has no member, one of
   * them twice, or more than an index supports.
   */
  @Nullable MemberIndex index(int from) {
    return names == null || ambiguity != null ? null : names.index(from);
  }

  /** Skips the name of a member; returns the position of its opening quote. */
  int name() throws ProtocolException {
    if (peek() != '"') {
      throw fail(NOT_JSON, "expected a member name");
    }
    int from = position;
    skipString();
    return from;
  }

  /** Whether the last skipped string is ASCII without escapes: its bytes are its text. */
  boolean isPlain() {
    return plain;
  }

  /** Enters the object under the cursor; true if it has a member. */
  boolean enterObject(int depth) throws ProtocolException {
    checkDepth(depth);
    expect('{');
    if (peek() != '}') {
      return true;
    }
    position++;
    return false;
  }

  private void skipObject(int depth) throws ProtocolException {
    if (!enterObject(depth)) {
      return;
    }
    DuplicateMembers known = unambiguous ? names() : null;
    int object = known == null ? 0 : known.open();
    do {
      int key = name();
      if (known != null) {
        addName(known, object, key);
      }
      expect(':');
      skipValue(depth + 1);
    } while (more('}'));
    if (known != null) {
      int twice = known.close(object);
      if (twice >= 0) {
        ambiguous(twice);
      }
    }
  }

  private void skipArray(int depth) throws ProtocolException {
    checkDepth(depth);
    position++;
    if (peek() == ']') {
      position++;
      return;
    }
    do {
      skipValue(depth + 1);
    } while (more(']'));
  }

  private void checkDepth(int depth) throws ProtocolException {
    if (depth > limits.maxDepth()) {
      throw fail(TOO_DEEP, "nested deeper than " + limits.maxDepth() + " levels");
    }
  }

  /** Skips the string whose opening quote is under the cursor. */
  void skipString() throws ProtocolException {
    int p = position + 1;
    boolean isPlain = true;
    while (p < end) {
      switch (IN_STRING[bytes[p] & 0xFF]) {
        case 0 -> p++;
        case 1 -> {
          position = p + 1;
          plain = isPlain;
          return;
        }
        case 2 -> {
          p = skipEscape(p);
          isPlain = false;
        }
        case 3 -> {
          position = p;
          throw fail(NOT_JSON, "control character inside a string");
        }
        default -> {
          p = skipMultiByte(p);
          isPlain = false;
        }
      }
    }
    position = end;
    throw fail(NOT_JSON, "string without an end");
  }

  private int skipEscape(int p) throws ProtocolException {
    if (p + 1 < end) {
      switch (bytes[p + 1]) {
        case '"', '\\', '/', 'b', 'f', 'n', 'r', 't' -> {
          return p + 2;
        }
        case 'u' -> {
          if (p + 5 < end
              && isHex(bytes[p + 2])
              && isHex(bytes[p + 3])
              && isHex(bytes[p + 4])
              && isHex(bytes[p + 5])) {
            return p + 6;
          }
        }
        default -> {}
      }
    }
    position = p;
    throw fail(NOT_JSON, "invalid escape inside a string");
  }

  private static boolean isHex(byte b) {
    return (b >= '0' && b <= '9') || (b >= 'a' && b <= 'f') || (b >= 'A' && b <= 'F');
  }

  /** Well-formed sequences only (RFC 3629): no overlong forms, no surrogates, up to U+10FFFF. */
  private int skipMultiByte(int p) throws ProtocolException {
    int first = bytes[p] & 0xFF;
    int low = 0x80;
    int high = 0xBF;
    int more;
    if (first >= 0xC2 && first <= 0xDF) {
      more = 1;
    } else if (first >= 0xE0 && first <= 0xEF) {
      more = 2;
      low = first == 0xE0 ? 0xA0 : 0x80;
      high = first == 0xED ? 0x9F : 0xBF;
    } else if (first >= 0xF0 && first <= 0xF4) {
      more = 3;
      low = first == 0xF0 ? 0x90 : 0x80;
      high = first == 0xF4 ? 0x8F : 0xBF;
    } else {
      position = p;
      throw fail(INVALID_UTF8, "byte " + describe(first) + " cannot start a UTF-8 character");
    }
    for (int i = 1; i <= more; i++) {
      int next = p + i < end ? bytes[p + i] & 0xFF : -1;
      if (next < low || next > high) {
        position = p;
        throw fail(INVALID_UTF8, "broken UTF-8 character");
      }
      low = 0x80;
      high = 0xBF;
    }
    return p + more + 1;
  }

  private void skipLiteral(String literal) throws ProtocolException {
    for (int i = 0; i < literal.length(); i++) {
      if (position + i >= end || bytes[position + i] != literal.charAt(i)) {
        throw fail(NOT_JSON, "expected " + literal);
      }
    }
    position += literal.length();
  }

  private void skipNumber(int first) throws ProtocolException {
    int from = position;
    if (first == '-') {
      position++;
    }
    if (position < end && bytes[position] == '0') {
      position++;
    } else {
      skipDigits(from);
    }
    if (position < end && bytes[position] == '.') {
      position++;
      skipDigits(from);
    }
    if (position < end && (bytes[position] == 'e' || bytes[position] == 'E')) {
      position++;
      if (position < end && (bytes[position] == '+' || bytes[position] == '-')) {
        position++;
      }
      skipDigits(from);
    }
  }

  private void skipDigits(int from) throws ProtocolException {
    int digits = position;
    while (position < end && bytes[position] >= '0' && bytes[position] <= '9') {
      position++;
      if (position - from > limits.maxNumberLength()) {
        throw fail(NUMBER_TOO_LONG, "number longer than " + limits.maxNumberLength() + " bytes");
      }
    }
    if (digits == position) {
      throw fail(
          NOT_JSON, "expected a JSON value but found " + describe(position < end ? peekRaw() : -1));
    }
  }

  private int peekRaw() {
    return bytes[position] & 0xFF;
  }

  /** Whether the string in [{@code begin}, {@code end}), quotes included, is {@code text}. */
  boolean matches(int begin, int end, String text) {
    int length = end - begin - 2;
    if (length != text.length()) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (bytes[begin + 1 + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  ProtocolException fail(ProtocolException.TextFault reason, String message) {
    return new ProtocolException(reason, Math.max(0, position - start), message);
  }

  private static String describe(int b) {
    if (b < 0) {
      return "the end";
    }
    if (b > 0x20 && b < 0x7F) {
      return "'" + new String(new byte[] {(byte) b}, StandardCharsets.US_ASCII) + "'";
    }
    return String.format("0x%02X", b);
  }
}
