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
import org.jspecify.annotations.Nullable;

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

  /** Read where {@link #file} is missing: who moves to a state directory trusts nothing anew. */
  private final @Nullable Path before;

  private FilePinStore(Vertx vertx, Path file, @Nullable Path before) {
    this.vertx = vertx;
    this.file = PrivateFile.of(file);
    this.before = before;
  }

  /** The store in {@code file}, which the first save creates. */
  public static FilePinStore of(Vertx vertx, Path file) {
    return new FilePinStore(vertx, file, null);
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

  /**
   * The store of a process with a state directory: the file that the variable names, else {@code
   * pins.json} there, which begins as a copy of the user's file.
   *
   * @param folder null for no state directory
   */
  public static FilePinStore ofState(
      Vertx vertx, @Nullable Path folder, Map<String, String> variables) {
    FilePinStore ofUser = ofVariables(vertx, variables);
    if (folder == null || !variables.getOrDefault(FILE_VARIABLE, "").isBlank()) {
      return ofUser;
    }
    return new FilePinStore(vertx, folder.resolve("pins.json"), ofUser.file.path());
  }

  /**
   * Keeps in {@code eras.json} of the state directory which servers are not to be probed; without
   * one until the process ends.
   */
  public static PinStore eras(Vertx vertx, @Nullable Path folder) {
    return folder == null ? PinStore.inMemory() : of(vertx, folder.resolve("eras.json"));
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
    Path old = before;
    return read(old == null || Files.exists(file.path()) ? file.path() : old);
  }

  private static JsonObject read(Path file) throws IOException {
    JsonObject all;
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw broken(file);
      }
      all = new JsonObject(Buffer.buffer(Files.readAllBytes(file)));
    } catch (NoSuchFileException e) {
      return new JsonObject().put("version", VERSION).put("servers", new JsonObject());
    } catch (DecodeException e) {
      throw broken(file);
    }
    if (!Integer.valueOf(VERSION).equals(all.getValue("version"))
        || !(all.getValue("servers") instanceof JsonObject servers)
        || servers.stream().anyMatch(entry -> !(entry.getValue() instanceof JsonObject))) {
      throw broken(file);
    }
    return all;
  }

  private static IOException broken(Path file) {
    return new IOException(
        file + " is no pin file of this mcpbus: repair it, or remove it to trust anew");
  }
}
