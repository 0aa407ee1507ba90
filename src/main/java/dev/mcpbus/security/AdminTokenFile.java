package dev.mcpbus.security;

import dev.mcpbus.internals.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The admin token of each mcpbus that a user runs, in one file for each port: {@code
 * ~/.mcpbus/admin/8790}. The folder and the files are their user's alone from the moment on that
 * they exist. Our own commands, and scripts, find the token here.
 *
 * <p>This keeps other users out. A process of the same user can read the file, as it can read and
 * write everything of that user. Blocking: for threads that may wait.
 */
public final class AdminTokenFile {

  /** The folder, default {@code ~/.mcpbus/admin}. */
  public static final String FOLDER_VARIABLE = "MCPBUS_ADMIN_FOLDER";

  private static final int MAX_BYTES = 256;

  private final Path file;

  private AdminTokenFile(Path file) {
    this.file = file;
  }

  /** That of the mcpbus which listens, or is to listen, on {@code port}; it need not exist. */
  public static AdminTokenFile of(int port, Map<String, String> variables) {
    String named = variables.getOrDefault(FOLDER_VARIABLE, "");
    Path folder =
        named.isBlank()
            ? Path.of(System.getProperty("user.home", "."), ".mcpbus", "admin")
            : Path.of(named);
    return new AdminTokenFile(folder.toAbsolutePath().resolve(Integer.toString(port)));
  }

  public Path path() {
    return file;
  }

  /**
   * Writes the token, in place of what another run has left.
   *
   * @throws IOException where it cannot be kept so that nobody else reads it
   */
  public void write(String token) throws IOException {
    PrivateFile.inOwnFolder(file, "name one of your own in " + FOLDER_VARIABLE)
        .replace((token + "\n").getBytes(StandardCharsets.US_ASCII));
  }

  /** The token of the mcpbus that runs there; empty where there is none, or the file is not one. */
  public Optional<String> read() throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
      ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
        // until the end, or the bound
      }
      String text =
          new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII).strip();
      return text.startsWith(ApiKeys.PREFIX) ? Optional.of(text) : Optional.empty();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Removes the file, unless another mcpbus has taken its place. */
  public void remove(String token) throws IOException {
    if (read().filter(token::equals).isPresent()) {
      Files.deleteIfExists(file);
    }
  }
}
