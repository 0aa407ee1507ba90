package dev.mcpbus.protocol;

import dev.mcpbus.internals.RawBuffers;
import dev.mcpbus.protocol.MemberIndex.MemberPosition;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One JSON value as its bytes: a slice of an array that is never changed again. Values from the
 * parsers of this package are valid JSON; {@link #checkedObject} checks a caller's bytes.
 * Immutable.
 */
@PublicApi
public final class RawJson {

  public static final RawJson EMPTY_OBJECT = of("{}");
  public static final RawJson NULL = of("null");

  private final byte[] array;
  private final int offset;
  private final int length;
  private final @Nullable MemberIndex index;

  private RawJson(byte[] array, int offset, int length) {
    this(array, offset, length, null);
  }

  private RawJson(byte[] array, int offset, int length, @Nullable MemberIndex index) {
    this.array = array;
    this.offset = offset;
    this.length = length;
    this.index = index;
  }

  /** Trusts that {@code array} has valid JSON between the bounds and never changes. */
  public static RawJson slice(byte[] array, int offset, int length) {
    return new RawJson(array, offset, length);
  }

  /** As {@link #slice}, for an object whose members were indexed when it was parsed. */
  static RawJson indexed(byte[] array, int offset, int length, @Nullable MemberIndex index) {
    return new RawJson(array, offset, length, index);
  }

  /** Trusts that {@code json} is valid. */
  public static RawJson of(String json) {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    return new RawJson(bytes, 0, bytes.length);
  }

  public static RawJson of(JsonObject json) {
    RawJson written = json.isEmpty() ? EMPTY_OBJECT : JsonWriter.write(json);
    return written == null ? ofOwned(json.toBuffer()) : written;
  }

  /**
   * Trusts that {@code json} is valid and never changes; copies only if it is not backed by an
   * array.
   */
  public static RawJson of(Buffer json) {
    return ofOwned(json);
  }

  /** A JSON string value with the text {@code text}. */
  public static RawJson string(String text) {
    byte[] bytes = quoted(text);
    return new RawJson(bytes, 0, bytes.length);
  }

  /** Most strings need no escape; the JSON encoder handles all others. */
  static byte[] quoted(String text) {
    int length = text.length();
    byte[] out = new byte[length + 2];
    out[0] = '"';
    for (int i = 0; i < length; i++) {
      char c = text.charAt(i);
      if (c < 0x20 || c > 0x7E || c == '"' || c == '\\') {
        return Json.encode(text).getBytes(StandardCharsets.UTF_8);
      }
      out[i + 1] = (byte) c;
    }
    out[length + 1] = '"';
    return out;
  }

  /** Takes over a buffer that has no other user; copies only if it is not backed by an array. */
  private static RawJson ofOwned(Buffer buffer) {
    return new RawJson(RawBuffers.array(buffer), RawBuffers.offset(buffer), buffer.length());
  }

  /**
   * Copies and checks a caller's bytes: exactly one JSON object in which no member appears twice at
   * any depth. Line breaks between tokens become blanks, because a line break ends a message on
   * stdio.
   *
   * @throws ProtocolException if the bytes are not one strict JSON object within {@code limits}
   */
  public static RawJson checkedObject(Buffer buffer, ParseLimits limits) throws ProtocolException {
    return UntrustedJson.object(buffer, limits, UntrustedJson.Demand.UNAMBIGUOUS);
  }

  /**
   * As {@link #checkedObject}, for the params of a request: a decisive member ({@link
   * ParamsMembers}) must also have the letter case of MCP.
   */
  public static RawJson checkedParams(Buffer buffer, ParseLimits limits) throws ProtocolException {
    return UntrustedJson.object(buffer, limits, UntrustedJson.Demand.PARAMS);
  }

  /**
   * As {@link #checkedObject}, for a result of a server: duplicate members are allowed, and the
   * reader has to check {@link #ambiguity}.
   */
  public static RawJson checkedResult(Buffer buffer, ParseLimits limits) throws ProtocolException {
    return UntrustedJson.object(buffer, limits, UntrustedJson.Demand.NOTHING);
  }

  /** Names a member that appears twice in this value, at any depth; null if there is none. */
  public @Nullable String ambiguity() {
    return UntrustedJson.ambiguity(array, offset, length);
  }

  /** An array of {@code elements}, each unchanged. */
  public static RawJson array(List<RawJson> elements) {
    int length = 2 + Math.max(0, elements.size() - 1);
    for (RawJson element : elements) {
      length += element.length;
    }
    byte[] out = new byte[length];
    int p = 0;
    out[p++] = '[';
    for (RawJson element : elements) {
      if (p > 1) {
        out[p++] = ',';
      }
      System.arraycopy(element.array, element.offset, out, p, element.length);
      p += element.length;
    }
    out[p] = ']';
    return new RawJson(out, 0, length);
  }

  /** An object of {@code members} in their order, each value unchanged. */
  public static RawJson object(Map<String, RawJson> members) {
    List<RawJson> pairs = new ArrayList<>();
    int length = 2 + Math.max(0, members.size() - 1);
    for (Map.Entry<String, RawJson> member : members.entrySet()) {
      RawJson name = string(member.getKey());
      pairs.add(name);
      pairs.add(member.getValue());
      length += name.length + 1 + member.getValue().length;
    }
    byte[] out = new byte[length];
    int p = 0;
    out[p++] = '{';
    for (int i = 0; i < pairs.size(); i++) {
      if (i > 0) {
        out[p++] = (byte) (i % 2 == 0 ? ',' : ':');
      }
      RawJson part = pairs.get(i);
      System.arraycopy(part.array, part.offset, out, p, part.length);
      p += part.length;
    }
    out[p] = '}';
    return new RawJson(out, 0, length);
  }

  public byte[] array() {
    return array;
  }

  public int offset() {
    return offset;
  }

  public int length() {
    return length;
  }

  public boolean isObject() {
    return length > 1 && array[offset] == '{';
  }

  public boolean isArray() {
    return length > 1 && array[offset] == '[';
  }

  public boolean isString() {
    return length > 1 && array[offset] == '"';
  }

  public boolean isNumber() {
    return length > 0 && (array[offset] == '-' || (array[offset] >= '0' && array[offset] <= '9'));
  }

  public boolean isNull() {
    return length == 4 && array[offset] == 'n';
  }

  /** A buffer over the same bytes, without a copy; do not write to it. */
  public Buffer toBuffer() {
    return RawBuffers.of(array, offset, length);
  }

  /** {@link #toBuffer}, empty for absent params; {@link #ofParams} reads it. */
  public Buffer paramsBuffer() {
    return isAbsent() ? Buffer.buffer() : toBuffer();
  }

  /** The params in a buffer that {@link #paramsBuffer} made. */
  public static RawJson ofParams(Buffer params) {
    return params.length() == 0 ? EMPTY_OBJECT : of(params);
  }

  /** Decodes an object; unknown members and {@code BigInteger} values are kept. */
  public JsonObject toJsonObject() {
    JsonObject read = JsonReader.read(array, offset, length);
    return read == null ? new JsonObject(toBuffer()) : read;
  }

  /** The decoded text of a JSON string. */
  public String asString() {
    if (!isString()) {
      throw new IllegalStateException("not a JSON string");
    }
    return decodeString(array, offset, length);
  }

  /** The value as a long if it is an integer literal that fits, else {@code -1}. */
  public long asLong() {
    if (length == 0 || length > 18) {
      return -1;
    }
    long value = 0;
    for (int i = 0; i < length; i++) {
      int digit = array[offset + i] - '0';
      if (digit < 0 || digit > 9) {
        return -1;
      }
      value = value * 10 + digit;
    }
    return value;
  }

  /** The value as a double if it is a number, else {@code NaN}. */
  public double asDouble() {
    try {
      return isString() ? Double.NaN : Double.parseDouble(toString());
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  /**
   * The value of a direct member of this object, or null; no value is decoded. A member that is
   * written as {@code null} counts as absent, because no member of MCP that mcpbus reads may be
   * null, and many peers write null for what they do not have. Of two members with that name it is
   * the first; only content of a server can have two.
   */
  public @Nullable RawJson member(String name) {
    MemberPosition found = isObject() ? locate(name) : null;
    return found == null || array[found.from()] == 'n'
        ? null
        : new RawJson(array, found.from(), found.to() - found.from());
  }

  /**
   * The same object with an index, for a caller that reads several of its members: the object is
   * scanned once, not once for each member. Any other value is returned unchanged.
   */
  public RawJson indexed() {
    return index == null && isObject()
        ? new RawJson(array, offset, length, MemberSearch.index(array, offset, length))
        : this;
  }

  /**
   * This value with U+FFFD for each escape that is half a surrogate pair, as a text has that was
   * cut within an emoji: many parsers refuse the whole message. The same object if there is none.
   */
  public RawJson wellFormed() {
    byte[] out = MemberName.withoutHalves(array, offset, offset + length);
    return out == null ? this : new RawJson(out, 0, length);
  }

  /** The elements of this array, in order; empty if this is not an array. */
  public List<RawJson> elements() {
    List<RawJson> elements = new ArrayList<>();
    if (!isArray()) {
      return elements;
    }
    try {
      JsonScanner scanner = new JsonScanner(array, offset, length, ParseLimits.CHECKED);
      scanner.expect('[');
      if (scanner.peek() == ']') {
        return elements;
      }
      do {
        scanner.skipWhitespace();
        int from = scanner.position();
        scanner.skipValue(2);
        elements.add(new RawJson(array, from, scanner.position() - from));
      } while (scanner.more(']'));
      return elements;
    } catch (ProtocolException e) {
      throw new IllegalStateException("raw JSON was not checked", e);
    }
  }

  /**
   * The members of this object, in order, each value unchanged; empty if this is not an object. Of
   * two members with one name it is the last.
   */
  public Map<String, RawJson> members() {
    Map<String, RawJson> members = new LinkedHashMap<>();
    if (!isObject()) {
      return members;
    }
    try {
      JsonScanner scanner = new JsonScanner(array, offset, length, ParseLimits.CHECKED);
      if (!scanner.enterObject(1)) {
        return members;
      }
      do {
        int key = scanner.name();
        String name = new String(MemberName.decoded(array, key), StandardCharsets.UTF_8);
        scanner.expect(':');
        scanner.skipWhitespace();
        int from = scanner.position();
        scanner.skipValue(2);
        members.put(name, new RawJson(array, from, scanner.position() - from));
      } while (scanner.more('}'));
      return members;
    } catch (ProtocolException e) {
      throw new IllegalStateException("raw JSON was not checked", e);
    }
  }

  private @Nullable MemberPosition locate(String name) {
    return index == null
        ? MemberSearch.find(array, offset, length, name)
        : index.find(array, offset + length, name);
  }

  /**
   * This object with {@code name} set to {@code value}; all other bytes stay unchanged.
   *
   * @throws IllegalStateException if this is not an object
   */
  public RawJson with(String name, RawJson value) {
    requireObject();
    return MemberSplice.with(this, locate(name), name, value);
  }

  /**
   * As {@link #with}, for a caller that knows that the object has no member {@code name}.
   *
   * @throws IllegalStateException if this is not an object
   */
  public RawJson withNew(String name, RawJson value) {
    requireObject();
    return MemberSplice.with(this, null, name, value);
  }

  /**
   * This object without the member {@code name}; all other members stay unchanged.
   *
   * @throws IllegalStateException if this is not an object
   */
  public RawJson without(String name) {
    requireObject();
    MemberPosition old = locate(name);
    return old == null ? this : MemberSplice.without(this, old);
  }

  /**
   * This object without the members of these names; all other members stay unchanged. One copy, and
   * none if it has none of them.
   *
   * @throws IllegalStateException if this is not an object
   */
  public RawJson without(Set<String> names) {
    requireObject();
    return MemberSplice.without(
        this, index == null ? MemberSearch.index(array, offset, length) : index, names);
  }

  private void requireObject() {
    if (!isObject()) {
      throw new IllegalStateException("not a JSON object");
    }
  }

  static String decodeString(byte[] array, int offset, int length) {
    for (int i = offset + 1; i < offset + length - 1; i++) {
      if (array[i] == '\\') {
        return (String) Json.decodeValue(RawBuffers.of(array, offset, length));
      }
    }
    return new String(array, offset + 1, length - 2, StandardCharsets.UTF_8);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RawJson that
        && Arrays.equals(
            array, offset, offset + length, that.array, that.offset, that.offset + that.length);
  }

  @Override
  public int hashCode() {
    int hash = 1;
    for (int i = offset; i < offset + length; i++) {
      hash = 31 * hash + array[i];
    }
    return hash;
  }

  /**
   * True for {@link #EMPTY_OBJECT} itself, which stands for params that a message does not have; an
   * empty object that a peer wrote is another one.
   */
  @SuppressWarnings("ReferenceEquality") // the instance is what matters
  public boolean isAbsent() {
    return this == EMPTY_OBJECT;
  }

  /** The JSON text. */
  @Override
  public String toString() {
    return new String(array, offset, length, StandardCharsets.UTF_8);
  }
}
