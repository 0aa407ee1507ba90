package dev.mcpbus.cluster.engine;

import dev.mcpbus.bus.ClusterSecret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;
import java.util.UUID;

/**
 * The secret of clusters on the loopback interface that have none of their own: made once for each
 * user, in a file that only he can read. So the processes of one user find each other, and those of
 * another user of the machine are strangers.
 */
final class UserClusterSecret {

  private static final int BYTES = 32;
  private static final Set<PosixFilePermission> OWN =
      Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

  private UserClusterSecret() {}

  /** {@code ~/.mcpbus/cluster.secret}. */
  static ClusterSecret ofUser() throws IOException {
    return in(Path.of(System.getProperty("user.home", "."), ".mcpbus", "cluster.secret"));
  }

  /**
   * Reads it, or makes it. Blocks.
   *
   * @throws IOException that says what is wrong with the file, and the remedy
   */
  static ClusterSecret in(Path file) throws IOException {
    try {
      return kept(file);
    } catch (FileSystemException e) {
      throw new IOException(
          "the secret of this user's nodes cannot be kept in "
              + file
              + " ("
              + e
              + "); let this user write there, or give \"cluster.secretFile\" or the variable"
              + " MCPBUS_CLUSTER_SECRET",
          e);
    }
  }

  private static ClusterSecret kept(Path file) throws IOException {
    try {
      return read(file);
    } catch (NoSuchFileException absent) {
      make(file);
      return read(file);
    }
  }

  private static ClusterSecret read(Path file) throws IOException {
    if (isPosix(file)
        && !OWN.containsAll(Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS))) {
      throw new IOException(
          file
              + " can be read or written by others than its owner; delete it, and a new one is made,"
              + " or: chmod 600 "
              + file);
    }
    try {
      return ClusterSecret.of(Files.readString(file));
    } catch (IllegalArgumentException e) {
      throw new IOException(file + ": " + e.getMessage() + "; or delete the file", e);
    }
  }

  /** Complete before it has its name: two nodes that start at once agree on one of the two. */
  private static void make(Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder, own(file, "rwx------"));
    }
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    String text = Base64.getEncoder().encodeToString(random);
    Path next = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID());
    Files.createFile(next, own(file, "rw-------"));
    try {
      Files.writeString(next, text + "\n", StandardCharsets.US_ASCII);
      named(next, file);
    } finally {
      Files.deleteIfExists(next);
    }
  }

  private static void named(Path next, Path file) throws IOException {
    try {
      Files.createLink(file, next);
    } catch (FileAlreadyExistsException other) {
      // Another node was faster: its secret counts.
    } catch (UnsupportedOperationException noLinks) {
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private static FileAttribute<?>[] own(Path path, String permissions) {
    return isPosix(path)
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }
}
