package dev.mcpbus.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Reads text files up to a given size; refuses devices and pipes, which may be endless. Blocks. */
final class BoundedFile {

  private BoundedFile() {}

  /**
   * The text of {@code path} without a byte-order mark; empty if it is longer than {@code max}
   * bytes.
   *
   * @throws java.nio.file.NoSuchFileException if the file does not exist
   * @throws java.nio.charset.CharacterCodingException if it is not UTF-8
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
