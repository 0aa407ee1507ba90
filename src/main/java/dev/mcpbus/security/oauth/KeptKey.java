package dev.mcpbus.security.oauth;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.internals.PrivateFile;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;

/**
 * The key with which mcpbus seals what it keeps, 32 bytes: that of {@code MCPBUS_TOKEN_KEY}, else
 * in a cluster one that each node makes of the cluster's secret, else one that mcpbus makes once
 * and keeps in a file of the user alone, beside the file of tokens. So it is the same on all nodes
 * and after a restart. Immutable; any thread may call.
 */
public final class KeptKey {

  private static final String CLUSTER_PURPOSE = "tokens";

  private final byte[] root;
  private final String source;

  private KeptKey(byte[] root, String source) {
    this.root = root;
    this.source = source;
  }

  /**
   * Reads the key on a worker thread, or makes it.
   *
   * @param variables of the environment, of which {@link TokenStoreProvider#KEY_VARIABLE} and
   *     {@link TokenStoreProvider#FILE_VARIABLE} count
   * @return fails with a {@link FileSystemException} where the file can be neither read nor made,
   *     and with another {@link IOException} where it is not this user's alone or has no key; the
   *     message names the remedy
   * @throws IllegalArgumentException if the variable has no key; the message does not show it
   */
  public static Future<KeptKey> of(Vertx vertx, Map<String, String> variables) {
    String given = variables.getOrDefault(TokenStoreProvider.KEY_VARIABLE, "");
    if (!given.isBlank()) {
      return Future.succeededFuture(
          new KeptKey(AesGcmSeal.bytes(given), TokenStoreProvider.KEY_VARIABLE));
    }
    ClusterSecret secret = ClusterSecret.find(vertx);
    if (secret != null) {
      return Future.succeededFuture(
          new KeptKey(secret.key(CLUSTER_PURPOSE), "the key that is made of the cluster's secret"));
    }
    String named = variables.getOrDefault(TokenStoreProvider.FILE_VARIABLE, "");
    Path tokens = file(variables);
    Path file = tokens.resolveSibling(tokens.getFileName() + ".key");
    return vertx.executeBlocking(() -> in(file, !named.isBlank()), false);
  }

  /** The file of tokens that the variables name. */
  static Path file(Map<String, String> variables) {
    String named = variables.getOrDefault(TokenStoreProvider.FILE_VARIABLE, "");
    return (named.isBlank()
            ? Path.of(System.getProperty("user.home", "."), ".mcpbus", "tokens")
            : Path.of(named))
        .toAbsolutePath();
  }

  /**
   * Blocks.
   *
   * @param orGroup as of {@link PrivateFile#whyNotOurs}
   */
  private static KeptKey in(Path file, boolean orGroup) throws IOException {
    try {
      return read(file, orGroup);
    } catch (NoSuchFileException absent) {
      return made(file, orGroup);
    }
  }

  /** Two processes that make the file at once use one of the two keys. */
  private static KeptKey made(Path file, boolean orGroup) throws IOException {
    try {
      String text = Base64.getEncoder().encodeToString(OAuthDigests.random(AesGcmSeal.KEY_BYTES));
      PrivateFile.of(file).create((text + "\n").getBytes(StandardCharsets.US_ASCII));
      return read(file, orGroup);
    } catch (FileSystemException e) {
      throw unusable(file, e);
    }
  }

  private static KeptKey read(Path file, boolean orGroup) throws IOException {
    try {
      String text = Files.readString(file, StandardCharsets.ISO_8859_1);
      String foreign = PrivateFile.of(file).whyNotOurs(orGroup);
      if (foreign != null) {
        throw new IOException(
            "the key of the tokens: "
                + file
                + " "
                + foreign
                + "; a new one is made where there is none");
      }
      return new KeptKey(AesGcmSeal.bytes(text), file.toString());
    } catch (NoSuchFileException absent) {
      throw absent;
    } catch (FileSystemException e) {
      throw unusable(file, e);
    } catch (IllegalArgumentException e) {
      throw new IOException(
          file + " has no key; restore it, or remove it and the tokens beside it to log in anew",
          e);
    }
  }

  private static FileSystemException unusable(Path file, FileSystemException why) {
    FileSystemException named =
        new FileSystemException(
            file.toString(),
            null,
            "the key of the tokens cannot be kept there ("
                + why
                + "); let this user write there, or set "
                + TokenStoreProvider.FILE_VARIABLE
                + " or "
                + TokenStoreProvider.KEY_VARIABLE);
    named.initCause(why);
    return named;
  }

  /**
   * A key of 32 bytes for one purpose, from which neither this key nor those of other purposes can
   * be found: the same on all nodes and after a restart.
   *
   * @param purpose each purpose has its own key
   */
  public byte[] derived(String purpose) {
    return ClusterSecret.hmac(root).doFinal(("key " + purpose).getBytes(StandardCharsets.UTF_8));
  }

  /** Seals for one purpose, with the key that is {@link #derived} for it. */
  public AesGcmSeal seal(String purpose) {
    return AesGcmSeal.of(derived(purpose));
  }

  /** Seals tokens: with this key itself, as those do that were stored under a given key. */
  AesGcmSeal seal() {
    return AesGcmSeal.of(root);
  }

  /** Where the key comes from, for messages. */
  String source() {
    return source;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KeptKey key && Arrays.equals(root, key.root);
  }

  @Override
  public int hashCode() {
    return CLUSTER_PURPOSE.hashCode(); // reveals nothing about the key
  }

  @Override
  public String toString() {
    return "***";
  }
}
