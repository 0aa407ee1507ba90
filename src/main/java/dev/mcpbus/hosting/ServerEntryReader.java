package dev.mcpbus.hosting;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.config.paste.ServerPreview;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.EmbeddedTransportOptions;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.Map;

/**
 * Reads the entry of a server that a caller adds, with the same checks as for a file. Called on a
 * worker thread.
 */
@FunctionalInterface
public interface ServerEntryReader {

  /**
   * Reads one entry. May block on files that it names.
   *
   * @param name the key of the entry, as in a file
   * @param entry the value under that key
   * @throws McpFailure {@code BAD_REQUEST}, whose message names every mistake
   */
  ServerDefinition read(String name, JsonObject entry);

  /**
   * Reads an entry that another node of the cluster has written.
   *
   * @param source the place of the entry, for messages
   */
  default ServerDefinition read(ServerOrigin origin, String source) {
    return read(origin.name(), origin.entry());
  }

  /**
   * Reads an entry for one caller of a server that acts for its callers.
   *
   * @param values by what stands behind {@code caller.} in the entry
   */
  default ServerDefinition readForCaller(
      ServerOrigin origin, String source, Map<String, Sensitive> values) {
    throw McpFailure.badRequest("this program's entries are not read for callers");
  }

  /**
   * Reads the settings of a server over a transport that the program made.
   *
   * @param entry without keys that say how to reach a server
   * @throws McpFailure as above
   */
  default ServerDefinition read(String name, JsonObject entry, EmbeddedTransportOptions transport) {
    return ConfigReader.readOwn(
            name,
            entry,
            transport,
            ConfigEnvironment.system(),
            Path.of("."),
            ServerSettings.DEFAULT)
        .required();
  }

  /**
   * What {@link #read} would make of a text that a person has pasted: {@link ServerPreview#of}.
   * Looks nothing up: no file, no value of a variable.
   *
   * @param text of at most {@link ServerPreview#MAX_BYTES} in UTF-8
   */
  default JsonObject preview(String text) {
    return ServerPreview.of(text, Path.of("."), ConfigEnvironment.system());
  }

  /**
   * A reader for entries of files in {@code folder}.
   *
   * @param defaults the settings where an entry has none
   */
  static ServerEntryReader in(Path folder, ConfigEnvironment environment, ServerSettings defaults) {
    return new ServerEntryReader() {
      @Override
      public ServerDefinition read(String name, JsonObject entry) {
        return ConfigReader.readServer(name, entry, environment, folder, defaults).required();
      }

      @Override
      public ServerDefinition read(ServerOrigin origin, String source) {
        return ConfigReader.readServer(origin, source, environment, folder, defaults).required();
      }

      @Override
      public ServerDefinition readForCaller(
          ServerOrigin origin, String source, Map<String, Sensitive> values) {
        return ConfigReader.readServer(
                origin, source, environment.withCaller(values), folder, defaults)
            .required();
      }

      @Override
      public ServerDefinition read(
          String name, JsonObject entry, EmbeddedTransportOptions transport) {
        return ConfigReader.readOwn(name, entry, transport, environment, folder, defaults)
            .required();
      }

      @Override
      public JsonObject preview(String text) {
        return ServerPreview.of(text, folder, environment);
      }
    };
  }
}
