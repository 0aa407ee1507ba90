package dev.mcpbus.directory.search;

import dev.mcpbus.bus.ListKind;
import dev.mcpbus.directory.AggregateSnapshot;
import dev.mcpbus.directory.SearchRequest;
import dev.mcpbus.directory.TestLists;
import dev.mcpbus.protocol.ProtocolException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How well the index answers labelled queries.
 *
 * @param queries the number of queries
 * @param recallAt5 how many of them have a wanted tool among the first five, 0 to 1
 * @param mrr mean of one over the place of the first wanted tool among the first hundred
 * @param misses what went wrong, for people
 */
record SearchQuality(int queries, double recallAt5, double mrr, List<String> misses) {

  private static final Path LABELLED = Path.of("src", "test", "resources", "search-queries.txt");

  record Labelled(String query, List<String> wanted) {}

  /** A catalog of these servers' {@code tools/list} results. */
  static TestLists catalog(Map<String, JsonObject> servers) throws ProtocolException {
    TestLists catalog = TestLists.NONE;
    for (Map.Entry<String, JsonObject> one : servers.entrySet()) {
      catalog = catalog.with(one.getKey(), ListKind.TOOLS, one.getValue().encode());
    }
    return catalog;
  }

  /** Those that ask for tools of the catalog. */
  static List<Labelled> labelled(AggregateSnapshot catalog) throws IOException {
    List<Labelled> all = new ArrayList<>();
    for (String line : Files.readAllLines(LABELLED)) {
      if (!line.startsWith("#")) {
        String[] parts = line.split(" \\| ", 2);
        List<String> wanted = List.of(parts[1].split(", "));
        String server = wanted.get(0).substring(0, wanted.get(0).indexOf('.'));
        if (catalog.listing(server, ListKind.TOOLS) != null) {
          all.add(new Labelled(parts[0], wanted));
        }
      }
    }
    return all;
  }

  static SearchQuality of(ToolIndex index, List<Labelled> labelled) throws IOException {
    int found = 0;
    double reciprocal = 0;
    List<String> misses = new ArrayList<>();
    for (Labelled one : labelled) {
      List<String> names = names(index.search(new SearchRequest(one.query, 100, 0, null, false)));
      int place = 1;
      while (place <= names.size() && !one.wanted.contains(names.get(place - 1))) {
        place++;
      }
      reciprocal += place > names.size() ? 0 : 1.0 / place;
      found += place <= Math.min(5, names.size()) ? 1 : 0;
      if (place > 1) {
        misses.add(one.query + ": at " + place + " behind " + names.stream().limit(5).toList());
      }
    }
    return new SearchQuality(
        labelled.size(),
        found / (double) labelled.size(),
        reciprocal / labelled.size(),
        List.copyOf(misses));
  }

  static List<String> names(JsonObject found) {
    return found.getJsonArray("tools").stream()
        .map(tool -> ((JsonObject) tool).getString("name"))
        .toList();
  }
}
