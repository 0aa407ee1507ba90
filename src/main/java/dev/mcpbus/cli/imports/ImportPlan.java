package dev.mcpbus.cli.imports;

import dev.mcpbus.cli.imports.ClientPlaces.ClientPlace;
import dev.mcpbus.config.ClientFile;
import dev.mcpbus.config.ClientFile.ClientServer;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an import takes from which file, and under which names. Two servers of one name are one if
 * their entries are equal; else the later one gets its client's name as well. Not safe for several
 * threads.
 */
final class ImportPlan {

  /**
   * One server of one file.
   *
   * @param name in the new configuration
   * @param entry that is written; it may hold secrets
   * @param same whether an equal server was taken from a file before
   */
  record ImportedServer(ClientPlace place, String name, JsonObject entry, boolean same) {

    /** Without the entry, which may hold secrets. */
    @Override
    public String toString() {
      return "ImportedServer[" + name + "]";
    }
  }

  private final List<ImportedServer> found = new ArrayList<>();
  private final Map<String, ImportedServer> taken = new LinkedHashMap<>();
  private final List<String> problems = new ArrayList<>();

  /** Reads the files in their order. */
  static ImportPlan of(List<ClientPlace> places) {
    ImportPlan plan = new ImportPlan();
    for (ClientPlace place : places) {
      ClientFile read = ClientFile.read(place.file());
      if (read.problem() != null) {
        plan.problems.add(place.file() + " of " + place.client() + ": " + read.problem());
      }
      read.servers().forEach(server -> plan.add(place, server));
    }
    return plan;
  }

  private void add(ClientPlace place, ClientServer server) {
    JsonObject entry = inFolder(server.entry(), server.folder());
    String name = ClientFile.usableName(server.name());
    ImportedServer before = taken.get(ClientFile.idOf(name));
    if (before != null && before.entry().equals(entry)) {
      found.add(new ImportedServer(place, before.name(), entry, true));
      return;
    }
    ImportedServer imported = new ImportedServer(place, free(name, place.client()), entry, false);
    taken.put(ClientFile.idOf(imported.name()), imported);
    found.add(imported);
  }

  private String free(String name, String client) {
    if (!taken.containsKey(ClientFile.idOf(name))) {
      return name;
    }
    String longer = name + "-" + client.toLowerCase(Locale.ROOT).replace(' ', '-');
    String free = longer;
    for (int i = 2; taken.containsKey(ClientFile.idOf(free)); i++) {
      free = longer + "-" + i;
    }
    return free;
  }

  /** The client starts the server in its project; mcpbus would start it in its own folder. */
  private static JsonObject inFolder(JsonObject entry, @Nullable Path folder) {
    if (folder == null) {
      return entry;
    }
    JsonObject own = new JsonObject(entry.encode().replace("${workspaceFolder}", escaped(folder)));
    return own.containsKey("command") && !own.containsKey("cwd")
        ? own.put("cwd", folder.toString())
        : own;
  }

  /** The folder as a part of a JSON string. */
  private static String escaped(Path folder) {
    return folder.toString().replace("\\", "\\\\").replace("\"", "\\\"");
  }

  /** All servers of all files, in their order. */
  List<ImportedServer> found() {
    return found;
  }

  /** Why a file cannot be read. */
  List<String> problems() {
    return problems;
  }

  /** The new configuration, with secrets. */
  JsonObject configuration() {
    JsonObject servers = new JsonObject();
    taken.values().forEach(server -> servers.put(server.name(), server.entry()));
    return new JsonObject().put("mcpServers", servers);
  }
}
