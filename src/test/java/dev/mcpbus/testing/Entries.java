package dev.mcpbus.testing;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Entries of a configuration. */
public final class Entries {

  private Entries() {}

  /** A {@link ScriptedServer} as a child process. */
  public static JsonObject scripted(String behaviour) {
    List<String> command = ScriptedServer.command(behaviour);
    return new JsonObject()
        .put("command", command.get(0))
        .put("args", new JsonArray(command.subList(1, command.size())));
  }
}
