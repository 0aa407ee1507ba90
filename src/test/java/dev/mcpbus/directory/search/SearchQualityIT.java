package dev.mcpbus.directory.search;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.directory.TestLists;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.testing.ToolCorpus;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tools of real servers among thousands of generated ones. */
class SearchQualityIT {

  @TempDir Path folder;

  @Tag("long")
  @Test
  void labelled_queries_find_the_tools_of_real_servers_too() throws Exception {
    JsonObject entries =
        new JsonObject()
            .put(
                "everything",
                NpmServers.stdio("@modelcontextprotocol/server-everything/dist/index.js"))
            .put(
                "files",
                NpmServers.stdio(
                    "@modelcontextprotocol/server-filesystem/dist/index.js",
                    folder.toRealPath().toString()))
            .put("browser", NpmServers.stdio("@playwright/mcp/cli.js", "--headless"));
    Map<String, JsonObject> servers = new LinkedHashMap<>(ToolCorpus.servers(5_500));
    try (TestBus bus = TestBus.start(entries)) {
      for (String id : entries.fieldNames()) {
        bus.awaitState(id, "READY");
        servers.put(id, bus.request(address(id, Addresses.TOOLS_LIST), new JsonObject()));
      }
    }
    TestLists catalog = SearchQuality.catalog(servers);
    try (ToolIndex index = new ToolIndex()) {
      index.update(catalog.aggregate());
      SearchQuality quality = SearchQuality.of(index, SearchQuality.labelled(catalog.aggregate()));

      // Measured: 0.923 and 0.858.
      assertThat(quality.queries()).isGreaterThanOrEqualTo(75);
      assertThat(quality.recallAt5()).as("%s", quality.misses()).isGreaterThanOrEqualTo(0.92);
      assertThat(quality.mrr()).as("%s", quality.misses()).isGreaterThanOrEqualTo(0.85);
    }
  }
}
