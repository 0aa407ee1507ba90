package dev.mcpbus.security.oauth;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One file, encrypted with AES-256-GCM, readable by its owner alone. It is replaced whole and at
 * once, so that a crash leaves the old one or the new one; a lock file keeps two processes from
 * overwriting each other. Works on worker threads.
 */
public final class EncryptedFileTokenStore implements TokenStore {

  private static final byte[] MAGIC = "mcpbus-tokens-1\n".getBytes(StandardCharsets.US_ASCII);

  /** Within this process; the lock file does not work between threads. */
  private static final Object MONITOR = new Object();

  private final Vertx vertx;
  private final Path file;
  private final AesGcmSeal seal;

  private EncryptedFileTokenStore(Vertx vertx, Path file, AesGcmSeal seal) {
    this.vertx = vertx;
    this.file = file;
    this.seal = seal;
  }

  /**
   * A store in {@code file}, which need not exist.
   *
   * @param key 32 bytes in Base64
   * @throws IllegalArgumentException where the key is none; does not show it
   */
  public static EncryptedFileTokenStore of(Vertx vertx, Path file, String key) {
    return new EncryptedFileTokenStore(vertx, file.toAbsolutePath(), AesGcmSeal.of(key));
  }

  @Override
  public Future<@Nullable JsonObject> load(String name) {
    return vertx.executeBlocking(
        () -> {
          synchronized (MONITOR) {
            return read().getJsonObject(name);
          }
        },
        false);
  }

  @Override
  public Future<Void> save(String name, JsonObject state) {
    return vertx.executeBlocking(
        () -> {
          synchronized (MONITOR) {
            update(name, state);
          }
          return null;
        },
        false);
  }

  private void update(String name, JsonObject state) throws IOException, GeneralSecurityException {
    Path folder = file.getParent();
    if (folder != null && !Files.isDirectory(folder)) {
      Files.createDirectories(folder, owner(folder, "rwx------"));
    }
    Path lock = file.resolveSibling(file.getFileName() + ".lock");
    try (FileChannel channel =
            FileChannel.open(
                lock,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                owner(lock, "rw-------"));
        var held = channel.lock()) {
      if (held.isValid()) {
        write(read().put(name, state));
      }
    }
  }

  private JsonObject read() throws IOException, GeneralSecurityException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return new JsonObject();
    }
    int head = MAGIC.length;
    if (bytes.length < head || !Arrays.equals(Arrays.copyOf(bytes, MAGIC.length), MAGIC)) {
      throw new IOException("the token file is none of mcpbus: " + file);
    }
    try {
      byte[] sealed = Arrays.copyOfRange(bytes, head, bytes.length);
      return new JsonObject(Buffer.buffer(seal.open(sealed, MAGIC)));
    } catch (GeneralSecurityException | DecodeException e) {
      throw new IOException(
          "the token file was written with another key, or changed: remove it to log in anew");
    }
  }

  private void write(JsonObject all) throws IOException, GeneralSecurityException {
    byte[] sealed = seal.seal(all.toBuffer().getBytes(), MAGIC);
    ByteBuffer bytes =
        ByteBuffer.allocate(MAGIC.length + sealed.length).put(MAGIC).put(sealed).flip();
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.deleteIfExists(next);
    try (FileChannel channel =
        FileChannel.open(
            next,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            owner(next, "rw-------"))) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static FileAttribute<?>[] owner(Path path, String permissions) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : new FileAttribute<?>[0];
  }
}
