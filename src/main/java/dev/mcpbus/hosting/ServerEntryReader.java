package dev.mcpbus.hosting;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.config.ServerResult;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.config.paste.ServerPreview;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.stream.Collectors;

/**
 * Reads the entry of a server that a caller adds, with the same checks as for a file. Called on a
 * worker thread.
 */
@PublicApi
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
        return usable(ConfigReader.readServer(name, entry, environment, folder, defaults));
      }

      @Override
      public ServerDefinition read(ServerOrigin origin, String source) {
        return usable(ConfigReader.readServer(origin, source, environment, folder, defaults));
      }

      @Override
      public JsonObject preview(String text) {
        return ServerPreview.of(text, folder, environment);
      }
    };
  }

  private static ServerDefinition usable(ServerResult server) {
    return server
        .usable()
        .orElseThrow(
            () ->
                McpFailure.badRequest(
                    server.problems().isEmpty()
                        ? "the entry is disabled: remove \"disabled\""
                        : server.problems().stream()
                            .map(ConfigProblem::toString)
                            .collect(Collectors.joining("; "))));
  }
}
