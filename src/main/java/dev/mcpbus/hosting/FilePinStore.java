package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.PinStore;
import dev.mcpbus.internals.PrivateFile;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The pins of all servers in one JSON file, readable by its owner alone: {@code {"version": 1,
 * "servers": {id: pins}}}. {@link PrivateFile} replaces the whole file at once, so a crash leaves
 * the old file or the new one; a lock file keeps two processes from overwriting each other. Reads
 * and writes on worker threads.
 */
public final class FilePinStore implements PinStore {

  /** The variable that names the file; default {@code ~/.mcpbus/pins.json}. */
  public static final String FILE_VARIABLE = "MCPBUS_PIN_FILE";

  private static final int VERSION = 1;
  private static final long MAX_BYTES = 64L * 1024 * 1024;

  private final Vertx vertx;
  private final PrivateFile file;

  private FilePinStore(Vertx vertx, Path file) {
    this.vertx = vertx;
    this.file = PrivateFile.of(file);
  }

  /** The store in {@code file}, which the first save creates. */
  public static FilePinStore of(Vertx vertx, Path file) {
    return new FilePinStore(vertx, file);
  }

  /**
   * The store that the variables name. It does not touch the file before the first server with
   * pins.
   */
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
        () -> servers(read()).getJsonObject(id.value(), new JsonObject()), false);
  }

  /** Saves in the order of the calls, if they come from one context. */
  @Override
  public Future<Void> save(ConnectionId id, JsonObject pins) {
    return vertx.executeBlocking(
        () -> {
          file.update(
              () -> {
                JsonObject all = read();
                servers(all).put(id.value(), pins);
                return all.encodePrettily().getBytes(StandardCharsets.UTF_8);
              });
          return null;
        });
  }

  private static JsonObject servers(JsonObject all) {
    return all.getJsonObject("servers");
  }

  private JsonObject read() throws IOException {
    JsonObject all;
    try {
      if (Files.size(file.path()) > MAX_BYTES) {
        throw broken();
      }
      all = new JsonObject(Buffer.buffer(Files.readAllBytes(file.path())));
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
        file.path() + " is no pin file of this mcpbus: repair it, or remove it to trust anew");
  }
}
