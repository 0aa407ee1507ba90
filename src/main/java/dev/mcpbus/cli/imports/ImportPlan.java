package dev.mcpbus.cli.imports;

import dev.mcpbus.cli.imports.ClientPlaces.ClientPlace;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.read.ClientFile;
import dev.mcpbus.config.read.ClientFile.ClientServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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
  private final Map<String, JsonObject> inputs = new LinkedHashMap<>();
  private final List<String> problems = new ArrayList<>();

  /**
   * Reads the files in their order.
   *
   * @param environment says which packages of a file of the registry can be run
   */
  static ImportPlan of(List<ClientPlace> places, ConfigEnvironment environment) {
    ImportPlan plan = new ImportPlan();
    for (ClientPlace place : places) {
      ClientFile read = ClientFile.read(place.file(), place.inProject(), environment);
      read.problems()
          .forEach(
              problem ->
                  plan.problems.add(place.file() + " of " + place.client() + ": " + problem));
      Map<String, String> renamed = plan.inputs(read.inputs(), place.client());
      read.servers().forEach(server -> plan.add(place, server, renamed));
    }
    return plan;
  }

  /** Takes the inputs of a file; one whose id stands for another question gets a new id. */
  private Map<String, String> inputs(Map<String, JsonObject> declared, String client) {
    Map<String, String> renamed = new LinkedHashMap<>();
    declared.forEach(
        (id, input) -> {
          String free = id;
          for (int i = 1; inputs.containsKey(free) && !same(inputs.get(free), input); i++) {
            free = id + "-" + suffix(client) + (i == 1 ? "" : "-" + i);
          }
          inputs.putIfAbsent(free, input.copy().put("id", free));
          if (!free.equals(id)) {
            renamed.put(id, free);
          }
        });
    return renamed;
  }

  private static boolean same(JsonObject taken, JsonObject input) {
    return taken.copy().put("id", "").equals(input.copy().put("id", ""));
  }

  private void add(ClientPlace place, ClientServer server, Map<String, String> renamed) {
    String written = server.entry().encode();
    for (Map.Entry<String, String> input : renamed.entrySet()) {
      for (String end : List.of("}", ":-")) {
        written =
            written.replace("${input:" + input.getKey() + end, "${input:" + input.getValue() + end);
      }
    }
    JsonObject entry = new JsonObject(written);
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
    String longer = name + "-" + suffix(client);
    String free = longer;
    for (int i = 2; taken.containsKey(ClientFile.idOf(free)); i++) {
      free = longer + "-" + i;
    }
    return free;
  }

  private static String suffix(String client) {
    return client.toLowerCase(Locale.ROOT).replace(' ', '-');
  }

  /** All servers of all files, in their order. */
  List<ImportedServer> found() {
    return found;
  }

  /** Why a file, or a server of it, cannot be read. */
  List<String> problems() {
    return problems;
  }

  /** The new configuration, with secrets. */
  JsonObject configuration() {
    JsonObject servers = new JsonObject();
    taken.values().forEach(server -> servers.put(server.name(), server.entry()));
    JsonObject all = new JsonObject().put("mcpServers", servers);
    String text = servers.encode();
    JsonArray used = new JsonArray();
    inputs.forEach(
        (id, input) -> {
          if (text.contains("${input:" + id)) {
            used.add(input);
          }
        });
    return used.isEmpty() ? all : all.put("inputs", used);
  }
}
