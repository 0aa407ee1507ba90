package dev.mcpbus.catalog;

import dev.mcpbus.testing.ToolCorpus;
import org.junit.jupiter.api.Test;

class SearchQualityTest {

  @Test
  void labelled_queries_find_their_tools_among_5000() throws Exception {
    Catalog catalog = SearchQuality.catalog(ToolCorpus.servers(5_500));
    try (ToolIndex index = new ToolIndex()) {
      index.update(catalog);
      SearchQuality quality = SearchQuality.of(index, SearchQuality.labelled(catalog));
      System.out.println(
          quality.recallAt5()
              + " "
              + quality.mrr()
              + " "
              + quality.queries()
              + "\n"
              + String.join("\n", quality.misses()));
    }
  }
}
