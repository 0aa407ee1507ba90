package dev.mcpbus.directory.search;

import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.directory.AggregateList;
import dev.mcpbus.directory.AggregateSnapshot;
import dev.mcpbus.directory.SearchRequest;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.AnalyzerWrapper;
import org.apache.lucene.document.Document;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.SearcherFactory;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TopFieldCollectorManager;
import org.apache.lucene.search.TopFieldDocs;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.search.similarities.PerFieldSimilarityWrapper;
import org.apache.lucene.search.similarities.Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.jspecify.annotations.Nullable;

/**
 * The tools of an {@link AggregateSnapshot}, or its skills, in a Lucene index in memory. An update
 * writes only those of servers whose list differs from the indexed one.
 *
 * <p>The methods block and belong on worker threads. One thread at a time may update; any thread
 * may search meanwhile and sees the aggregate from before or after the update.
 */
final class ToolIndex implements AutoCloseable {

  /**
   * Lucene warns on a Java that is newer than itself that it has no vectors there; nothing here
   * uses them. Kept, because Java forgets the level of a logger that nobody keeps.
   */
  private static final Logger VECTORS =
      Logger.getLogger("org.apache.lucene.internal.vectorization.VectorizationProvider");

  static {
    VECTORS.setLevel(Level.SEVERE);
  }

  private static final Sort BEST_FIRST =
      new Sort(
          SortField.FIELD_SCORE,
          new SortField(ToolDocument.OWNER, SortField.Type.STRING),
          new SortField(ToolDocument.PLACE, SortField.Type.LONG));

  /** A match in a short name counts more than in a long one; of a description it matters little. */
  private static final Similarity LENGTHS =
      new PerFieldSimilarityWrapper() {
        private final Similarity names = new BM25Similarity(1.2f, 0.75f);
        private final Similarity texts = new BM25Similarity(1.2f, 0.3f);

        @Override
        public Similarity get(String field) {
          return field.equals(ToolDocument.DESCRIPTION) || field.equals(ToolDocument.PARAMETERS)
              ? texts
              : names;
        }
      };

  private final ByteBuffersDirectory directory = new ByteBuffersDirectory();
  private final IndexWriter writer;
  private final SearcherManager searchers;
  private final Map<String, AggregateList> indexed = new HashMap<>();

  /** {@link ToolDocument#WORDS} has words as written, the other fields have stems. */
  private static final class ByField extends AnalyzerWrapper {

    ByField() {
      super(PER_FIELD_REUSE_STRATEGY);
    }

    @Override
    protected Analyzer getWrappedAnalyzer(String field) {
      return field.equals(ToolDocument.WORDS) ? WordTokenizer.PLAIN : WordTokenizer.STEMS;
    }
  }

  /** Without Lucene's query cache, which is one per process: each query here is a new one. */
  private static final class Uncached extends SearcherFactory {

    @Override
    public IndexSearcher newSearcher(IndexReader reader, @Nullable IndexReader previous) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setQueryCache(null);
      searcher.setSimilarity(LENGTHS);
      return searcher;
    }
  }

  private final ListKind kind;

  ToolIndex() throws IOException {
    this(ListKind.TOOLS);
  }

  /**
   * @param kind tools or skills
   */
  ToolIndex(ListKind kind) throws IOException {
    this.kind = kind;
    // The updating thread merges: Lucene starts no threads.
    writer =
        new IndexWriter(
            directory,
            new IndexWriterConfig(new ByField())
                .setSimilarity(LENGTHS)
                .setMergeScheduler(new SerialMergeScheduler()));
    searchers = new SearcherManager(writer, new Uncached());
  }

  /** Updates the index. Searches that begin after it has returned see {@code aggregate}. */
  void update(AggregateSnapshot aggregate) throws IOException {
    Map<String, AggregateList> wanted = aggregate.listings(kind);
    Set<String> gone = new HashSet<>(indexed.keySet());
    gone.removeAll(wanted.keySet());
    for (String server : gone) {
      writer.deleteDocuments(new Term(ToolDocument.OWNER, server));
      indexed.remove(server);
    }
    for (Map.Entry<String, AggregateList> one : wanted.entrySet()) {
      if (indexed.get(one.getKey()) != one.getValue()) {
        replace(one.getKey(), one.getValue());
        indexed.put(one.getKey(), one.getValue());
      }
    }
    searchers.maybeRefreshBlocking();
  }

  private void replace(String server, AggregateList listing) throws IOException {
    writer.deleteDocuments(new Term(ToolDocument.OWNER, server));
    int place = 0;
    for (Map.Entry<String, RawJson> entry : listing.byName().entrySet()) {
      String name = entry.getKey();
      JsonObject definition = entry.getValue().toJsonObject();
      writer.addDocument(
          kind == ListKind.SKILLS
              ? SkillDocument.of(server, name, definition, place++, listing.isStale())
              : ToolDocument.of(
                  new ToolName(server, name), definition, place++, listing.isStale()));
    }
  }

  /**
   * Returns {@code {tools, total}} or {@code {skills, total}}, best first; for an empty query all,
   * in the aggregate's order.
   */
  JsonObject search(SearchRequest request) throws IOException {
    IndexSearcher searcher = searchers.acquire();
    try {
      Query query = ToolQuery.of(request.query(), request.servers(), searcher.getIndexReader());
      int most = request.offset() + request.limit();
      TopFieldDocs found =
          searcher.search(
              query, new TopFieldCollectorManager(BEST_FIRST, most, null, Integer.MAX_VALUE));
      JsonArray tools = new JsonArray();
      for (int i = request.offset(); i < found.scoreDocs.length; i++) {
        ScoreDoc hit = found.scoreDocs[i];
        Document stored = searcher.storedFields().document(hit.doc);
        double score = (Float) ((FieldDoc) hit).fields[0];
        tools.add(
            kind == ListKind.SKILLS
                ? SkillDocument.shown(stored, score)
                : ToolDocument.shown(stored, score));
      }
      return new JsonObject().put(kind.member, tools).put("total", found.totalHits.value);
    } finally {
      searchers.release(searcher);
    }
  }

  @Override
  public void close() throws IOException {
    searchers.close();
    writer.close();
    directory.close();
  }
}
