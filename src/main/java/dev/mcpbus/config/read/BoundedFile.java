package dev.mcpbus.config.read;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/** Reads text files up to a given size; refuses devices and pipes, which may be endless. Blocks. */
final class BoundedFile {

  private BoundedFile() {}

  /**
   * The text of {@code path} without a byte-order mark; empty if it is longer than {@code max}
   * bytes.
   *
   * @throws java.nio.file.NoSuchFileException if the file does not exist
   * @throws NotUtf8Exception if it is not UTF-8
   */
  static Optional<String> read(Path path, int max) throws IOException {
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw new IOException("not a regular file");
    }
    byte[] bytes;
    try (InputStream in = Files.newInputStream(path)) {
      bytes = in.readNBytes(max + 1);
    }
    if (bytes.length > max) {
      return Optional.empty();
    }
    String text = decoded(bytes);
    return Optional.of(text.startsWith("\uFEFF") ? text.substring(1) : text);
  }

  private static String decoded(byte[] bytes) throws NotUtf8Exception {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    CharBuffer out = CharBuffer.allocate(bytes.length);
    CoderResult result = StandardCharsets.UTF_8.newDecoder().decode(in, out, true);
    if (result.isError()) {
      throw new NotUtf8Exception(bytes, in.position());
    }
    return out.flip().toString();
  }

  /** The file has another encoding; the message says which, or where it shows. */
  static final class NotUtf8Exception extends IOException {
    private static final long serialVersionUID = 1L;

    NotUtf8Exception(byte[] bytes, int at) {
      super(describe(bytes, at));
    }

    /** Such as {@code is not UTF-8: line 3 has the byte 0xE9}. */
    private static String describe(byte[] bytes, int at) {
      int first = bytes[0] & 0xFF;
      int second = bytes.length > 1 ? bytes[1] & 0xFF : 0;
      if ((first == 0xFF && second == 0xFE) || (first == 0xFE && second == 0xFF)) {
        return "is UTF-16, not UTF-8";
      }
      int line = 1;
      for (int i = 0; i < at; i++) {
        line += bytes[i] == '\n' ? 1 : 0;
      }
      return String.format(
          Locale.ROOT, "is not UTF-8: line %d has the byte 0x%02X", line, bytes[at] & 0xFF);
    }
  }
}
