package dev.mcpbus.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Reads text files of bounded size; never a device or a pipe, which may have no end. */
final class BoundedFile {

  private BoundedFile() {}

  /**
   * The text of {@code path} without a byte-order mark; empty where it is longer than {@code max}
   * bytes.
   *
   * @throws java.nio.file.NoSuchFileException where there is none
   * @throws java.nio.charset.CharacterCodingException where it is not UTF-8
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
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    return Optional.of(text.startsWith("\uFEFF") ? text.substring(1) : text);
  }
}
