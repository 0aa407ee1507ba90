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
 * The file that holds the admin token of a running mcpbus: one file per port, for example {@code
 * ~/.mcpbus/admin/8790}. The folder and the files are readable by their user alone from the moment
 * at which they are created. The commands of mcpbus, and scripts, read the token here.
 *
 * <p>This keeps other users out. A process of the same user can read the file, as it can read and
 * write all of that user's files. All methods block: call them on worker threads.
 */
public final class AdminTokenFile {

  /** Names the folder; default {@code ~/.mcpbus/admin}. */
  public static final String FOLDER_VARIABLE = "MCPBUS_ADMIN_FOLDER";

  private static final int MAX_BYTES = 256;

  private final Path file;

  private AdminTokenFile(Path file) {
    this.file = file;
  }

  /**
   * The file of the mcpbus that listens, or will listen, on {@code port}; the file need not exist.
   */
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
   * Writes the token and replaces the file that an earlier run left.
   *
   * @throws IOException if the file cannot be kept unreadable for other users
   */
  public void write(String token) throws IOException {
    PrivateFile.inOwnFolder(file, "set a folder of your own in " + FOLDER_VARIABLE)
        .replace((token + "\n").getBytes(StandardCharsets.US_ASCII));
  }

  /** The token in the file; empty if there is no file or it holds no token. */
  public Optional<String> read() throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
      ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
        // reads up to the end or the bound
      }
      String text =
          new String(bytes.array(), 0, bytes.position(), StandardCharsets.US_ASCII).strip();
      return text.startsWith(ApiKeys.PREFIX) ? Optional.of(text) : Optional.empty();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Removes the file if it still holds {@code token}; another mcpbus may have replaced it. */
  public void remove(String token) throws IOException {
    if (read().filter(token::equals).isPresent()) {
      Files.deleteIfExists(file);
    }
  }
}
