package dev.mcpbus.security;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
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

  private static final Set<PosixFilePermission> FOLDER =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
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
    Path folder = Objects.requireNonNull(file.getParent());
    Path next = folder.resolve(file.getFileName() + "." + ProcessHandle.current().pid());
    prepare(folder);
    Files.deleteIfExists(next);
    try {
      // Made with its permissions, and only where nothing is, a link included.
      try (FileChannel channel =
          FileChannel.open(
              next,
              Set.of(
                  StandardOpenOption.CREATE_NEW,
                  StandardOpenOption.WRITE,
                  LinkOption.NOFOLLOW_LINKS),
              attributes(folder, FILE))) {
        ByteBuffer bytes = ByteBuffer.wrap((token + "\n").getBytes(StandardCharsets.US_ASCII));
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }
      checkOwner(folder, next);
      // A rename replaces a link itself, not what it points to.
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(next);
    }
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

  private static void prepare(Path folder) throws IOException {
    Path parent = folder.getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      Files.createDirectories(parent, attributes(folder, FOLDER));
    }
    try {
      Files.createDirectory(folder, attributes(folder, FOLDER));
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
        throw new IOException(folder + " is no folder, or a link; remove it", e);
      }
    }
    if (isPosix(folder)
        && !Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS).equals(FOLDER)) {
      Files.setPosixFilePermissions(folder, FOLDER); // fails where the folder is another user's
    }
  }

  /** Whoever owns the folder can put another file in the place of ours. */
  private static void checkOwner(Path folder, Path mine) throws IOException {
    if (isPosix(folder)
        && !Files.getAttribute(folder, "unix:uid", LinkOption.NOFOLLOW_LINKS)
            .equals(Files.getAttribute(mine, "unix:uid", LinkOption.NOFOLLOW_LINKS))) {
      throw new IOException(
          folder + " belongs to another user; name one of your own in " + FOLDER_VARIABLE);
    }
  }

  private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
    return isPosix(path)
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
        : new FileAttribute<?>[0];
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
