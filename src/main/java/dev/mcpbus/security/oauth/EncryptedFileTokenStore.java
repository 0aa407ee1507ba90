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
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Stores tokens in one file, encrypted with AES-256-GCM and readable by its owner alone. The file
 * is replaced as a whole, so after a crash it holds the old or the new content; a lock file
 * prevents concurrent writes of two processes. Runs on worker threads.
 */
final class EncryptedFileTokenStore implements TokenStore {

  private static final byte[] MAGIC = "mcpbus-tokens-1\n".getBytes(StandardCharsets.US_ASCII);

  /** Each use reads the whole file. */
  private static final int MAX_BYTES = 64 * 1024 * 1024;

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
    return update(all -> all.put(name, state)).mapEmpty();
  }

  @Override
  public Future<Void> remove(String name) {
    return update(all -> all.remove(name)).mapEmpty();
  }

  @Override
  public Future<Map<String, JsonObject>> list(String prefix) {
    return vertx.executeBlocking(
        () -> {
          JsonObject all = read();
          Map<String, JsonObject> found = new TreeMap<>();
          keys(all, prefix).forEach(key -> found.put(key, all.getJsonObject(key)));
          return found;
        },
        false);
  }

  @Override
  public Future<Set<String>> removeAll(String prefix) {
    return update(
        all -> {
          Set<String> found = keys(all, prefix);
          found.forEach(all::remove);
          return found;
        });
  }

  private static Set<String> keys(JsonObject all, String prefix) {
    Set<String> keys = new TreeSet<>(all.fieldNames());
    keys.removeIf(key -> !key.startsWith(prefix));
    return keys;
  }

  /** Changes the content, alone among all threads and processes. */
  private <T> Future<T> update(Function<JsonObject, T> change) {
    return vertx.executeBlocking(
        () -> {
          AtomicReference<@Nullable T> outcome = new AtomicReference<>();
          file.update(
              () -> {
                JsonObject all = read();
                outcome.set(change.apply(all));
                return sealed(all);
              });
          return outcome.get();
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

  private byte[] sealed(JsonObject all) throws GeneralSecurityException, IOException {
    byte[] plain = all.toBuffer().getBytes();
    if (plain.length > MAX_BYTES) {
      throw new IOException(
          file.path() + " is full: " + MAX_BYTES + " bytes of tokens and secrets");
    }
    byte[] sealed = seal.seal(plain, MAGIC);
    return ByteBuffer.allocate(MAGIC.length + sealed.length).put(MAGIC).put(sealed).array();
  }
}
