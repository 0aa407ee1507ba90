package dev.mcpbus.protocol;

import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/** Checks bytes of unknown content and creates values from them. Stateless. */
final class UntrustedJson {

  private UntrustedJson() {}

  /** What an object must fulfil in addition to being valid. */
  enum Demand {
    NOTHING,
    /** No member appears twice, at any depth. */
    UNAMBIGUOUS,
    /** The rules for params of a request: {@link ParamsMembers}. */
    PARAMS
  }

  /** Copies one JSON object and puts it on one line. */
  static RawJson object(Buffer buffer, ParseLimits limits, Demand demand) throws ProtocolException {
    byte[] bytes = buffer.getBytes();
    if (bytes.length > limits.maxBytes()) {
      throw new ProtocolException(
          ProtocolException.TextFault.TOO_LARGE,
          limits.maxBytes(),
          bytes.length + " bytes are more than the limit of " + limits.maxBytes());
    }
    JsonScanner scanner = new JsonScanner(bytes, 0, bytes.length, limits);
    if (scanner.peek() != '{') {
      throw scanner.fail(ProtocolException.TextFault.NOT_JSON, "expected a JSON object");
    }
    int from = scanner.position();
    switch (demand) {
      case NOTHING -> scanner.skipValue(1);
      case UNAMBIGUOUS -> scanner.skipUnambiguous(1);
      case PARAMS -> ParamsMembers.skip(scanner, bytes, 1);
    }
    int to = scanner.position();
    scanner.expectEnd();
    ProtocolException ambiguity = scanner.ambiguity();
    if (ambiguity != null) {
      throw ambiguity;
    }
    if (scanner.hasLineBreak()) {
      onOneLine(bytes, from, to);
    }
    return RawJson.indexed(bytes, from, to - from, scanner.index(from));
  }

  private static void onOneLine(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] == '\n' || bytes[i] == '\r') {
        bytes[i] = ' ';
      }
    }
  }

  /** Names a member of a valid value that appears twice; null if there is none. */
  static @Nullable String ambiguity(byte[] array, int offset, int length) {
    JsonScanner scanner = new JsonScanner(array, offset, length, ParseLimits.CHECKED);
    try {
      scanner.skipUnambiguous(1);
    } catch (ProtocolException e) {
      throw new IllegalStateException("raw JSON was not checked", e);
    }
    ProtocolException found = scanner.ambiguity();
    return found == null ? null : found.getMessage();
  }
}
