package dev.mcpbus.security.oauth;

import dev.mcpbus.internals.PrivateFile;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Stores tokens in one file, encrypted with AES-256-GCM and readable by its owner alone. The file
 * is replaced as a whole, so after a crash it holds the old or the new content; a lock file
 * prevents concurrent writes of two processes. Runs on worker threads.
 */
final class EncryptedFileTokenStore implements TokenStore {

  private static final byte[] MAGIC = "mcpbus-tokens-1\n".getBytes(StandardCharsets.US_ASCII);

  private final Vertx vertx;
  private final PrivateFile file;
  private final AesGcmSeal seal;
  private final String source;

  /** A store in {@code file}, which need not exist. */
  EncryptedFileTokenStore(Vertx vertx, Path file, KeptKey key) {
    this.vertx = vertx;
    this.file = PrivateFile.of(file);
    this.seal = key.seal();
    this.source = key.source();
  }

  @Override
  public Future<@Nullable JsonObject> load(String name) {
    return vertx.executeBlocking(() -> read().getJsonObject(name), false);
  }

  @Override
  public Future<Void> save(String name, JsonObject state) {
    return vertx.executeBlocking(
        () -> {
          file.update(() -> sealed(read().put(name, state)));
          return null;
        },
        false);
  }

  private JsonObject read() throws IOException, GeneralSecurityException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file.path());
    } catch (NoSuchFileException e) {
      return new JsonObject();
    }
    int head = MAGIC.length;
    if (bytes.length < head || !Arrays.equals(Arrays.copyOf(bytes, MAGIC.length), MAGIC)) {
      throw new IOException(
          "not a token file of mcpbus: " + file.path() + "; remove it or set another path");
    }
    try {
      byte[] sealed = Arrays.copyOfRange(bytes, head, bytes.length);
      return new JsonObject(Buffer.buffer(seal.open(sealed, MAGIC)));
    } catch (GeneralSecurityException | DecodeException e) {
      throw new IOException(
          file.path()
              + " was sealed with another key than that of "
              + source
              + ", or changed: set "
              + TokenStoreProvider.KEY_VARIABLE
              + " to its key, or remove it to log in anew");
    }
  }

  private byte[] sealed(JsonObject all) throws GeneralSecurityException {
    byte[] sealed = seal.seal(all.toBuffer().getBytes(), MAGIC);
    return ByteBuffer.allocate(MAGIC.length + sealed.length).put(MAGIC).put(sealed).array();
  }
}
