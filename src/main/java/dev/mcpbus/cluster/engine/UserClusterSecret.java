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
 * The secret of clusters on the loopback interface that have no configured one: made once for each
 * user, in a file that only this user can read. So the processes of one user form a cluster, and
 * processes of other users of the machine cannot join it. Blocks; called before the start of the
 * cluster.
 */
final class UserClusterSecret {

  private static final int BYTES = 32;

  private UserClusterSecret() {}

  /** The secret in {@code ~/.mcpbus/cluster.secret}. */
  static ClusterSecret ofUser() throws IOException {
    return in(Path.of(System.getProperty("user.home", "."), ".mcpbus", "cluster.secret"));
  }

  /**
   * Reads the file, or makes it. Blocks.
   *
   * @throws IOException that says what is wrong with the file, and the remedy
   */
  static ClusterSecret in(Path file) throws IOException {
    try {
      return readOrMake(file);
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

  private static ClusterSecret readOrMake(Path file) throws IOException {
    try {
      return read(file);
    } catch (NoSuchFileException absent) {
      make(file);
      return read(file);
    }
  }

  private static ClusterSecret read(Path file) throws IOException {
    String text = Files.readString(file);
    String foreign = PrivateFile.of(file).whyNotOurs(false);
    if (foreign != null) {
      throw new IOException(file + " " + foreign + "; a new one is made where there is none");
    }
    try {
      return ClusterSecret.of(text);
    } catch (IllegalArgumentException e) {
      throw new IOException(file + ": " + e.getMessage() + "; or delete the file", e);
    }
  }

  /** Makes the file; two nodes that start at once use one of the two secrets. */
  private static void make(Path file) throws IOException {
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    String text = Base64.getEncoder().encodeToString(random) + "\n";
    PrivateFile.of(file).create(text.getBytes(StandardCharsets.US_ASCII));
  }
}
