package dev.mcpbus.cluster.engine;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.internals.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * The secret of clusters on the loopback interface that have none of their own: made once for each
 * user, in a file that this user alone can read. So the processes of one user find each other, and
 * those of another user of the machine are strangers.
 */
final class UserClusterSecret {

  private static final int BYTES = 32;

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
    if (!PrivateFile.of(file).isPrivate()) {
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

  /** Two nodes that start at once agree on one of the two. */
  private static void make(Path file) throws IOException {
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    String text = Base64.getEncoder().encodeToString(random) + "\n";
    PrivateFile.of(file).create(text.getBytes(StandardCharsets.US_ASCII));
  }
}
