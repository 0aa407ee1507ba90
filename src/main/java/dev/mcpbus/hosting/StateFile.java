package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpBusVersion;
import dev.mcpbus.internals.PrivateFile;
import dev.mcpbus.security.oauth.AesGcmSeal;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code servers.json} of a state directory: {@code {"form": 1, "version", "servers": {id:
 * {"revision", "added", "source"} or {"revision", "removed"}}}}, sealed where there is a key.
 * {@link PrivateFile} replaces it as a whole, so after a crash it has the old content or the new
 * one. A lock on the file {@code lock} keeps a second process out while this one lives. Blocks: for
 * worker threads, one at a time.
 */
public final class StateFile {

  /** The variable with the key of sealed files, the same as that of stored tokens. */
  public static final String KEY_VARIABLE = "MCPBUS_TOKEN_KEY";

  private static final Logger LOG = LoggerFactory.getLogger(StateFile.class);

  private static final int FORM = 1;
  private static final long MAX_BYTES = 64L * 1024 * 1024;
  private static final byte[] MAGIC = "mcpbus-servers-1\n".getBytes(StandardCharsets.US_ASCII);

  private static final DateTimeFormatter ASIDE =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS").withZone(ZoneOffset.UTC);

  private final PrivateFile file;
  private final Path lockFile;
  private final @Nullable AesGcmSeal seal;
  private @Nullable FileChannel lock;

  private StateFile(Path folder, @Nullable AesGcmSeal seal) {
    this.file = PrivateFile.of(folder.resolve("servers.json"));
    this.lockFile = folder.toAbsolutePath().resolve("lock");
    this.seal = seal;
  }

  /**
   * The file in this folder; neither need exist.
   *
   * @param variables may have {@link #KEY_VARIABLE}
   * @throws IllegalArgumentException where the key is no key; the message does not show it
   */
  public static StateFile in(Path folder, Map<String, String> variables) {
    String key = variables.getOrDefault(KEY_VARIABLE, "");
    return new StateFile(folder, key.isBlank() ? null : AesGcmSeal.of(key));
  }

  Path path() {
    return file.path();
  }

  /** Whether the content is encrypted, so that it may have secrets. */
  boolean isSealed() {
    return seal != null;
  }

  /**
   * Locks the folder for this process and reads the file.
   *
   * @return empty where there is no file, and where it cannot be read and was kept aside
   * @throws IOException where another process uses the folder, or it cannot be used; the message
   *     names the remedy
   */
  Map<ConnectionId, KeptServer> open() throws IOException {
    lock();
    try {
      return read();
    } catch (NoSuchFileException none) {
      return Map.of();
    } catch (UnusableStateException why) {
      Path aside = file.path().resolveSibling("servers.json.aside-" + ASIDE.format(Instant.now()));
      Files.move(file.path(), aside, StandardCopyOption.ATOMIC_MOVE);
      LOG.error(
          "{} {}; this start goes on without the servers that were added and removed at run time,"
              + " and the file is kept as {}: end mcpbus, mend it and rename it to use it again",
          file.path(),
          why.getMessage(),
          aside);
      return Map.of();
    }
  }

  private void lock() throws IOException {
    FileChannel channel;
    try {
      channel = PrivateFile.of(lockFile).openForLock();
    } catch (IOException e) {
      throw new IOException(
          "the state directory "
              + lockFile.getParent()
              + " cannot be used ("
              + e
              + "); let this"
              + " user write there, or change \"state\": {\"dir\": ...}",
          e);
    }
    FileLock held;
    try {
      held = channel.tryLock();
    } catch (OverlappingFileLockException mine) {
      held = null;
    }
    if (held == null) {
      channel.close();
      throw new IOException(
          "another mcpbus uses the state directory "
              + lockFile.getParent()
              + "; end it, or give each its own \"state\": {\"dir\": ...}");
    }
    lock = channel;
  }

  /** Gives the folder free. */
  void close() throws IOException {
    FileChannel held = lock;
    lock = null;
    if (held != null) {
      held.close();
    }
  }

  private Map<ConnectionId, KeptServer> read() throws IOException {
    if (Files.size(file.path()) > MAX_BYTES) {
      throw new UnusableStateException("is larger than " + MAX_BYTES + " bytes");
    }
    byte[] raw = Files.readAllBytes(file.path());
    String foreign =
        file.whyNotOurs(true); // after the read: a file that came before it is found, too
    if (foreign != null) {
      throw new UnusableStateException(foreign);
    }
    byte[] bytes = plain(raw);
    Map<ConnectionId, KeptServer> all = new LinkedHashMap<>();
    try {
      JsonObject json = new JsonObject(Buffer.buffer(bytes));
      if (json.getInteger("form") > FORM) {
        throw new UnusableStateException(
            "is of form "
                + json.getInteger("form")
                + ", written by mcpbus "
                + json.getString("version")
                + ", and this one reads form "
                + FORM);
      }
      json.getJsonObject("servers")
          .forEach(
              one ->
                  all.put(
                      new ConnectionId(one.getKey()), KeptServer.of((JsonObject) one.getValue())));
    } catch (RuntimeException torn) {
      throw new UnusableStateException("is torn, or no state of mcpbus");
    }
    return all;
  }

  private byte[] plain(byte[] bytes) throws UnusableStateException {
    if (bytes.length < MAGIC.length
        || !Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      return bytes;
    }
    if (seal == null) {
      throw new UnusableStateException("is encrypted, and " + KEY_VARIABLE + " is not set");
    }
    try {
      return seal.open(Arrays.copyOfRange(bytes, MAGIC.length, bytes.length), MAGIC);
    } catch (GeneralSecurityException wrong) {
      throw new UnusableStateException(
          "is torn, or was encrypted with another key than that in " + KEY_VARIABLE);
    }
  }

  /** Replaces the content. */
  void write(Map<ConnectionId, KeptServer> all) throws Exception {
    if (lock == null) {
      throw new IOException("the state directory is closed");
    }
    JsonObject servers = new JsonObject();
    all.forEach((id, one) -> servers.put(id.value(), one.toJson()));
    byte[] plain =
        new JsonObject()
            .put("form", FORM)
            .put("version", McpBusVersion.current())
            .put("servers", servers)
            .encodePrettily()
            .getBytes(StandardCharsets.UTF_8);
    if (plain.length > MAX_BYTES) {
      throw new IOException("it would be larger than " + MAX_BYTES + " bytes");
    }
    byte[] content = seal == null ? plain : sealed(seal, plain);
    file.update(() -> content);
  }

  private static byte[] sealed(AesGcmSeal seal, byte[] plain) throws GeneralSecurityException {
    byte[] sealed = seal.seal(plain, MAGIC);
    return ByteBuffer.allocate(MAGIC.length + sealed.length).put(MAGIC).put(sealed).array();
  }

  /** The file is there and cannot be used; the message says why. */
  private static final class UnusableStateException extends IOException {
    private static final long serialVersionUID = 1;

    UnusableStateException(String message) {
      super(message);
    }
  }
}
