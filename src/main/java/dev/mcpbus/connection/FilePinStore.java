package dev.mcpbus.connection;

import dev.mcpbus.bus.ConnectionId;
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
import java.util.Map;
import java.util.Set;

/**
 * The pins of all servers in one JSON file, readable by its owner alone: {@code {"version": 1,
 * "servers": {id: pins}}}. It is replaced whole and at once, so that a crash leaves the old one or
 * the new one; a lock file keeps two processes from overwriting each other. Works on worker
 * threads.
 */
public final class FilePinStore implements PinStore {

  /** The file, default {@code ~/.mcpbus/pins.json}. */
  public static final String FILE_VARIABLE = "MCPBUS_PIN_FILE";

  private static final int VERSION = 1;
  private static final long MAX_BYTES = 64L * 1024 * 1024;

  /** Within this process; the lock file does not work between threads. */
  private static final Object MONITOR = new Object();

  private final Vertx vertx;
  private final Path file;

  private FilePinStore(Vertx vertx, Path file) {
    this.vertx = vertx;
    this.file = file.toAbsolutePath();
  }

  /** A store in {@code file}, which need not exist. */
  public static FilePinStore of(Vertx vertx, Path file) {
    return new FilePinStore(vertx, file);
  }

  /** As the service has it. Touches nothing before the first server that pins. */
  public static FilePinStore ofVariables(Vertx vertx, Map<String, String> variables) {
    String named = variables.getOrDefault(FILE_VARIABLE, "");
    return of(
        vertx,
        named.isBlank()
            ? Path.of(System.getProperty("user.home", "."), ".mcpbus", "pins.json")
            : Path.of(named));
  }

  @Override
  public Future<JsonObject> load(ConnectionId id) {
    return vertx.executeBlocking(
        () -> {
          synchronized (MONITOR) {
            return servers(read()).getJsonObject(id.value(), new JsonObject());
          }
        },
        false);
  }

  /** In the order of the calls, where they come from one context. */
  @Override
  public Future<Void> save(ConnectionId id, JsonObject pins) {
    return vertx.executeBlocking(
        () -> {
          synchronized (MONITOR) {
            update(id, pins);
          }
          return null;
        });
  }

  private void update(ConnectionId id, JsonObject pins) throws IOException {
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
        JsonObject all = read();
        servers(all).put(id.value(), pins);
        write(all);
      }
    }
  }

  private static JsonObject servers(JsonObject all) {
    return all.getJsonObject("servers");
  }

  private JsonObject read() throws IOException {
    JsonObject all;
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw broken();
      }
      all = new JsonObject(Buffer.buffer(Files.readAllBytes(file)));
    } catch (NoSuchFileException e) {
      return new JsonObject().put("version", VERSION).put("servers", new JsonObject());
    } catch (DecodeException e) {
      throw broken();
    }
    if (!Integer.valueOf(VERSION).equals(all.getValue("version"))
        || !(all.getValue("servers") instanceof JsonObject servers)
        || servers.stream().anyMatch(entry -> !(entry.getValue() instanceof JsonObject))) {
      throw broken();
    }
    return all;
  }

  private IOException broken() {
    return new IOException(
        file + " is no pin file of this mcpbus: repair it, or remove it to trust anew");
  }

  private void write(JsonObject all) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.deleteIfExists(next);
    ByteBuffer bytes = ByteBuffer.wrap(all.encodePrettily().getBytes(StandardCharsets.UTF_8));
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
